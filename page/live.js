// A run that goes on: asks the server of this page for further frames.

const POLL_MS = 1000;

function pollForFrames(data, onNews) {
  const ask = async () => {
    try {
      const last = data.frames.at(-1)?.number ?? -1;
      const answer = await fetch(`frames?after=${last}`);
      if (!answer.ok) throw new Error(await answer.text());
      const { frames, ...news } = await answer.json();
      data.frames.push(...frames);
      Object.assign(data.run, news);
      onNews(frames.length);
      if (!news.is_live) return;
    } catch (error) {
      onNews(0, `No answer from cloth-sim view: ${error.message}`);
    }
    setTimeout(ask, POLL_MS);
  };
  setTimeout(ask, POLL_MS);
}

// Playback: which frame is shown, and when the next one follows.

class Playback {
  constructor(data, onFrame) {
    Object.assign(this, { data, onFrame, at: 0, isPlaying: false, speed: 1 });
    this.scrub = document.getElementById("scrub");
    this.clock = document.getElementById("clock");
    this.playButton = document.getElementById("play");
    this.scrub.addEventListener("input", () => this.go(Number(this.scrub.value)));
    document.getElementById("speed").addEventListener("change", (event) => {
      this.speed = Number(event.target.value);
      this.begin();
    });
    const click = (id, act) => document.getElementById(id).addEventListener("click", act);
    click("first", () => this.go(0));
    click("back", () => this.step(-1));
    click("next", () => this.step(1));
    click("last", () => this.go(this.last));
    click("play", () => this.toggle());
    this.framesChanged();
  }

  get last() {
    return this.data.frames.length - 1;
  }

  // Takes account of frames that have come.
  framesChanged() {
    this.scrub.max = this.last;
  }

  // Stops and shows frame `at` of the list.
  go(at) {
    this.pause();
    return this.show(at);
  }

  step(count) {
    return this.go(this.at + count);
  }

  async show(at) {
    this.at = Math.min(Math.max(at, 0), this.last);
    this.scrub.value = this.at;
    const wanted = this.at;
    const frame = await this.data.unpackFrame(this.at);
    // Another frame may be wanted by now.
    if (wanted !== this.at) return;
    this.clock.textContent = `frame ${frame.number}   ${frame.time_s.toFixed(3)} s`;
    this.onFrame(frame);
  }

  toggle() {
    if (this.isPlaying) this.pause();
    else this.play();
  }

  play() {
    if (this.last < 1) return;
    this.isPlaying = true;
    this.playButton.classList.add("playing");
    if (this.at === this.last) this.at = 0;
    this.begin();
    requestAnimationFrame((now) => this.tick(now));
  }

  pause() {
    this.isPlaying = false;
    this.playButton.classList.remove("playing");
  }

  // Time runs from the frame that is shown.
  begin() {
    this.beganAt = this.data.frames[this.at].time_s;
    this.beganNow = performance.now();
  }

  async tick(now) {
    if (!this.isPlaying) return;
    const time = this.beganAt + (this.speed * (now - this.beganNow)) / 1000;
    let at = this.at;
    while (at < this.last && this.data.frames[at + 1].time_s <= time) at += 1;
    if (at !== this.at) await this.show(at);
    // The last frame stays for as long as the others, then the first one follows.
    const { frames } = this.data;
    if (this.at === this.last && time > frames[this.last].time_s + this.data.run.frame_s) {
      await this.show(0);
      this.begin();
    }
    requestAnimationFrame((next) => this.tick(next));
  }
}

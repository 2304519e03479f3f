// The run in this page: what stays, and its frames.

class RunData {
  constructor() {
    this.run = JSON.parse(document.getElementById("run").textContent);
    this.frames = Array.from(document.querySelectorAll("script.frame"), (element) => {
      const frame = JSON.parse(element.textContent);
      element.remove();
      return frame;
    });
  }

  // What stays, with its arrays unpacked.
  async unpackStill() {
    const { surfaces, shapes, bodies } = this.run.still;
    Object.assign(surfaces, await unpack(surfaces));
    Object.assign(bodies, await unpack(bodies));
    for (const shape of shapes) Object.assign(shape, await unpack(shape));
    return this.run.still;
  }

  // Frame number `at` in the list, with its arrays. Kept once it is unpacked.
  unpackFrame(at) {
    const frame = this.frames[at];
    frame.unpacking ??= unpack(frame).then((values) => {
      frame.values = values;
      frame.data = null;
      return frame;
    });
    return frame.unpacking;
  }

  // Whether any frame has an array of this name with values.
  has(name) {
    const isSought = (array) => array.name === name && array.length > 0;
    return this.frames.some(({ arrays }) => arrays.some(isSought));
  }

  // The place in the list of the frame that is nearest to frame `number` of the run.
  nearest(number) {
    let best = 0;
    this.frames.forEach((frame, at) => {
      const distance = Math.abs(frame.number - number);
      if (distance < Math.abs(this.frames[best].number - number)) best = at;
    });
    return best;
  }

  // The corners of the box around all frames, m.
  box() {
    const low = [Infinity, Infinity, Infinity];
    const high = [-Infinity, -Infinity, -Infinity];
    for (const { bounds } of this.frames) {
      for (let axis = 0; axis < 3; axis++) {
        low[axis] = Math.min(low[axis], bounds.low[axis]);
        high[axis] = Math.max(high[axis], bounds.high[axis]);
      }
    }
    return [low, high];
  }
}

// A share of `length` places along `axis`, as a coordinate: see arrays.rs.
function coordinate(bounds, shares, axis, length, i) {
  const { low, high } = bounds;
  return low[axis] + (shares[axis * length + i] / 65535) * (high[axis] - low[axis]);
}

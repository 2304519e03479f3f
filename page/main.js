// Puts the page together: what follows a frame, a choice or a key.

const byId = (id) => document.getElementById(id);

// Shows why there is no picture, in its place.
function showMessage(text) {
  byId("message").textContent = text;
  byId("message").hidden = false;
}

class Page {
  async open() {
    this.data = new RunData();
    showPanel(this.data.run);
    this.charts = new Charts(byId("charts"), this.data.run.charts, (number) => this.goTo(number));
    bindTabs(() => this.charts.resize());
    this.playback = new Playback(this.data, (frame) => this.show(frame));
    if (this.data.frames.length === 0) {
      showMessage("The run has no frame that can be read.");
      if (this.data.run.is_live) setTimeout(() => location.reload(), 3000);
      return;
    }
    const still = await this.data.unpackStill();
    try {
      this.stage = new Stage(byId("canvas"), this.data.run.up);
    } catch (error) {
      showMessage(`This browser shows no 3D graphics (WebGL).\n${error.message}`);
    }
    if (this.stage) {
      this.surfaces = new Surfaces(still, this.stage);
      this.bodies = new Bodies(still, this.stage);
      this.bodies.offset = this.surfaces.fabrics.length;
      const box = this.sceneBox(still);
      this.stage.setBox(...box);
      this.placeGround(box);
    }
    this.addChoices();
    this.bindKeys();
    // The result; playing begins at the start.
    await this.playback.show(this.playback.last);
    await this.unpackAll();
    if (this.data.run.is_live) pollForFrames(this.data, (count, trouble) => this.onNews(count, trouble));
  }

  // All frames, one after the other; then scales are known.
  async unpackAll() {
    for (let at = 0; at < this.data.frames.length; at++) await this.data.unpackFrame(at);
    this.ranges = {};
    this.recolour();
    document.documentElement.dataset.ready = "true";
  }

  // The box of what moves, and of obstacles and ends of joints that do not make it much larger. Walls
  // are not in it.
  sceneBox(still) {
    const [low, high] = this.data.box();
    const reach = still.bodies.count > 0 ? largestBody(still) : 0;
    for (let axis = 0; axis < 3; axis++) {
      low[axis] -= reach;
      high[axis] += reach;
    }
    const all = [low, high];
    const size = sizeOf(all);
    const standing = this.surfaces.obstacles.filter(({ head }) => !head.moves && head.role !== "wall");
    const obstacles = standing.map(({ positions }) => boxOf(positions));
    const anchors = still.joints.filter(({ bodies, points }) => bodies[1] === null && points[1]);
    const reached = anchors.map(({ points }) => around(all, [points[1], points[1]]));
    return [...obstacles, ...reached].filter((box) => sizeOf(box) <= 3 * size).reduce(around, all);
  }

  // Puts a grid below the box from `low` to `high`, unless the scene has a floor of its own. In the
  // place of a floor that reaches far beyond the box there is the grid.
  placeGround([low, high]) {
    const axis = this.data.run.up.findIndex((value) => value !== 0);
    const sizes = high.map((value, i) => value - low[i]);
    for (const floor of this.surfaces.obstacles.filter(({ head }) => !head.moves)) {
      const [a, b] = boxOf(floor.positions);
      const widths = [0, 1, 2].filter((i) => i !== axis).map((i) => (b[i] - a[i]) / sizes[i]);
      const isFlat = b[axis] - a[axis] < 0.05 * Math.max(...sizes);
      if (!isFlat || Math.min(...widths) < 0.8) continue;
      if (Math.min(...widths) < 6) return;
      this.surfaces.remove(floor);
      return this.stage.addGround(this.data.run.up[axis] > 0 ? b[axis] : -a[axis]);
    }
    this.stage.addGround();
  }

  addChoices() {
    const modes = modesOf(this.data);
    const colour = byId("colour");
    for (const { key, label } of modes) colour.add(new Option(label, key));
    colour.addEventListener("change", () => this.recolour());
    const obstacles = byId("obstacles");
    obstacles.addEventListener("change", () => this.setObstacles());
    byId("obstacles-label").hidden = !this.surfaces || this.surfaces.obstacles.length === 0;
    if (this.surfaces && this.bodies.count > 0 && this.isEnclosed()) obstacles.value = "glass";
    this.setObstacles();
    byId("joints").hidden = !this.bodies || this.bodies.joints.length === 0;
    byId("joints").addEventListener("click", () => this.toggleJoints());
    // Many would hide their bodies.
    if (this.bodies && this.bodies.joints.length < 200) this.toggleJoints();
    byId("edges").addEventListener("click", () => this.toggleEdges());
    byId("reset").addEventListener("click", () => this.stage?.lookAtAll());
    byId("side-toggle").addEventListener("click", () => this.toggleSide());
    byId("help-button").addEventListener("click", () => (byId("help").hidden = !byId("help").hidden));
    this.modes = modes;
  }

  // Whether an obstacle surrounds what moves, so that it would hide it.
  isEnclosed() {
    const [low, high] = this.data.box();
    return this.surfaces.obstacles.some(({ head, positions }) => {
      if (head.moves || head.role === "wall") return false;
      const [a, b] = boxOf(positions);
      const inside = a.map((value, axis) => Math.max(0, Math.min(b[axis], high[axis]) - Math.max(value, low[axis])));
      const all = low.map((value, axis) => high[axis] - value);
      return inside.every((length, axis) => length > 0.5 * all[axis]);
    });
  }

  show(frame) {
    this.frame = frame;
    this.charts.show(frame.number);
    if (!this.stage) return;
    this.surfaces.show(frame);
    this.bodies.show(frame);
    this.paintFrame();
    this.stage.changed();
  }

  get mode() {
    return this.modes?.find(({ key }) => key === byId("colour").value) ?? MODES[0];
  }

  // Colours the frame that is shown. Categories of surfaces stay from frame to frame.
  paintFrame() {
    const { mode, frame } = this;
    this.ranges ??= {};
    this.ranges[mode.key] ??= mode.category ? null : rangeOf(mode, this.data);
    const range = this.ranges[mode.key];
    if (!mode.category || this.painted !== mode.key) this.surfaces.colour(mode, range, frame);
    this.bodies.colour(mode, range, frame);
    this.painted = mode.key;
  }

  recolour() {
    if (!this.stage || !this.frame) return;
    this.painted = null;
    this.paintFrame();
    const { mode } = this;
    const names = mode.category ? [...this.surfaces.names(mode), ...this.bodies.names(mode, this.data)] : [];
    const known = new Map(names.map((entry) => [entry.name, entry]));
    showLegend(mode, this.ranges[mode.key], [...known.values()]);
    this.stage.changed();
  }

  setObstacles() {
    if (!this.stage) return;
    this.surfaces.setObstacles(byId("obstacles").value);
    this.stage.changed();
  }

  toggleEdges() {
    if (!this.stage) return;
    this.surfaces.setEdges(press("edges"));
    this.stage.changed();
  }

  toggleJoints() {
    if (!this.stage) return;
    this.bodies.setJoints(press("joints"));
    this.stage.changed();
  }

  toggleSide() {
    const isHidden = byId("app").classList.toggle("no-side");
    byId("side-toggle").setAttribute("aria-pressed", String(!isHidden));
  }

  // Stops and shows frame `number` of the run, or the nearest one of the page.
  goTo(number) {
    return this.playback.go(this.data.nearest(number));
  }

  cycle(id, count) {
    const choice = byId(id);
    choice.selectedIndex = (choice.selectedIndex + count + choice.length) % choice.length;
    choice.dispatchEvent(new Event("change"));
  }

  bindKeys() {
    const acts = {
      " ": () => this.playback.toggle(),
      ArrowLeft: ({ shiftKey }) => this.playback.step(shiftKey ? -10 : -1),
      ArrowRight: ({ shiftKey }) => this.playback.step(shiftKey ? 10 : 1),
      Home: () => this.playback.go(0),
      End: () => this.playback.go(this.playback.last),
      c: ({ shiftKey }) => this.cycle("colour", shiftKey ? -1 : 1),
      o: () => this.cycle("obstacles", 1),
      w: () => this.toggleEdges(),
      j: () => this.toggleJoints(),
      r: () => this.stage?.lookAtAll(),
      p: () => this.toggleSide(),
      h: () => byId("help-button").click(),
    };
    window.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("select")) return;
      const act = acts[event.key.length === 1 ? event.key.toLowerCase() : event.key];
      if (!act) return;
      event.preventDefault();
      act(event);
    });
  }

  // What a live run has new. If the last frame was shown, the new last one is.
  async onNews(count, trouble) {
    showPanel(trouble ? { ...this.data.run, warnings: [trouble, ...this.data.run.warnings] } : this.data.run);
    if (count === 0) return;
    const wasLast = this.playback.at === this.playback.last - count;
    this.playback.framesChanged();
    this.charts.set(this.data.run.charts);
    await this.unpackAll();
    if (wasLast && !this.playback.isPlaying) await this.playback.show(this.playback.last);
  }
}

// Presses or releases a button that stays pressed. Returns whether it is pressed now.
function press(id) {
  const isPressed = byId(id).getAttribute("aria-pressed") !== "true";
  byId(id).setAttribute("aria-pressed", String(isPressed));
  return isPressed;
}

// The box around two boxes.
function around([low, high], [a, b]) {
  return [low.map((value, axis) => Math.min(value, a[axis])), high.map((value, axis) => Math.max(value, b[axis]))];
}

// The longest side of a box.
function sizeOf([low, high]) {
  return Math.max(...low.map((value, axis) => high[axis] - value));
}

function boxOf(positions) {
  const [low, high] = [[Infinity, Infinity, Infinity], [-Infinity, -Infinity, -Infinity]];
  positions.forEach((value, i) => {
    low[i % 3] = Math.min(low[i % 3], value);
    high[i % 3] = Math.max(high[i % 3], value);
  });
  return [low, high];
}

// The largest distance of a vertex of a body from its centre, m.
function largestBody({ shapes, bodies }) {
  const reaches = shapes.map(({ positions }) => {
    let most = 0;
    for (let i = 0; i < positions.length; i += 3) {
      most = Math.max(most, Math.hypot(positions[i], positions[i + 1], positions[i + 2]));
    }
    return most;
  });
  let most = 0;
  for (let body = 0; body < bodies.count; body++) {
    const scale = Math.max(...bodies.scale.subarray(3 * body, 3 * body + 3));
    most = Math.max(most, scale * (reaches[bodies.shape[body]] ?? 0));
  }
  return most;
}

// Tests of the page and curious users find it here.
globalThis.page = new Page();
globalThis.page.open().catch((error) => {
  showMessage(`The page could not be shown.\n${error.message}`);
  throw error;
});

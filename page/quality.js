// Quality of pictures: while something moves on a slow machine, pictures are coarser.

// Shares of the pixels along each side, and whether there are shadows.
const LEVELS = [
  { share: 1, hasShadows: true },
  { share: 0.7, hasShadows: true },
  { share: 0.7, hasShadows: false },
  { share: 0.5, hasShadows: false },
  { share: 0.3, hasShadows: false },
];
const SLOW_MS = 80;
const REST_MS = 400;

// Whether the processor draws, because there is no graphics card.
function drawsInSoftware() {
  const gl = document.createElement("canvas").getContext("webgl2");
  const info = gl?.getExtension("WEBGL_debug_renderer_info");
  return Boolean(info) && /swiftshader|llvmpipe|software/i.test(gl.getParameter(info.UNMASKED_RENDERER_WEBGL));
}

class Quality {
  // In software, edges are smooth by two pixels for each of the screen, when nothing moves.
  constructor(stage, isSoftware) {
    Object.assign(this, { stage, level: isSoftware ? 3 : 0, slow: 0, last: 0 });
    this.full = isSoftware ? 2 : Math.min(window.devicePixelRatio, 2);
    this.set(LEVELS[this.level]);
  }

  // Called before each picture. Pictures that follow each other slowly lower the level.
  adapt() {
    const now = performance.now();
    const since = now - this.last;
    this.last = now;
    if (this.isResting) return;
    if (since < REST_MS) this.slow = since > SLOW_MS ? this.slow + 1 : 0;
    else if (since < 4 * REST_MS) this.slow += 1;
    if (this.slow > 2 && this.level < LEVELS.length - 1) {
      this.level += 1;
      this.slow = 0;
    }
    this.set(LEVELS[this.level]);
    if (this.level === 0) return;
    clearTimeout(this.rest);
    this.rest = setTimeout(() => this.drawInFull(), REST_MS);
  }

  // Nothing moves any more: one picture in full quality.
  drawInFull() {
    this.isResting = true;
    this.set(LEVELS[0]);
    this.stage.draw();
    this.isResting = false;
  }

  set(level) {
    if (this.now === level) return;
    this.now = level;
    const { renderer, key } = this.stage;
    renderer.setPixelRatio(this.full * level.share);
    if (!key) return;
    key.castShadow = level.hasShadows;
    renderer.shadowMap.needsUpdate = true;
  }
}

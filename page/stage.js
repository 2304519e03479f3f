// The stage: camera, lights, ground, and drawing when something has changed.

class Stage {
  constructor(canvas, up) {
    const L = libraries;
    this.canvas = canvas;
    const isSoftware = drawsInSoftware();
    this.renderer = new L.WebGLRenderer({ canvas, antialias: !isSoftware, alpha: true });
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = L.PCFShadowMap;
    // Shadows move with a frame, not with the camera.
    this.renderer.shadowMap.autoUpdate = false;
    this.quality = new Quality(this, isSoftware);
    this.scene = new L.Scene();
    this.camera = new L.PerspectiveCamera(35, 1, 0.01, 100);
    this.up = new L.Vector3(...up);
    this.camera.up.copy(this.up);
    this.controls = new L.OrbitControls(this.camera, canvas);
    this.controls.enableDamping = true;
    this.controls.dampingFactor = 0.12;
    this.controls.addEventListener("change", () => this.changed({ isCamera: true }));
    // The scene is built with y up and turned as a whole.
    this.turn = new L.Quaternion().setFromUnitVectors(new L.Vector3(0, 1, 0), this.up);
    this.sky = new L.HemisphereLight(0xf3f7ff, 0x77747a, 1.15);
    this.sky.position.copy(this.up);
    this.key = new L.DirectionalLight(0xfff2df, 2.5);
    this.fill = new L.DirectionalLight(0xd7e5ff, 0.55);
    this.scene.add(this.sky, this.key, this.key.target, this.fill, this.fill.target);
    this.isChanged = true;
    new ResizeObserver(() => this.resize()).observe(canvas.parentElement);
    const draw = () => {
      requestAnimationFrame(draw);
      this.controls.update();
      if (this.isChanged) this.draw();
    };
    requestAnimationFrame(draw);
  }

  // Asks for a new picture. Unless only the camera has moved, shadows have changed too.
  changed({ isCamera = false } = {}) {
    this.isChanged = true;
    if (!isCamera) this.renderer.shadowMap.needsUpdate = true;
  }

  draw() {
    this.isChanged = false;
    this.quality.adapt();
    this.renderer.render(this.scene, this.camera);
  }

  resize() {
    const { clientWidth: width, clientHeight: height } = this.canvas.parentElement;
    if (width === 0 || height === 0) return;
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    if (!this.isMoved) this.lookAtAll();
    this.changed();
  }

  // Sets lights, ground and camera for the box from `low` to `high` (m).
  setBox(low, high) {
    const L = libraries;
    const [a, b] = [new L.Vector3(...low), new L.Vector3(...high)];
    this.centre = a.clone().add(b).multiplyScalar(0.5);
    this.half = b.clone().sub(a).multiplyScalar(0.5);
    this.radius = Math.max(this.half.length(), 1e-3);
    const side = (x, y, z) => new L.Vector3(x, y, z).applyQuaternion(this.turn);
    const reach = 1.25 * this.radius;
    this.key.position.copy(this.centre).addScaledVector(side(-0.6, 1.15, 0.75), 2 * reach);
    this.key.target.position.copy(this.centre);
    this.key.castShadow = true;
    this.key.shadow.mapSize.set(2048, 2048);
    Object.assign(this.key.shadow.camera, {
      left: -reach, right: reach, top: reach, bottom: -reach, near: 0.2 * reach, far: 6 * reach,
    });
    this.key.shadow.bias = -0.0008;
    this.key.shadow.normalBias = 0.004 * reach;
    this.key.shadow.radius = 3;
    this.fill.position.copy(this.centre).addScaledVector(side(1, 0.3, -0.5), 2 * reach);
    this.fill.target.position.copy(this.centre);
    this.camera.near = this.radius / 200;
    this.camera.far = this.radius * 60;
    this.lookAtAll();
    this.controls.addEventListener("start", () => (this.isMoved = true));
  }

  // Looks at the whole box from the front, from the right and a little from above.
  lookAtAll() {
    if (!this.centre) return;
    const L = libraries;
    const from = new L.Vector3(0.5, 0.42, 1).normalize().applyQuaternion(this.turn);
    this.controls.target.copy(this.centre);
    this.camera.position.copy(this.centre).add(from);
    this.camera.lookAt(this.centre);
    this.camera.updateMatrixWorld();
    // The distance at which the nearest corner of the box touches the border of the picture.
    const slope = Math.tan((this.camera.fov * Math.PI) / 360);
    const turned = new L.Vector3();
    let distance = 0;
    for (let corner = 0; corner < 8; corner++) {
      const sign = (bit) => (corner & bit ? 1 : -1);
      turned.set(sign(1) * this.half.x, sign(2) * this.half.y, sign(4) * this.half.z);
      turned.applyQuaternion(this.camera.quaternion.clone().invert());
      const across = Math.max(Math.abs(turned.y), Math.abs(turned.x) / this.camera.aspect) / slope;
      distance = Math.max(distance, across + turned.z);
    }
    this.camera.position.copy(this.centre).addScaledVector(from, 1.03 * distance);
    this.camera.updateProjectionMatrix();
    this.controls.update();
    this.isMoved = false;
    this.changed();
  }

  // A grid that fades out, with the shadow of the scene: at `level` (m) along the axis that points
  // up, by default just below the box.
  addGround(level = this.centre.dot(this.up) - Math.abs(this.half.dot(this.up)) - 0.004 * this.radius) {
    const L = libraries;
    const ground = new L.Group();
    const cell = roundLength(this.radius / 5);
    const reach = 4 * this.radius;
    const lines = Math.ceil(reach / cell);
    // Lines fade from part to part.
    const parts = 12;
    const dark = window.matchMedia("(prefers-color-scheme: dark)").matches;
    const shade = dark ? 0.55 : 0.3;
    const [places, colours] = [[], []];
    const add = (x, z, weight) => {
      const fade = Math.max(0, 1 - Math.hypot(x, z) / reach) ** 1.5;
      places.push(x, 0, z);
      colours.push(shade, shade, shade, weight * fade);
    };
    for (let line = -lines; line <= lines; line++) {
      const weight = line % 5 === 0 ? 0.42 : 0.16;
      for (let part = 0; part < 2 * parts; part++) {
        const [a, b] = [part, part + 1].map((end) => (end / parts - 1) * reach);
        for (const end of [a, b]) add(line * cell, end, weight);
        for (const end of [a, b]) add(end, line * cell, weight);
      }
    }
    const geometry = new L.BufferGeometry();
    geometry.setAttribute("position", new L.BufferAttribute(new Float32Array(places), 3));
    geometry.setAttribute("color", new L.BufferAttribute(new Float32Array(colours), 4));
    const material = new L.LineBasicMaterial({ vertexColors: true, transparent: true, depthWrite: false });
    const shadow = new L.Mesh(
      new L.PlaneGeometry(4 * this.radius, 4 * this.radius).rotateX(-Math.PI / 2),
      new L.ShadowMaterial({ opacity: dark ? 0.45 : 0.22, depthWrite: false }),
    );
    shadow.receiveShadow = true;
    shadow.renderOrder = -1;
    ground.add(new L.LineSegments(geometry, material), shadow);
    ground.quaternion.copy(this.turn);
    ground.position.copy(this.centre).addScaledVector(this.up, level - this.centre.dot(this.up));
    this.scene.add(ground);
  }
}

// The nearest of 1, 2 or 5 times a power of ten below `length`.
function roundLength(length) {
  const power = 10 ** Math.floor(Math.log10(length));
  return power * [5, 2, 1].find((factor) => factor * power <= length);
}

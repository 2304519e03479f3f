// Rigid bodies as instances of their shapes, and joints.

const ABSENT = 65535;

class Bodies {
  constructor(still, stage) {
    const L = libraries;
    const { bodies, shapes, joints } = still;
    Object.assign(this, { stage, joints, count: bodies.count, groups: bodies.groups, head: bodies });
    this.centres = new Float32Array(3 * this.count);
    this.turns = new Float32Array(4 * this.count);
    this.isHere = new Uint8Array(this.count);
    // The bodies of each shape.
    this.meshes = shapes.map((shape, number) => {
      const own = [];
      for (let body = 0; body < this.count; body++) if (bodies.shape[body] === number) own.push(body);
      const material = new L.MeshLambertMaterial();
      const mesh = new L.InstancedMesh(this.geometry(shape, own.length), material, own.length);
      mesh.castShadow = mesh.receiveShadow = own.length < 20000;
      mesh.frustumCulled = false;
      // Nothing is seen before the first frame.
      mesh.instanceMatrix.array.fill(0);
      for (let i = 0; i < own.length; i++) mesh.setColorAt(i, new L.Color(1, 1, 1));
      stage.scene.add(mesh);
      return { mesh, own };
    });
    if (joints.length > 0) this.addJoints();
  }

  // Balls of many are coarser.
  geometry(shape, count) {
    const L = libraries;
    if (shape.is_ball) {
      const detail = count < 300 ? 6 : count < 2000 ? 3 : count < 20000 ? 1 : 0;
      const ball = new L.IcosahedronGeometry(1, detail);
      ball.deleteAttribute("uv");
      ball.deleteAttribute("normal");
      // Faces share their corners: fewer vertices to draw.
      const shared = L.mergeVertices(ball);
      shared.setAttribute("normal", shared.attributes.position.clone());
      return shared;
    }
    const geometry = new L.BufferGeometry();
    geometry.setAttribute("position", new L.BufferAttribute(shape.positions, 3));
    geometry.setIndex(new L.BufferAttribute(shape.faces, 1));
    return L.toCreasedNormals(geometry, 0.5);
  }

  // Moves all bodies to where they are in `frame`.
  show({ bounds, values }) {
    if (this.count === 0) return;
    const L = libraries;
    const homes = values.worker ?? values.body_rank;
    for (let body = 0; body < this.count; body++) {
      for (let axis = 0; axis < 3; axis++) {
        this.centres[3 * body + axis] = coordinate(bounds, values.centres, axis, this.count, body);
      }
      for (let i = 0; i < 4; i++) {
        this.turns[4 * body + i] = values.turns[i * this.count + body] / 32767.5 - 1;
      }
      this.isHere[body] = !homes || homes[body] !== ABSENT ? 1 : 0;
    }
    const [matrix, place, size, turn] = [new L.Matrix4(), new L.Vector3(), new L.Vector3(), new L.Quaternion()];
    for (const { mesh, own } of this.meshes) {
      own.forEach((body, i) => {
        place.fromArray(this.centres, 3 * body);
        turn.fromArray(this.turns, 4 * body).normalize();
        size.fromArray(this.head.scale, 3 * body).multiplyScalar(this.isHere[body]);
        mesh.setMatrixAt(i, matrix.compose(place, turn, size));
      });
      mesh.instanceMatrix.needsUpdate = true;
    }
    if (this.joints.length > 0) this.showJoints();
  }

  // Colours the bodies of `frame`.
  colour(mode, range, frame) {
    if (this.count === 0) return;
    const L = libraries;
    const values = frame.values[mode.body];
    const colours = new Float32Array(3 * this.count).fill(0.6);
    if (mode.key === "fabric") {
      for (let body = 0; body < this.count; body++) {
        categoryColour(this.head.group[body] + this.offset).toArray(colours, 3 * body);
      }
    } else if (values && mode.category) {
      for (let body = 0; body < this.count; body++) categoryColour(values[body]).toArray(colours, 3 * body);
    } else if (values) {
      paint(colours, mode, range, values, frame.ranges[mode.body]);
    }
    const colour = new L.Color();
    for (const { mesh, own } of this.meshes) {
      own.forEach((body, i) => mesh.setColorAt(i, colour.fromArray(colours, 3 * body)));
      mesh.instanceColor.needsUpdate = true;
    }
  }

  // Names and colours of the categories of `mode`. Groups without a body are left out.
  names(mode, data) {
    if (mode.key === "fabric") {
      const used = new Set(this.head.group);
      const named = this.groups.map((name, i) => ({ name, i })).filter(({ i }) => used.has(i));
      return named.map(({ name, i }) => ({ name, colour: categoryColour(i + this.offset).getStyle() }));
    }
    const numbers = new Set();
    for (const { values } of data.frames) for (const home of values?.[mode.body] ?? []) numbers.add(home);
    numbers.delete(ABSENT);
    const sorted = [...numbers].sort((a, b) => a - b);
    return sorted.map((number) => ({ name: String(number), colour: categoryColour(number).getStyle() }));
  }

  addJoints() {
    const L = libraries;
    this.ends = new Float32Array(6 * this.joints.length);
    const geometry = new L.BufferGeometry();
    geometry.setAttribute("position", new L.BufferAttribute(this.ends, 3).setUsage(L.DynamicDrawUsage));
    const look = { color: "#ffd24a", depthTest: false, transparent: true, opacity: 0.9 };
    const points = new L.Points(geometry, new L.PointsMaterial({ ...look, size: 4, sizeAttenuation: false }));
    const lines = new L.LineSegments(geometry, new L.LineBasicMaterial(look));
    for (const object of [points, lines]) {
      object.frustumCulled = false;
      object.renderOrder = 2;
      this.stage.scene.add(object);
    }
    this.jointObjects = [points, lines];
    this.setJoints(false);
  }

  setJoints(isShown) {
    for (const object of this.jointObjects ?? []) object.visible = isShown;
  }

  // Joints lie where their points on the bodies are. One without its body is not seen.
  showJoints() {
    const L = libraries;
    const [point, turn, centre] = [new L.Vector3(), new L.Quaternion(), new L.Vector3()];
    const inSpace = (body, own) => {
      if (own === null || (body !== null && !this.isHere[body])) return null;
      point.fromArray(own);
      if (body === null) return point;
      turn.fromArray(this.turns, 4 * body).normalize();
      return point.applyQuaternion(turn).add(centre.fromArray(this.centres, 3 * body));
    };
    this.joints.forEach(({ bodies, points }, joint) => {
      const first = inSpace(bodies[0], points[0]);
      if (first) first.toArray(this.ends, 6 * joint);
      else this.ends.fill(NaN, 6 * joint, 6 * joint + 3);
      const second = first && inSpace(bodies[1], points[1]);
      if (second) second.toArray(this.ends, 6 * joint + 3);
      else this.ends.copyWithin(6 * joint + 3, 6 * joint, 6 * joint + 3);
    });
    this.jointObjects[0].geometry.attributes.position.needsUpdate = true;
  }
}

// Cloths and obstacles: triangles whose vertices are in the frames, or stand still.

const OBSTACLE_COLOUR = "#aab2bc";

class Surfaces {
  constructor(still, stage) {
    this.still = still;
    this.stage = stage;
    this.fabrics = [...new Set(still.objects.map(({ fabric }) => fabric).filter((it) => it !== undefined))];
    this.objects = [];
    let [face, moving, fixed] = [0, 0, 0];
    for (const head of still.objects) {
      const faces = still.surfaces.faces.slice(face, face + 3 * head.faces);
      face += 3 * head.faces;
      const object = { head, faces, first: head.moves ? moving : fixed };
      if (head.moves) moving += head.vertices;
      else fixed += head.vertices;
      this.objects.push(object);
    }
    // Positions of a frame have all moving vertices.
    this.moving = moving;
    for (const object of this.objects) this.build(object);
  }

  get cloths() {
    return this.objects.filter(({ head }) => head.role === "cloth");
  }

  get obstacles() {
    return this.objects.filter(({ head }) => head.role !== "cloth");
  }

  build(object) {
    const L = libraries;
    const { head, faces, first } = object;
    const isCloth = head.role === "cloth";
    let geometry = new L.BufferGeometry();
    object.positions = head.moves
      ? new Float32Array(3 * head.vertices)
      : this.still.surfaces.fixed.slice(3 * first, 3 * (first + head.vertices));
    const positions = new L.BufferAttribute(object.positions, 3);
    geometry.setAttribute("position", positions);
    geometry.setIndex(new L.BufferAttribute(head.vertices < 65536 ? Uint16Array.from(faces) : faces, 1));
    if (head.moves) {
      positions.setUsage(L.DynamicDrawUsage);
      // Without normals at the first drawing, three.js shades each face alone, and keeps to that.
      geometry.computeVertexNormals();
    } else geometry = L.toCreasedNormals(geometry, 0.6);
    const material = new L.MeshLambertMaterial({
      color: isCloth ? 0xffffff : OBSTACLE_COLOUR,
      side: head.role === "wall" ? L.FrontSide : L.DoubleSide,
      vertexColors: isCloth,
      // Few faces that move are those of a box, which has edges.
      flatShading: head.moves && !isCloth && head.faces < 100,
    });
    if (isCloth) {
      const colours = new L.BufferAttribute(new Float32Array(3 * head.vertices).fill(1), 3);
      geometry.setAttribute("color", colours.setUsage(L.DynamicDrawUsage));
      material.onBeforeCompile = darkenBacks;
    }
    object.mesh = new L.Mesh(geometry, material);
    object.mesh.castShadow = head.role !== "wall";
    object.mesh.receiveShadow = true;
    object.mesh.frustumCulled = false;
    this.stage.scene.add(object.mesh);
  }

  // Moves all vertices to where they are in `frame`.
  show({ bounds, values }) {
    for (const { head, first, positions, mesh } of this.objects) {
      if (!head.moves) continue;
      for (let axis = 0; axis < 3; axis++) {
        const scale = (bounds.high[axis] - bounds.low[axis]) / 65535;
        const from = axis * this.moving + first;
        for (let i = 0; i < head.vertices; i++) {
          positions[3 * i + axis] = bounds.low[axis] + scale * values.positions[from + i];
        }
      }
      mesh.geometry.attributes.position.needsUpdate = true;
      mesh.geometry.computeVertexNormals();
    }
  }

  // Colours the cloths of `frame`.
  colour(mode, range, frame) {
    const still = this.still.surfaces[mode.cloth];
    const values = still ?? frame.values[mode.cloth];
    for (const { head, first, mesh } of this.cloths) {
      const colours = mesh.geometry.attributes.color;
      if (mode.key === "fabric" || !values) {
        const number = this.fabrics.indexOf(head.fabric);
        const colour = mode.key === "fabric" ? categoryColour(number) : new libraries.Color("#c9ced6");
        for (let i = 0; i < head.vertices; i++) colour.toArray(colours.array, 3 * i);
      } else if (mode.category) {
        const pick = mode.key === "patch" ? patchColour : categoryColour;
        const known = [];
        for (let i = 0; i < head.vertices; i++) {
          const number = values[first + i];
          known[number] ??= pick(number);
          known[number].toArray(colours.array, 3 * i);
        }
      } else {
        paint(colours.array, mode, range, values.subarray(first, first + head.vertices), (still ? this.still : frame).ranges[mode.cloth]);
      }
      colours.needsUpdate = true;
    }
  }

  // Names and colours of the categories of `mode`.
  names(mode) {
    if (mode.key === "fabric") {
      return this.fabrics.map((name, i) => ({ name, colour: categoryColour(i).getStyle() }));
    }
    const values = this.still.surfaces[mode.cloth];
    if (mode.key === "patch" || !values) return [];
    const ranks = [...new Set(values)].sort((a, b) => a - b);
    return ranks.map((rank) => ({ name: String(rank), colour: categoryColour(rank).getStyle() }));
  }

  // Takes an object out of the scene.
  remove(object) {
    this.objects = this.objects.filter((it) => it !== object);
    this.stage.scene.remove(object.mesh);
  }

  setObstacles(look) {
    for (const { head, mesh } of this.obstacles) {
      mesh.visible = look !== "hidden";
      mesh.material.transparent = look === "glass";
      mesh.material.opacity = look === "glass" ? 0.22 : 1;
      mesh.material.depthWrite = look !== "glass";
      mesh.material.needsUpdate = true;
      mesh.castShadow = look === "solid" && head.role !== "wall";
    }
  }

  setEdges(isShown) {
    const L = libraries;
    for (const object of this.objects) {
      if (isShown && !object.edges) {
        const material = new L.MeshBasicMaterial({ color: 0, wireframe: true, transparent: true, opacity: 0.28 });
        object.edges = new L.Mesh(object.mesh.geometry, material);
        object.edges.frustumCulled = false;
        object.mesh.add(object.edges);
      }
      if (object.edges) object.edges.visible = isShown;
    }
  }
}

// The back of cloth is a little darker, so that both sides can be told apart.
function darkenBacks(shader) {
  shader.fragmentShader = shader.fragmentShader.replace(
    "#include <color_fragment>",
    "#include <color_fragment>\nif (!gl_FrontFacing) diffuseColor.rgb *= 0.78;",
  );
}

// Writes colours for `values`, shares of `own`, on the scale of `mode` over `range`.
function paint(colours, mode, range, values, own) {
  mode.table ??= table(mode.scale);
  const step = (own[1] - own[0]) / 255;
  for (let i = 0; i < values.length; i++) {
    const share = (own[0] + values[i] * step - range[0]) / (range[1] - range[0]);
    const place = 3 * Math.round(255 * Math.min(Math.max(share, 0), 1));
    colours[3 * i] = mode.table[place];
    colours[3 * i + 1] = mode.table[place + 1];
    colours[3 * i + 2] = mode.table[place + 2];
  }
}

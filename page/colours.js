// Colours: which values they show, their scales and their legends.

const PALETTE = [
  "#5b8fd6", "#e08a54", "#4fae8a", "#bd6aa5", "#d9b04a", "#5bb6c2", "#957bd3", "#cf6660",
  "#7c9a3e", "#9a7b5f",
];
// Viridis (van der Walt & Smith 2015), a diverging scale (Moreland 2009), and a scale for gaps.
const VIRIDIS = ["#440154", "#472d7b", "#3b528b", "#2c728e", "#21918c", "#28ae80", "#5ec962", "#addc30", "#fde725"];
const DIVERGING = ["#3b4cc0", "#6f92f3", "#aac7fd", "#dddddd", "#f7b89c", "#e7745b", "#b40426"];
const NEARNESS = ["#d7301f", "#fc8d59", "#fdcc8a", "#e8e2d4", "#d5d9de", "#d5d9de"];

// Ways to colour. `cloth` and `body` name the arrays that they need.
const MODES = [
  { key: "fabric", label: "Fabric and group", category: true },
  { key: "rank", label: "Rank", cloth: "rank", body: "body_rank", category: true },
  { key: "worker", label: "Worker", body: "worker", category: true },
  { key: "patch", label: "Patch", cloth: "patch", category: true },
  { key: "strain", label: "Strain", cloth: "strain", scale: DIVERGING, factor: 100, unit: "%", symmetric: true },
  { key: "gap", label: "Contact (gap)", cloth: "gap", scale: NEARNESS, factor: 1000, unit: "mm", whole: true },
  { key: "force", label: "Contact (force)", body: "force", scale: VIRIDIS, factor: 1, unit: "N", fromZero: true },
  { key: "speed", label: "Speed", cloth: "speed", body: "body_speed", scale: VIRIDIS, factor: 1, unit: "m/s", fromZero: true },
  ...["density", "stiffness", "bending", "friction", "thickness"].map((cloth) => ({
    key: cloth, label: `Map of ${cloth}`, cloth, scale: VIRIDIS, factor: 1, unit: "times",
  })),
];

// The modes for which `data` has values.
function modesOf(data) {
  const { surfaces } = data.run.still;
  const has = (name) => name && (surfaces[name]?.length > 0 || data.has(name));
  return MODES.filter(({ key, cloth, body }) => key === "fabric" || has(cloth) || has(body));
}

function categoryColour(number) {
  if (number < PALETTE.length) return new libraries.Color(PALETTE[number]);
  // Further ones: hues that are far from each other.
  return new libraries.Color().setHSL((number * 0.618034) % 1, 0.5, 0.55);
}

// Patches are many and have no names, so neighbours only have to differ.
function patchColour(number) {
  return new libraries.Color().setHSL((number * 0.618034) % 1, 0.45, 0.5 + 0.12 * (number % 3));
}

// 256 colours between `stops`, in the linear space of the renderer, as red, green, blue.
function table(stops) {
  const colours = stops.map((stop) => new libraries.Color(stop));
  const values = new Float32Array(3 * 256);
  const mixed = new libraries.Color();
  for (let i = 0; i < 256; i++) {
    const place = (i / 255) * (colours.length - 1);
    const below = Math.min(Math.floor(place), colours.length - 2);
    mixed.lerpColors(colours[below], colours[below + 1], place - below).toArray(values, 3 * i);
  }
  return values;
}

// The range of values that a mode shows: all but the largest half percent of what `data` has.
function rangeOf(mode, data) {
  const own = data.run.still.ranges[mode.cloth];
  if (own) return own;
  const names = [mode.cloth, mode.body].filter(Boolean);
  const frames = data.frames.filter(({ values }) => values);
  const blocks = frames.flatMap((frame) => names
    .filter((name) => frame.values[name]?.length)
    .map((name) => ({ values: frame.values[name], range: frame.ranges[name] })));
  if (mode.whole) return blocks[0]?.range ?? [0, 1];
  let most = 0;
  for (const { range } of blocks) most = Math.max(most, Math.abs(range[0]), Math.abs(range[1]));
  if (most === 0) return mode.symmetric ? [-1e-3, 1e-3] : [0, 1e-3];
  const counts = new Float64Array(1024);
  let all = 0;
  for (const { values, range } of blocks) {
    const step = (range[1] - range[0]) / 255;
    for (const value of values) {
      counts[Math.floor((Math.abs(range[0] + value * step) / most) * 1023)] += 1;
    }
    all += values.length;
  }
  let [bin, rest] = [1023, 0.005 * all];
  while (bin > 1 && (rest -= counts[bin]) > 0) bin -= 1;
  const end = ((bin + 1) / 1024) * most;
  return mode.symmetric ? [-end, end] : [0, end];
}

// Shows what the colours of `mode` mean. `names` are those of its categories.
function showLegend(mode, range, names) {
  const legend = document.getElementById("legend");
  legend.replaceChildren();
  const add = (parent, tag, text = "") => {
    const element = parent.appendChild(document.createElement(tag));
    element.textContent = text;
    return element;
  };
  add(legend, "b", mode.unit ? `${mode.label}, ${mode.unit}` : mode.label);
  if (mode.category) {
    const list = add(legend, "div");
    list.className = "names";
    for (const { name, colour } of names.slice(0, 12)) {
      const entry = add(list, "span");
      const swatch = add(entry, "span");
      swatch.className = "swatch";
      swatch.style.background = colour;
      entry.append(name);
    }
    if (names.length > 12) add(list, "span", `and ${names.length - 12} more`);
    legend.hidden = names.length === 0;
    return;
  }
  legend.hidden = false;
  const bar = add(legend, "canvas");
  bar.width = 256;
  bar.height = 1;
  const context = bar.getContext("2d");
  const colours = table(mode.scale);
  const colour = new libraries.Color();
  for (let i = 0; i < 256; i++) {
    context.fillStyle = colour.fromArray(colours, 3 * i).getStyle();
    context.fillRect(i, 0, 1, 1);
  }
  const ends = add(legend, "div");
  ends.className = "ends";
  const middle = (range[0] + range[1]) / 2;
  for (const value of [range[0], middle, range[1]]) add(ends, "span", short(mode.factor * value));
}

// A number with three significant digits.
function short(value) {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  if (value !== 0 && (Math.abs(value) < 1e-3 || Math.abs(value) >= 1e6)) return value.toExponential(1);
  return String(Number(value.toPrecision(3)));
}

// Charts of the run beside the scene. They share the frame that is shown, and a click goes to one.

const HEIGHT = 118;

class Charts {
  constructor(parent, { frames, charts, maps }, goTo) {
    Object.assign(this, { parent, goTo, number: frames[0] ?? 0, drawn: [] });
    this.set({ frames, charts, maps });
    new ResizeObserver(() => this.resize()).observe(parent);
  }

  // Shows other charts of the same run.
  set({ frames, charts, maps }) {
    this.frames = frames;
    this.drawn.forEach((chart) => chart.remove());
    const [first, ...others] = charts.map((chart) => () => new LineChart(this, chart));
    const all = maps.map((map) => () => new MapChart(this, map));
    // The map stands below the times of the phases.
    this.drawn = frames.length > 0 ? [first, ...all, ...others].map((make) => make()) : [];
    this.resize();
  }

  get width() {
    return Math.max(this.parent.clientWidth, 200);
  }

  resize() {
    if (this.parent.clientWidth === 0) return;
    this.drawn.forEach((chart) => chart.resize());
    this.show(this.number);
  }

  // Marks frame `number`.
  show(number) {
    this.number = number;
    this.drawn.forEach((chart) => chart.show());
  }

  // The place of the shown frame in the lists of values; -1 without one.
  get place() {
    return this.frames.indexOf(this.number);
  }
}

function chartBox(parent, title, unit) {
  const box = parent.appendChild(document.createElement("div"));
  box.className = "chart";
  const heading = box.appendChild(document.createElement("h2"));
  heading.textContent = `${title} `;
  heading.appendChild(document.createElement("span")).textContent = unit;
  return box;
}

class LineChart {
  constructor(charts, { title, unit, stacked, curves }) {
    Object.assign(this, { charts, curves });
    this.box = chartBox(charts.parent, title, unit);
    this.values = this.box.appendChild(document.createElement("div"));
    this.values.className = "names";
    this.cells = curves.map(({ label, color }) => {
      const entry = this.values.appendChild(document.createElement("span"));
      const swatch = entry.appendChild(document.createElement("span"));
      swatch.className = "swatch";
      swatch.style.background = color;
      entry.append(`${label} `);
      return entry.appendChild(document.createElement("b"));
    });
    this.make(stacked);
  }

  make(stacked) {
    const style = getComputedStyle(document.documentElement);
    const [text, line] = ["--faint", "--line"].map((name) => style.getPropertyValue(name));
    const sums = stacked ? stack(this.curves) : this.curves.map(({ values }) => values);
    const axis = { stroke: text, grid: { stroke: line, width: 1 }, ticks: { stroke: line, size: 4 }, font: "11px system-ui" };
    const series = this.curves.map(({ label, color }) => ({
      label, stroke: color, width: stacked ? 0.5 : 1.5, fill: stacked ? color : undefined,
      points: { show: this.charts.frames.length < 3 },
    }));
    if (stacked) {
      // The last sum is the highest: it is drawn first, and the others over it.
      sums.reverse();
      series.reverse();
    }
    const options = {
      width: this.charts.width, height: HEIGHT, padding: [8, 10, 0, 0],
      legend: { show: false },
      scales: { x: { time: false } },
      axes: [{ ...axis, size: 24 }, { ...axis, size: 46, values: (_, ticks) => ticks.map(short) }],
      // At an edge uPlot takes a click for the end of a drag, and would swallow it.
      cursor: { y: false, drag: { setScale: false, x: false, y: false, click() {} }, sync: { key: "frames" }, points: { size: 5 } },
      series: [{}, ...series],
      hooks: { draw: [(plot) => this.mark(plot)] },
    };
    this.plot = new libraries.uPlot(options, [this.charts.frames, ...sums], this.box);
    this.plot.over.addEventListener("click", (event) => {
      const { left } = this.plot.over.getBoundingClientRect();
      this.charts.goTo(this.charts.frames[this.plot.posToIdx(event.clientX - left)]);
    });
  }

  // A line at the frame that is shown.
  mark(plot) {
    const { ctx, bbox } = plot;
    const x = plot.valToPos(this.charts.number, "x", true);
    if (!(x >= bbox.left - 1 && x <= bbox.left + bbox.width + 1)) return;
    ctx.save();
    ctx.strokeStyle = getComputedStyle(document.documentElement).getPropertyValue("--text");
    ctx.lineWidth = devicePixelRatio;
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    ctx.restore();
  }

  show() {
    const { place } = this.charts;
    this.cells.forEach((cell, i) => (cell.textContent = place < 0 ? "" : short(this.curves[i].values[place])));
    this.plot.redraw(false, false);
  }

  resize() {
    this.plot.setSize({ width: this.charts.width, height: HEIGHT });
  }

  remove() {
    this.plot.destroy();
    this.box.remove();
  }
}

// Running sums over the curves.
function stack(curves) {
  const sum = new Array(curves[0]?.values.length ?? 0).fill(0);
  return curves.map(({ values }) => values.map((value, i) => (sum[i] += value ?? 0)));
}

// A heat map: a row for each processor or worker, a cell for each frame.
class MapChart {
  constructor(charts, { title, rows, values }) {
    Object.assign(this, { charts, rows, values, colours: table(VIRIDIS) });
    this.box = chartBox(charts.parent, title, "");
    this.text = this.box.appendChild(document.createElement("div"));
    this.text.className = "names";
    this.canvas = this.box.appendChild(document.createElement("canvas"));
    this.canvas.className = "map";
    this.canvas.addEventListener("click", (event) => {
      const share = (event.offsetX - this.left) / (this.canvas.clientWidth - this.left);
      const place = Math.floor(share * charts.frames.length);
      const number = charts.frames[Math.min(Math.max(place, 0), charts.frames.length - 1)];
      charts.goTo(number);
    });
  }

  get left() {
    return 46;
  }

  get rowHeight() {
    return Math.max(3, Math.min(18, 200 / this.rows.length));
  }

  resize() {
    const height = this.rows.length * this.rowHeight;
    this.canvas.style.height = `${height}px`;
    this.canvas.width = this.charts.width * devicePixelRatio;
    this.canvas.height = height * devicePixelRatio;
  }

  show() {
    const context = this.canvas.getContext("2d");
    const style = getComputedStyle(document.documentElement);
    const { place, width, frames } = this.charts;
    context.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
    context.clearRect(0, 0, width, this.canvas.height);
    const cell = (width - this.left) / frames.length;
    const colour = new libraries.Color();
    this.values.forEach((row, number) => {
      row.forEach((value, frame) => {
        context.fillStyle = value === null
          ? style.getPropertyValue("--line")
          : colour.fromArray(this.colours, 3 * Math.round(255 * Math.min(Math.max(value, 0), 1))).getStyle();
        context.fillRect(this.left + frame * cell, number * this.rowHeight, cell + 0.5, this.rowHeight);
      });
    });
    this.label(context, style);
    if (place >= 0) {
      context.strokeStyle = style.getPropertyValue("--text");
      context.strokeRect(this.left + place * cell, 0.5, cell, this.rows.length * this.rowHeight - 1);
    }
    const known = this.values.map((row) => row[place]).filter((value) => value !== null && value !== undefined);
    const mean = known.reduce((sum, value) => sum + value, 0) / known.length;
    this.text.textContent = known.length > 0 ? `mean at this frame ${short(100 * mean)} %` : "none at this frame";
  }

  label(context, style) {
    context.fillStyle = style.getPropertyValue("--faint");
    context.font = "11px system-ui";
    context.textAlign = "right";
    context.textBaseline = "middle";
    // Names that would touch each other are left out.
    const every = Math.ceil(12 / this.rowHeight);
    this.rows.forEach((name, i) => {
      if (i % every === 0) context.fillText(name, this.left - 6, (i + 0.5) * this.rowHeight);
    });
  }

  remove() {
    this.box.remove();
  }
}

/**
 * The painter of all pictures, on the page and in reports: axes, bands, lines, steps, points and bars as SVG.
 *
 * A picture is data: `{label?, x, y, series, lines?}`. An axis is `{label, log?, range?, ticks?, format?}`: `log` may be
 * "auto", a tick is a value or `[value, text]`, and `format` a function or "percent". A series is `{label, look, kind,
 * mark?, points}`, a point `{x, y, low?, high?, title?, text?, mark?}`. Intervals are bands of lines and steps, and bars of
 * points and of what is alone. An end that is null or infinite lies on the frame; so does a mark whose y is infinite.
 *
 * Colours are custom properties of the style sheet, so a change of theme needs no drawing. Nothing zooms, so that a finger
 * scrolls the page. Arrow keys go from point to point. The numbers must also stand beside a picture, as text or as a table.
 */

import { el, percent, shown, table } from "./dom.js";

export const SERIES = 6;
/** As many curves as colours and dashes tell apart. */
export const MOST_CURVES = 4 * SERIES;
const DASHES = { solid: null, dash: "8 4", dot: "2 4", dashdot: "9 4 2 4" };
const SHAPES = {
  dot: "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z", square: "M-3.5-3.5h7v7h-7z", diamond: "M0-5L5 0L0 5L-5 0z", triangle: "M0-5L5 4H-5z",
  ring: "M-5 0a5 5 0 1 0 10 0a5 5 0 1 0-10 0z", cross: "M-5-5L5 5M-5 5L5-5",
};
const REACH = 40; // pixels from which the pointer chooses a point

/** A look by its number, or one of its own, `{name, dash?, width?, mark?}`, whose name is that of the colour. */
function lookOf(look) {
  if (typeof look === "object") return { dash: "solid", width: 2, mark: "dot", ...look };
  return { name: `series-${1 + (look % SERIES)}`, width: 2, dash: Object.keys(DASHES)[Math.floor(look / SERIES) % 4],
    mark: ["dot", "square", "diamond", "triangle"][look % 4] };
}

function svg(tag, attributes = {}, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) if (value !== null) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

const stroked = ({ name, dash, width }) =>
  ({ fill: "none", stroke: `var(--${name})`, "stroke-width": width, "stroke-dasharray": DASHES[dash] });

const filled = (look) => ({ ...stroked({ ...look, width: 1 }), fill: `var(--${look.name})`, "fill-opacity": look.dash === "solid" ? 0.8 : 0.3 });

function marked(shape, { name }, x, y) {
  const colour = `var(--${name})`;
  return svg("path", { class: "mark", d: SHAPES[shape], transform: `translate(${x} ${y})`, stroke: colour, "stroke-width": 1.5,
    fill: shape === "ring" || shape === "cross" ? "none" : colour });
}

/** An entry of a legend, which looks like its series. */
export function legendEntry({ label, look, kind = "line", mark }) {
  const own = lookOf(look);
  const swatch = svg("svg", { class: "swatch", width: 34, height: 14, "aria-hidden": "true" });
  if (kind === "bars") swatch.append(svg("path", { d: "M11 1h12v12h-12z", ...filled(own) }));
  else if (kind !== "points") swatch.append(svg("path", { d: "M0 7H34", ...stroked(own) }));
  if (kind === "points" || mark) swatch.append(marked(SHAPES[mark] ? mark : own.mark, own, 17, 7));
  return el("li", {}, swatch, el("span", { className: "mono" }, label));
}

const written = ({ ticks = [], format }, value) => {
  const named = ticks.find((tick) => Array.isArray(tick) && tick[0] === value);
  if (named) return named[1];
  return format === "percent" ? percent(value) : (format ?? shown)(value);
};

/** The figures of a picture as a table. */
export function pictureTable({ x, y, series }, caption) {
  const ends = series.some(({ points }) => points.some(({ low }) => low !== undefined));
  const columns = ["curve", x.label, y.label, ...(ends ? ["interval"] : [])];
  const rows = series.flatMap(({ label, points }) => points.filter((point) => (point.y ?? point.low) !== undefined)
    .map((point) => [label, written(x, point.x), written(y, point.y ?? null),
      ...(ends ? [`[${written(y, point.low ?? -Infinity)}, ${written(y, point.high ?? Infinity)}]`] : [])]));
  return table(columns, rows, { caption, numbers: columns.slice(1) });
}

/** Round values between two ends, at most about `count`. */
function roundValues(low, high, log, count) {
  if (log) {
    const powers = [];
    for (let power = Math.floor(Math.log10(low)); 10 ** power <= high; power += 1) powers.push(power);
    const every = Math.ceil(powers.length / count);
    const choices = [[1, 2, 5], [1, 3], [1]].map((digits) => powers.flatMap((power) => digits.map((digit) => digit * 10 ** power)));
    choices.push(powers.filter((power) => power % every === 0).map((power) => 10 ** power));
    const inside = choices.map((values) => values.filter((value) => value >= low && value <= high));
    const values = inside.find(({ length }) => length <= count) ?? inside.at(-1);
    if (values.length > 1) return values;
  }
  const least = (high - low) / count;
  const step = [1, 2, 5, 10].map((digit) => digit * 10 ** Math.floor(Math.log10(least))).find((one) => one >= 0.999 * least);
  const first = Math.ceil(low / step - 1e-9);
  return Array.from({ length: Math.floor(high / step + 1e-9) - first + 1 }, (_, i) => Number(((first + i) * step).toPrecision(12)));
}

/** An axis from one pixel to another: where a value lies, and its ticks. */
function scaleOf(axis, values, from, to, count) {
  const finite = values.filter((value) => Number.isFinite(value));
  const [least, most] = [Math.min(...finite), Math.max(...finite)];
  const log = axis.log === "auto" ? least > 0 && most >= 100 * least : axis.log;
  const smallest = Math.min(...finite.filter((value) => value > 0));
  const usual = log ? [0.8 * smallest, 1.25 * most] : [Math.min(0, least), 1.05 * most];
  const [low, high] = axis.range ?? (finite.length && usual[1] > usual[0] ? usual : [0, 1]);
  const along = log ? Math.log : Number;
  const at = (value) => {
    if (value === Infinity) return to;
    if (value === -Infinity || (log && value <= 0)) return from;
    return from + ((to - from) * (along(value) - along(low))) / (along(high) - along(low));
  };
  const ticks = (axis.ticks ?? roundValues(low, high, log, count)).map((tick) => (Array.isArray(tick) ? tick[0] : tick));
  const inside = (value) => Number.isFinite(at(value)) && (at(value) - from) * (at(value) - to) <= 1e-6;
  return { at, inside, ticks: ticks.filter(inside).map((value) => ({ at: at(value), text: String(written(axis, value)) })) };
}

/** Draw a picture, or a function that returns one, in an element; call it again to draw another. Ends with `signal`. */
export function draw(element, picture, signal) {
  if (!PLOTS.has(element)) PLOTS.set(element, new Plot(element, signal));
  const plot = PLOTS.get(element);
  plot.picture = picture;
  plot.paint();
}

const PLOTS = new WeakMap();

class Plot {
  constructor(element, signal) {
    Object.assign(this, { element, hits: [], chosen: -1 });
    this.svg = svg("svg");
    this.tip = el("div", { className: "tip", "aria-hidden": "true", hidden: true });
    element.replaceChildren(this.svg, this.tip);
    for (const name of ["pointermove", "pointerdown"]) this.svg.addEventListener(name, (event) => this.pointAt(event));
    for (const name of ["pointerleave", "blur"]) this.svg.addEventListener(name, () => this.choose(-1));
    this.svg.addEventListener("focus", () => { if (this.svg.matches(":focus-visible")) this.choose(Math.max(this.chosen, 0)); });
    this.svg.addEventListener("keydown", (event) => this.key(event));
    const watch = new ResizeObserver(() => this.paint());
    watch.observe(element);
    signal?.addEventListener("abort", () => watch.disconnect(), { once: true });
  }

  paint() {
    const { clientWidth: width, clientHeight: height } = this.element;
    if (!width || !height) return;
    const picture = typeof this.picture === "function" ? this.picture() : this.picture;
    this.size = 0.8 * parseFloat(getComputedStyle(document.documentElement).fontSize);
    this.layers = { bands: [], lines: [], marks: [] };
    this.hits = [];
    this.frame(picture, width, height);
    const { left, top, right, bottom } = this.box;
    const bars = picture.series.filter(({ kind }) => kind === "bars");
    for (const series of picture.series) {
      if (series.kind === "bars") this.bars(series, bars);
      else this.curve(series);
    }
    const inside = { x: left, y: top, width: right - left, height: bottom - top };
    // An inner picture cuts off what is outside of the frame.
    const clipped = svg("svg", { ...inside, viewBox: `${left} ${top} ${inside.width} ${inside.height}` },
      ...this.layers.bands, ...this.layers.lines);
    for (const [name, value] of Object.entries({ viewBox: `0 0 ${width} ${height}`, width: "100%", height: "100%", "font-size": this.size,
      "aria-label": picture.label ?? `${picture.y.label} against ${picture.x.label}`, ...this.roles() })) this.svg.setAttribute(name, value);
    this.ring = svg("circle", { r: 9, fill: "none", stroke: "currentColor", "stroke-width": 2, visibility: "hidden" });
    const area = svg("rect", { class: "area", ...inside, fill: "transparent" });
    this.svg.replaceChildren(...this.axes(picture), area, clipped, ...this.layers.marks, this.ring);
    this.choose(this.svg.matches(":focus-visible") ? Math.min(this.chosen, this.hits.length - 1) : -1);
  }

  roles() {
    if (!this.hits.length) return { role: "img" };
    return { role: "slider", tabindex: 0, "aria-valuemin": 1, "aria-valuemax": this.hits.length, "aria-valuenow": 1,
      "aria-valuetext": this.hits[0].title };
  }

  /** Where the frame is, and the scales of both axes. */
  frame({ x, y, series, lines = [] }, width, height) {
    const points = series.flatMap((one) => one.points);
    const across = [...points.map((point) => point.x), ...lines.flatMap((line) => line.x ?? [])];
    const up = [...points.flatMap((point) => [point.y, point.low, point.high]), ...lines.flatMap((line) => line.y ?? [])];
    const [top, bottom] = [2.2 * this.size, height - 3.4 * this.size];
    this.y = scaleOf(y, up, bottom, top, Math.max(2, Math.floor((bottom - top) / (3.2 * this.size))));
    const left = 12 + 0.6 * this.size * Math.max(1, ...this.y.ticks.map(({ text }) => text.length));
    const right = width - 1.2 * this.size;
    this.x = scaleOf(x, across, left, right, Math.max(2, Math.floor((right - left) / (5 * this.size))));
    this.box = { left, top, right, bottom, width };
  }

  axes({ x, y, lines = [] }) {
    const { size, box: { left, top, right, bottom, width } } = this;
    const rule = (d, more) => svg("path", { d, fill: "none", stroke: "currentColor", "stroke-opacity": 0.16, ...more });
    const write = (text, at, height, anchor, more = {}) =>
      svg("text", { x: at, y: height, "text-anchor": anchor, fill: "currentColor", ...more }, text);
    const nodes = [write(y.label, 0, size, "start"), write(x.label, right, bottom + 2.9 * size, "end")];
    for (const { at, text } of this.y.ticks) {
      nodes.push(rule(`M${left} ${at}H${right}`), write(text, left - 6, at + 0.35 * size, "end"));
    }
    let free = 0; // where the last label ends: those that would lie on it are left out
    for (const { at, text } of this.x.ticks) {
      const half = 0.3 * size * text.length;
      nodes.push(rule(`M${at} ${top}V${bottom}`));
      if (at - half < free) continue;
      free = at + half + 0.5 * size;
      const over = at + half > width;
      nodes.push(write(text, over ? width : at, bottom + 1.4 * size, over ? "end" : "middle"));
    }
    nodes.push(rule(`M${left} ${top}V${bottom}H${right}`, { "stroke-opacity": 0.6 }));
    for (const { x: across, y: up, label, look } of lines) {
      const drawn = look ? { ...stroked(lookOf(look)), "stroke-opacity": 1 } : { "stroke-opacity": 0.7, "stroke-dasharray": "1 3" };
      const at = up === undefined ? this.x.at(across) : this.y.at(up);
      nodes.push(rule(up === undefined ? `M${at} ${top}V${bottom}` : `M${left} ${at}H${right}`, drawn));
      if (label) {
        const [beside, height] = up === undefined ? [at - 4, top + size] : [right, at - 5 < top ? at + 1.2 * size : at - 5];
        nodes.push(write(label, beside, height, "end", { fill: look ? drawn.stroke : "currentColor" }));
      }
    }
    return nodes;
  }

  /** A line, step, band, or points; one point that is alone is marked, and has a bar for its interval. */
  curve({ kind, look, points, mark }) {
    const own = lookOf(look);
    // What is reached at a step is not lost after the last one.
    const drawn = kind === "step" && points.length > 1 ? [...points, { ...points.at(-1), x: Infinity }] : points;
    const { bands, lines, marks } = this.layers;
    const place = (value) => drawn.filter((point) => value(point) !== undefined)
      .map((point) => [this.x.at(point.x), value(point) === null ? null : this.y.at(value(point))]);
    const path = (places) => places.map(([x, y], i) => {
      if (y === null) return "";
      if (i === 0 || places[i - 1][1] === null) return `M${x} ${y}`;
      return kind === "step" ? `H${x}V${y}` : `L${x} ${y}`;
    }).join("");
    const ranged = points.filter(({ low }) => low !== undefined);
    const alone = points.length === 1 || kind === "points";
    if (!alone && ranged.length) {
      const lows = place(({ low }) => (low === undefined ? low : low ?? -Infinity)).toReversed();
      const corner = ([x, y], i) => (kind === "step" && i ? `V${y}H${x}` : `L${x} ${y}`);
      const edge = path(place(({ low, high }) => (low === undefined ? low : high ?? Infinity)));
      bands.push(svg("path", { d: `${edge}${lows.map(corner).join("")}Z`, fill: `var(--${own.name})`, "fill-opacity": 0.16 }));
    }
    if (!alone && kind !== "band") {
      lines.push(svg("path", { class: "curve", d: path(place(({ y }) => (Number.isFinite(y) ? y : null))), ...stroked(own) }));
    }
    for (const point of points) {
      const [x, y] = [this.x.at(point.x), this.y.at(point.y ?? NaN)];
      if (alone && point.low !== undefined) this.interval(x, point, `var(--${own.name})`);
      if (!this.x.inside(point.x) || !(point.y === Infinity || this.y.inside(point.y))) continue;
      const shape = point.mark ?? mark ?? alone;
      if (shape && kind !== "band") marks.push(marked(shape === true ? own.mark : shape, own, x, y));
      if (point.text) {
        const height = y - 0.8 * this.size;
        marks.push(svg("text", { x, y: height, "text-anchor": x > this.box.right - 30 ? "end" : "middle", fill: "currentColor" }, point.text));
      }
      if (point.title) this.hits.push({ x, y, title: point.title, series: points });
    }
  }

  interval(x, { low, high }, colour) {
    const [foot, head] = [this.y.at(low ?? -Infinity), this.y.at(high ?? Infinity)];
    this.layers.lines.push(svg("path", { d: `M${x} ${foot}V${head}M${x - 4} ${foot}h8M${x - 4} ${head}h8`, stroke: colour, "stroke-width": 1.5 }));
  }

  /** Bars side by side with those of the other series. */
  bars({ look, points, label }, every) {
    const at = [...new Set(every.flatMap((one) => one.points.map(({ x }) => x)))].sort((a, b) => a - b);
    const unit = Math.min(1, ...at.slice(1).map((x, i) => x - at[i]));
    const width = (0.8 * unit) / every.length;
    const first = (every.findIndex((one) => one.label === label && one.points === points) - every.length / 2) * width;
    const own = lookOf(look);
    for (const point of points) {
      const [left, right] = [this.x.at(point.x + first), this.x.at(point.x + first + width)];
      const [y, foot, middle] = [this.y.at(point.y), this.box.bottom, (left + right) / 2];
      this.layers.bands.push(svg("rect", { class: "bar", x: left, y, width: Math.max(right - left - 1, 1), height: foot - y,
        ...filled(own) }));
      if (point.low !== undefined) this.interval(middle, point, "currentColor");
      if (point.title) this.hits.push({ x: middle, y, foot, title: point.title, series: points });
    }
  }

  pointAt(event) {
    const { left, top } = this.svg.getBoundingClientRect();
    const [x, y] = [event.clientX - left, event.clientY - top];
    const far = (hit) => Math.hypot(hit.x - x, hit.foot > y ? Math.max(0, hit.y - y) : hit.y - y);
    const nearest = this.hits.reduce((best, hit, i) => (far(hit) < best.far ? { far: far(hit), i } : best), { far: REACH, i: -1 });
    this.choose(nearest.i);
  }

  key(event) {
    const { hits, chosen } = this;
    const last = hits.length - 1;
    const [x, series] = [hits[chosen]?.x, hits[chosen]?.series];
    /** The nearest point of the curve before or after. */
    const beside = (step) => {
      const others = [...new Set(hits.map((hit) => hit.series))];
      const wanted = others[(others.indexOf(series) + step + others.length) % others.length];
      const far = (i) => Math.abs(hits[i].x - x);
      return [...hits.keys()].filter((i) => hits[i].series === wanted).reduce((a, b) => (far(b) < far(a) ? b : a));
    };
    const moves = { ArrowLeft: () => Math.max(chosen - 1, 0), ArrowRight: () => Math.min(chosen + 1, last), ArrowUp: () => beside(-1),
      ArrowDown: () => beside(1), Home: () => 0, End: () => last, Escape: () => -1 };
    if (!hits.length || !(event.key in moves) || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    this.choose(moves[event.key]());
  }

  /** Show what a point says, or nothing. */
  choose(index) {
    this.chosen = index;
    const hit = this.hits[index];
    this.tip.hidden = !hit;
    this.ring.setAttribute("visibility", hit ? "visible" : "hidden");
    if (!hit) return;
    for (const [name, value] of Object.entries({ "aria-valuenow": index + 1, "aria-valuetext": hit.title })) this.svg.setAttribute(name, value);
    this.ring.setAttribute("cx", hit.x);
    this.ring.setAttribute("cy", hit.y);
    this.tip.textContent = hit.title;
    const [width, right] = [this.element.clientWidth, hit.x > this.element.clientWidth / 2];
    Object.assign(this.tip.style, { top: `${Math.max(hit.y - 16, 0)}px`, left: right ? "auto" : `${hit.x + 16}px`,
      right: right ? `${width - hit.x + 16}px` : "auto" });
  }
}

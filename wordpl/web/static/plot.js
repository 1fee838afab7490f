/**
 * The painter of all pictures, on the page and in reports: axes, bands, lines, steps, points and bars as SVG.
 *
 * A picture is data: `{label?, x, y, series, lines?, at?, onpoint?}`. An axis is `{label, log?, range?, ticks?, format?}`:
 * `log` may be "auto", or "odds" for log odds of probabilities, a tick a value or `[value, text]`, and `format` is "percent"
 * or missing; `lines` run across, at a `y`. A series is `{label, look, kind, mark?, named?, points}`, and `named` writes its label at it, a point `{x, y, low?, high?,
 * name?, title?, mark?}`. Intervals are bands of lines and steps, and bars of points and of what is alone. An end that is
 * null or infinite lies on the frame; so does a mark whose y is infinite. `onpoint(i)` is called when somebody chooses a
 * point, by its number among those with titles; that of number `at` is chosen already. Colours are custom properties, so a
 * change of theme needs no drawing. The numbers must also stand beside a picture, or in a table.
 */

import { el, percent, shown } from "./dom.js";

const SERIES = 6;
const DASHES = { solid: "none", dash: "8 4", dot: "2 4", dashdot: "9 4 2 4" };
export const SHAPES = { dot: "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z", square: "M-3.5-3.5h7v7h-7z", diamond: "M0-5L5 0L0 5L-5 0z",
  triangle: "M0-5L5 4H-5z", ring: "M-5 0a5 5 0 1 0 10 0a5 5 0 1 0-10 0z", cross: "M-5-5L5 5M-5 5L5-5" };
/** The axis of win rates: with room above 1, and ticks at the percentiles of the contest. */
export const WIN_RATES = { range: [0, 1.02], ticks: [0.05, 0.25, 0.5, 0.75, 0.95], format: "percent" };
/** The axis of probabilities on which the ends have room. */
export const ODDS = { log: "odds", range: [0.008, 0.992], ticks: [0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99], format: "percent" };
const REACH = 40; // pixels from which the pointer chooses a point

/** A look by its number, or one of its own, `{name, dash?, width?, mark?}`, whose name is that of the colour. */
function lookOf(look) {
  if (typeof look === "object") return { dash: "solid", width: 2, mark: "dot", ...look };
  return { name: `series-${1 + (look % SERIES)}`, width: 2, dash: Object.keys(DASHES)[Math.floor(look / SERIES) % 4],
    mark: Object.keys(SHAPES)[look % SERIES] };
}

export function set(node, attributes) {
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  return node;
}

export function svg(tag, attributes, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  node.append(...children);
  return set(node, attributes);
}

const path = (d, attributes) => svg("path", { d, fill: "none", ...attributes });
const stroked = ({ name, dash, width }) => ({ stroke: `var(--${name})`, "stroke-width": width, "stroke-dasharray": DASHES[dash] });
const filled = (look) =>
  ({ ...stroked({ ...look, width: 1 }), fill: `var(--${look.name})`, "fill-opacity": look.dash === "solid" ? 0.8 : 0.3 });

function marked(shape, { name }, x, y) {
  const fill = shape === "ring" || shape === "cross" ? "none" : `var(--${name})`;
  return path(SHAPES[shape], { class: "mark", transform: `translate(${x} ${y})`, fill, stroke: `var(--${name})`, "stroke-width": 1.5 });
}

const write = (text, x, y, anchor, fill = "currentColor") => svg("text", { x, y, fill, "text-anchor": anchor }, text);

/** What a series looks like, small. */
export function swatchOf({ look, kind = "line", mark }) {
  const own = lookOf(look);
  const swatch = svg("svg", { class: "swatch", width: 34, height: 14, "aria-hidden": "true" });
  if (kind === "bars" || kind === "band") swatch.append(path("M11 1h12v12h-12z", filled(kind === "band" ? { ...own, dash: "dot" } : own)));
  else if (kind !== "points") swatch.append(path("M0 7H34", stroked(own)));
  if (kind === "points" || mark) swatch.append(marked(SHAPES[mark] ? mark : own.mark, own, 17, 7));
  return swatch;
}

export const legendEntry = (series) => el("li", {}, swatchOf(series), el("span", {}, series.label));

function worded({ ticks = [], format }, value) {
  const named = ticks.find((tick) => Array.isArray(tick) && tick[0] === value);
  return String(named ? named[1] : (format === "percent" ? percent : shown)(value));
}

/** Round values between two ends, at most about `count`. */
export function roundValues(low, high, log, count) {
  if (log) {
    const digits = [[1, 2, 5], [1, 3], [1]][Math.min(Math.floor(Math.log10(high / low) / 2), 2)];
    const values = Array.from({ length: 61 }, (_, i) => digits.map((digit) => Number(`${digit}e${i - 30}`))).flat()
      .filter((value) => value >= low && value <= high);
    if (values.length > 1) return values;
  }
  const least = (high - low) / count;
  const step = [1, 2, 5, 10].map((digit) => digit * 10 ** Math.floor(Math.log10(least))).find((size) => size >= 0.999 * least);
  const first = Math.ceil(low / step - 1e-9);
  return Array.from({ length: Math.floor(high / step + 1e-9) - first + 1 }, (_, i) => Number(((first + i) * step).toPrecision(12)));
}

/** An axis between two pixels: where a value lies, whether that is inside of the frame, and the ticks. */
function scaleOf(axis, values, from, to, count) {
  const finite = values.filter((value) => Number.isFinite(value));
  const [least, most] = [Math.min(...finite), Math.max(...finite)];
  const log = axis.log === "auto" ? least > 0 && most >= 100 * least : axis.log;
  const usual = log ? [0.8 * Math.min(...finite.filter((value) => value > 0)), 1.25 * most] : [Math.min(0, least), 1.05 * most || 1];
  const [low, high] = axis.range ?? (finite.length ? usual : [0, 1]);
  const bent = log === "odds" ? (value) => Math.log(value / (1 - value)) : log ? Math.log : (value) => value;
  const along = (value) => (bent(value) - bent(low)) / (bent(high) - bent(low));
  const at = (value) => {
    if (value === Infinity || (log === "odds" && value >= 1)) return to;
    return value === -Infinity || (log && value <= 0) ? from : from + (to - from) * along(value);
  };
  const inside = (value) => along(value) > -1e-6 && along(value) < 1 + 1e-6;
  const ticks = (axis.ticks ?? roundValues(low, high, log, count)).map((tick) => (Array.isArray(tick) ? tick[0] : tick));
  return { at, inside, ticks: ticks.filter(inside).map((value) => ({ at: at(value), text: worded(axis, value) })) };
}

/** Draw a picture in an element; call it again to draw another. */
export function draw(element, picture) {
  element.plot ??= new Plot(element);
  Object.assign(element.plot, { picture }).paint();
}

class Plot {
  constructor(element) {
    Object.assign(this, { element, hits: [], chosen: -1, svg: svg("svg", { width: "100%", height: "100%" }) });
    this.tip = el("div", { className: "tip", "aria-hidden": "true", hidden: true });
    element.replaceChildren(this.svg, this.tip);
    Object.assign(this.svg, { onpointermove: (event) => this.pointAt(event), onpointerdown: (event) => this.pointAt(event),
      onpointerleave: ({ pointerType }) => pointerType === "mouse" && this.choose(-1), // what was tapped stays
      onblur: () => this.choose(-1), onkeydown: (event) => this.key(event), onfocus: () => this.choose(this.svg.matches(":focus-visible") ? 0 : this.chosen) });
    new ResizeObserver(() => this.paint()).observe(element);
  }

  paint() {
    const { clientWidth: width, clientHeight: height } = this.element;
    if (!width || !height) return;
    const { label, x, y, series, lines = [] } = this.picture;
    const size = 0.875 * parseFloat(getComputedStyle(document.documentElement).fontSize);
    const points = series.flatMap((entry) => entry.points);
    const low = height < 10 * size; // it has no room for the label of x
    const [top, bottom, right] = [(low ? 1.6 : 2.2) * size, height - (low ? 1.7 : 3.4) * size, width - 1.2 * size];
    const up = [...points, ...lines].flatMap((point) => [point.y, point.low, point.high]);
    this.y = scaleOf(y, up, bottom, top, Math.max(2, (bottom - top) / (3.2 * size)));
    const left = 12 + 0.6 * size * Math.max(1, ...this.y.ticks.map(({ text }) => text.length));
    this.x = scaleOf(x, points.map((point) => point.x), left, right, Math.max(2, (right - left) / (4 * size)));
    Object.assign(this, { size, low, width, left, right, top, bottom, bands: [], curves: [], marks: [], hits: [] });
    series.forEach((curve, i) => (curve.kind === "bars" ? this.bars(curve, i, series) : this.curve(curve, i)));
    const frame = { x: left, y: top, width: right - left, height: bottom - top };
    // An inner picture cuts off what is outside of the frame.
    const clipped = svg("svg", { ...frame, viewBox: `${left} ${top} ${frame.width} ${frame.height}` }, ...this.bands, ...this.curves);
    this.ring = svg("circle", { r: 9, fill: "none", stroke: "currentColor", "stroke-width": 2 });
    set(this.svg, { viewBox: `0 0 ${width} ${height}`, "font-size": size, "aria-label": label ?? `${y.label} against ${x.label}`,
      ...(this.hits.length ? { role: "slider", tabindex: 0, "aria-valuemin": 1, "aria-valuemax": this.hits.length } : { role: "img" }) });
    this.svg.replaceChildren(...this.axes(x, y, lines), svg("rect", { class: "area", ...frame, fill: "transparent" }), clipped,
      ...this.marks, ...this.names(series.filter(({ named }) => named), lines), this.ring);
    this.choose(this.picture.at ?? (this.svg.matches(":focus-visible") ? Math.min(this.chosen, this.hits.length - 1) : -1));
  }

  axes(x, y, lines) {
    const { size, low, width, left, right, top, bottom } = this;
    const rule = (d, more) => path(d, { stroke: "currentColor", "stroke-opacity": 0.16, ...more });
    const nodes = [write(y.label, 0, size, "start"), low ? "" : write(x.label, right, bottom + 2.9 * size, "end"),
      rule(`M${left} ${top}V${bottom}H${right}`, { "stroke-opacity": 0.6 })];
    let free = Infinity; // where the last label ends: those that would lie on it are left out
    for (const { at, text } of this.y.ticks.toSorted((a, b) => b.at - a.at)) {
      nodes.push(rule(`M${left} ${at}H${right}`));
      if (at > free) continue;
      free = at - 0.8 * size;
      nodes.push(write(text, left - 6, at + 0.35 * size, "end"));
    }
    free = 0;
    for (const { at, text } of this.x.ticks) {
      const half = 0.34 * size * text.length;
      nodes.push(rule(`M${at} ${top}V${bottom}`));
      if (at - half < free) continue;
      free = at + half + 0.5 * size;
      nodes.push(write(text, Math.min(at, width - half), bottom + 1.4 * size, "middle"));
    }
    for (const { y: value, label = "", look } of lines) {
      const at = this.y.at(value);
      const colours = { "stroke-opacity": 1, ...(look ? stroked(lookOf(look)) : { "stroke-opacity": 0.7, "stroke-dasharray": "1 3" }) };
      nodes.push(rule(`M${left} ${at}H${right}`, colours),
        write(label, right, Math.max(at - 5, top + 1.2 * size), "end", colours.stroke));
    }
    return nodes;
  }

  /** A line, step, band, or points; one point that is alone is marked, and has a bar for its interval. */
  curve({ kind, look, points, mark }, series) {
    const own = lookOf(look);
    const alone = points.length === 1 || kind === "points";
    if (!alone) this.trace(kind, own, points);
    for (const point of points) {
      const [x, y] = [this.x.at(point.x), this.y.at(point.y ?? NaN)];
      if (alone) this.interval(x, point, `var(--${own.name})`);
      if (!this.x.inside(point.x) || !(point.y === Infinity || this.y.inside(point.y ?? NaN))) continue;
      const shape = point.mark ?? mark ?? alone;
      if (shape) this.marks.push(marked(shape === true ? own.mark : shape, own, x, y));
      if (point.title) this.hits.push({ x, y, title: point.title, series });
    }
  }

  /** The labels of series, each beside its own, that of bars in a corner, where it lies on no other, and on as little as can be; none where it has no room. */
  names(series, lines) {
    const { left, right, top, bottom, size } = this;
    const placesOf = ({ points }) => points.map(({ x, y, high, low }) => ({ x, y: y ?? high ?? low }))
      .filter(({ x, y }) => this.x.inside(x) && this.y.inside(y ?? NaN)).map(({ x, y }) => [this.x.at(x), this.y.at(y)]);
    const between = (from, to) => [0.25, 0.5, 0.75, 1].map((part) => from.map((at, i) => at + part * (to[i] - at)));
    const along = (places, kind) => (kind === "line" ? places.flatMap((place, i) => (i ? between(places[i - 1], place) : [place])) : places);
    const [drawn, taken] = [this.picture.series.flatMap((one) => along(placesOf(one), one.kind).map((place) => [...place, one.kind === "bars", one.kind === "points" ? 20 : 1])), []];
    const cost = ({ from, to, y, away }) => {
      const near = (other) => Math.abs(other - y) < 0.7 * size;
      const hidden = taken.filter((other) => other.from < to && from < other.to && Math.abs(other.y - y) < 1.4 * size).length;
      return Math.abs(away) + 1000 * (hidden + (from < left || to > right)) + 50 * lines.filter((line) => near(this.y.at(line.y))).length
        + drawn.reduce((sum, [x, at, bar, weight]) => sum + weight * (x > from - size * (0.5 + bar) && x < to + size * (0.5 + bar) && (near(at) || (bar && at < y))), 0);
    };
    return series.flatMap(({ label, look, ...one }) => {
      const width = 0.55 * size * label.length;
      const places = one.kind === "bars" ? [0, 1.4, 2.8, 4.2].flatMap((away) => [right - width, left + 6].map((from) =>
        ({ from, to: from + width, away, y: top + (0.6 + away) * size }))) : placesOf(one).filter((_, i, { length }) => i % Math.ceil(length / 30) === 0)
        .flatMap(([x, at]) => [0, -1.5, 1.5].flatMap((away) => [x + 9, x - 9 - width].map((from) =>
          ({ from, to: from + width, away, y: Math.min(bottom - 0.6 * size, Math.max(top + 0.6 * size, at + away * size)) }))));
      if (!places.length) return [];
      const costs = places.map(cost);
      const least = Math.min(...costs);
      const best = places[costs.indexOf(least)];
      if (least >= 1000) return [];
      taken.push(best);
      return [set(write(label, (best.from + best.to) / 2, best.y + 0.35 * size, "middle", `var(--${lookOf(look).name})`),
        { class: "name", "paint-order": "stroke", stroke: "var(--page)", "stroke-width": 4 })];
    });
  }

  trace(kind, own, points) {
    // What is reached at a step is not lost after the last one.
    const all = kind === "step" ? [...points, { ...points.at(-1), x: Infinity }] : points;
    const places = (among, value) => among.map((point) => [this.x.at(point.x), this.y.at(value(point))]);
    const [forth, back] = kind === "step" ? [([x, y]) => `H${x}V${y}`, ([x, y]) => `V${y}H${x}`]
      : [(place) => `L${place}`, (place) => `L${place}`];
    const ranged = all.filter(({ low }) => low !== undefined);
    if (ranged.length) {
      const [first, ...upper] = places(ranged, ({ high }) => high ?? Infinity);
      const [last, ...lower] = places(ranged, ({ low }) => low ?? -Infinity).toReversed();
      this.bands.push(path(`M${first}${upper.map(forth).join("")}L${last}${lower.map(back).join("")}Z`,
        { fill: `var(--${own.name})`, "fill-opacity": 0.16 }));
    }
    if (kind === "band") return;
    const gap = (point) => !Number.isFinite(point?.y);
    const steps = places(all, ({ y }) => y).map((place, i) => (gap(all[i - 1]) ? `M${place}` : forth(place)));
    this.curves.push(path(steps.filter((_, i) => !gap(all[i])).join(""), { class: "curve", ...stroked(own) }));
  }

  interval(x, { low, high }, stroke) {
    if (low === undefined) return;
    const [foot, head] = [this.y.at(low ?? -Infinity), this.y.at(high ?? Infinity)];
    this.curves.push(path(`M${x} ${foot}V${head}M${x - 4} ${foot}h8M${x - 4} ${head}h8`, { stroke, "stroke-width": 1.5 }));
  }

  /** Bars side by side with those of the other series. */
  bars({ look, points }, series, every) {
    const among = every.filter(({ kind }) => kind === "bars");
    const width = 0.8 / among.length;
    const first = (among.indexOf(every[series]) - among.length / 2) * width;
    let all = "";
    for (const point of points) {
      const [left, right] = [point.x + first, point.x + first + width].map(this.x.at);
      const [x, y, foot] = [(left + right) / 2, this.y.at(point.y), this.bottom];
      all += `M${left} ${foot}V${y}H${Math.max(right - 1, left + 1)}V${foot}Z`;
      this.interval(x, point, "currentColor");
      if (point.title) this.hits.push({ x, y, foot, title: point.title, series });
    }
    this.bands.push(path(all, filled(lookOf(look))));
  }

  pointAt(event) {
    const { left, top } = this.svg.getBoundingClientRect();
    const [x, y] = [event.clientX - left, event.clientY - top];
    const far = this.hits.map((hit) => Math.hypot(hit.x - x, hit.foot > y ? Math.max(0, hit.y - y) : hit.y - y));
    this.choose(far.indexOf(Math.min(REACH, ...far)));
  }

  key(event) {
    const { hits, chosen } = this;
    const here = hits[chosen]?.series ?? 0;
    const moves = { ArrowLeft: chosen - 1, ArrowRight: chosen + 1, Home: 0, End: hits.length - 1, Escape: -1,
      ArrowUp: hits.findLastIndex(({ series }) => series < here), ArrowDown: hits.findIndex(({ series }) => series > here) };
    if (!(event.key in moves) || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    if (event.key === "Escape" || hits[moves[event.key]]) this.choose(moves[event.key]);
  }

  /** Show what a point says, or nothing. */
  choose(index) {
    const hit = this.hits[index];
    this.chosen = index;
    this.tip.hidden = !hit;
    this.ring.setAttribute("visibility", hit ? "visible" : "hidden");
    if (this.hits.length) set(this.svg, { "aria-valuenow": Math.max(index, 0) + 1, "aria-valuetext": (hit ?? this.hits[0]).title });
    if (!hit) return;
    set(this.ring, { cx: hit.x, cy: hit.y });
    this.tip.textContent = hit.title;
    this.picture.onpoint?.(index);
    const [left, right] = hit.x > this.width / 2 ? ["auto", `${this.width - hit.x + 16}px`] : [`${hit.x + 16}px`, "auto"];
    Object.assign(this.tip.style, { top: `${Math.max(hit.y - 16, 0)}px`, left, right });
  }
}

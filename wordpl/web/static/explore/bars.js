/** Probabilities as bars, the largest first, on a canvas. One bar can be pointed at, by pointer or by key. */

import { el } from "../dom.js";
import { cleared, property } from "./colours.js";

const BOTTOM = 6;
const TOP = 8;
const DECADES = 6;

export class Bars {
  /** `point(code)` is called with the clue that is pointed at; `colour` names a custom property. */
  constructor(label, colour, { point, signal }) {
    Object.assign(this, { colour, point, order: [] });
    this.canvas = el("canvas", { className: "clue-bars", tabIndex: 0, role: "slider", "aria-label": label, "aria-valuemin": 1,
      onpointermove: (event) => this.pointAt(event),
      onpointerdown: (event) => this.pointAt(event),
      onkeydown: (event) => this.key(event) });
    const resized = new ResizeObserver(() => this.draw());
    resized.observe(this.canvas);
    signal.addEventListener("abort", () => resized.disconnect());
  }

  /**
   * Show `values` by code in an `order` of codes, with the bar of the code `marked`; `most` is the top of the scale, which
   * is logarithmic if `log`.
   */
  show(changes) {
    Object.assign(this, changes);
    this.draw();
  }

  /** What a screen reader says of the bar that is marked. */
  say(text) {
    this.canvas.setAttribute("aria-valuemax", this.order.length);
    this.canvas.setAttribute("aria-valuenow", Math.max(this.order.indexOf(this.marked) + 1, 1));
    this.canvas.setAttribute("aria-valuetext", text);
  }

  /** Where the bars begin, after the numbers of the scale. */
  get left() { return this.log ? 68 : 44; }

  get step() { return (this.canvas.clientWidth - this.left) / this.order.length; }

  pointAt(event) {
    const rank = Math.floor((event.offsetX - this.left) / this.step);
    if (rank >= 0 && rank < this.order.length) this.point(this.order[rank]);
  }

  key(event) {
    const rank = this.order.indexOf(this.marked);
    const page = Math.ceil(this.order.length / 20);
    const moves = { ArrowLeft: rank - 1, ArrowDown: rank - 1, ArrowRight: rank + 1, ArrowUp: rank + 1,
      PageDown: rank - page, PageUp: rank + page, Home: 0, End: this.order.length - 1 };
    if (!(event.key in moves) || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    this.point(this.order[Math.min(Math.max(moves[event.key], 0), this.order.length - 1)]);
  }

  draw() {
    const { canvas: { clientWidth: width, clientHeight: height }, left, log, marked, most, order, step, values } = this;
    if (!width || !order.length) return;
    const context = cleared(this.canvas, width, height);
    const foot = height - BOTTOM;
    const part = (value) => (log ? 1 + Math.log10(value / most) / DECADES : value / most);
    const y = (value) => foot - Math.max(part(value), 0) * (foot - TOP);
    const fill = (colour, ...place) => {
      context.fillStyle = property(colour);
      context.fillRect(...place);
    };
    Object.assign(context, { font: `12px ${property("font")}`, textAlign: "right", textBaseline: "middle" });
    for (const value of this.ticks()) {
      fill("line", left, Math.round(y(value)), width - left, 1);
      context.fillStyle = property("soft");
      context.fillText(`${Number((100 * value).toPrecision(3))}%`, left - 6, y(value));
    }
    const gap = step >= 3 ? 1 : 0;
    context.fillStyle = property(this.colour);
    context.beginPath();
    order.forEach((code, rank) => {
      const top = y(values[code]);
      if (foot - top > 0.1) context.rect(left + rank * step, top, step - gap, foot - top);
    });
    context.fill();
    fill("strong-line", left, foot, width - left, 1);
    const rank = order.indexOf(marked);
    if (rank < 0) return;
    const x = left + rank * step;
    fill("text", x, y(values[marked]), Math.max(step - gap, 2), foot - y(values[marked]));
    context.beginPath();
    for (const [aside, down] of [[-5, height], [5, height], [0, foot + 1]]) context.lineTo(x + step / 2 + aside, down);
    context.fill();
  }

  /** Round values of the scale. */
  ticks() {
    const power = Math.floor(Math.log10(this.most));
    const decade = (k) => Number(`1e${k}`);
    if (this.log) return Array.from({ length: DECADES }, (_, i) => decade(power - i));
    const unit = [1, 2, 5, 10].map((m) => m * decade(power - 1)).find((one) => this.most / one <= 5) ?? decade(power) * 2;
    return Array.from({ length: Math.floor(this.most / unit) }, (_, i) => (i + 1) * unit);
  }
}

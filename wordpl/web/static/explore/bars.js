/** Probabilities as bars, the largest first, on a canvas. One bar can be pointed at, by pointer or by key. */

import { el } from "../dom.js";
import { property } from "./colours.js";

const LEFT = 52;
const BOTTOM = 6;
const TOP = 8;
const DECADES = 6;

export class Bars {
  /** `point(code)` is called with the clue that is pointed at; `colour` names a custom property. */
  constructor(label, colour, { point, signal }) {
    Object.assign(this, { colour, point, order: [] });
    this.canvas = el("canvas", { className: "clue-bars", tabIndex: 0, role: "slider", "aria-label": label, "aria-valuemin": 1 });
    this.canvas.addEventListener("pointermove", (event) => this.pointAt(event));
    this.canvas.addEventListener("pointerdown", (event) => this.pointAt(event));
    this.canvas.addEventListener("keydown", (event) => this.key(event));
    const resized = new ResizeObserver(() => this.draw());
    resized.observe(this.canvas);
    signal.addEventListener("abort", () => resized.disconnect());
  }

  /** Show values by code in an order of codes; `most` is the top of the scale, which is logarithmic if `log`. */
  show(values, order, { most, log, marked }) {
    Object.assign(this, { values, order, most, log, marked });
    this.draw();
  }

  /** Mark the bar of a code, or of none. */
  mark(code) {
    this.marked = code;
    this.draw();
  }

  /** What a screen reader says of the bar that is marked. */
  say(text) {
    this.canvas.setAttribute("aria-valuemax", this.order.length);
    this.canvas.setAttribute("aria-valuenow", Math.max(this.order.indexOf(this.marked) + 1, 1));
    this.canvas.setAttribute("aria-valuetext", text);
  }

  get step() { return (this.canvas.clientWidth - LEFT) / this.order.length; }

  pointAt(event) {
    const rank = Math.floor((event.offsetX - LEFT) / this.step);
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

  /** The part of the height that a value takes. */
  part(value) {
    if (!this.log) return value / this.most;
    return value > 0 ? Math.max(1 + Math.log10(value / this.most) / DECADES, 0) : 0;
  }

  draw() {
    const { canvas, order, values } = this;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    if (!width || !order.length) return;
    const scale = devicePixelRatio || 1;
    const [wide, high] = [Math.round(width * scale), Math.round(height * scale)];
    if (canvas.width !== wide) canvas.width = wide;
    if (canvas.height !== high) canvas.height = high;
    const context = canvas.getContext("2d");
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.clearRect(0, 0, width, height);
    const foot = height - BOTTOM;
    const y = (value) => foot - this.part(value) * (foot - TOP);
    this.drawScale(context, width, y);
    const { step } = this;
    const gap = step >= 3 ? 1 : 0;
    context.fillStyle = property(this.colour);
    context.beginPath();
    order.forEach((code, rank) => {
      const top = y(values[code]);
      if (foot - top > 0.1) context.rect(LEFT + rank * step, top, step - gap, foot - top);
    });
    context.fill();
    context.fillStyle = property("strong-line");
    context.fillRect(LEFT, foot, width - LEFT, 1);
    const rank = order.indexOf(this.marked);
    if (rank < 0) return;
    const x = LEFT + rank * step;
    context.fillStyle = property("text");
    context.fillRect(x, y(values[this.marked]), Math.max(step - gap, 2), foot - y(values[this.marked]));
    context.beginPath();
    context.moveTo(x + step / 2 - 5, height);
    context.lineTo(x + step / 2 + 5, height);
    context.lineTo(x + step / 2, foot + 1);
    context.fill();
  }

  drawScale(context, width, y) {
    context.font = `12px ${property("font")}`;
    context.textAlign = "right";
    context.textBaseline = "middle";
    for (const value of this.ticks()) {
      context.fillStyle = property("line");
      context.fillRect(LEFT, Math.round(y(value)), width - LEFT, 1);
      context.fillStyle = property("soft");
      context.fillText(value < 0.001 ? value.toExponential() : String(value), LEFT - 6, y(value));
    }
  }

  /** Round values of the scale. */
  ticks() {
    const power = Math.floor(Math.log10(this.most));
    const decade = (k) => Number(`1e${k}`);
    if (this.log) return Array.from({ length: DECADES }, (_, i) => decade(power - i));
    const unit = [1, 2, 5, 10].map((m) => m * decade(power - 1)).find((one) => this.most / one <= 5) ?? decade(power) * 2;
    return Array.from({ length: Math.floor(this.most / unit) }, (_, i) => Number(((i + 1) * unit).toPrecision(3)));
  }
}

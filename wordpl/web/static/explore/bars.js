/** Probabilities as bars, the largest first. One bar can be pointed at, by pointer or by key. */

import { el } from "../dom.js";
import { roundValues, set, svg } from "../plot.js";

export class Bars {
  /** `point(code)` is called with the clue that is pointed at; `colour` names a custom property. */
  constructor(label, colour, point) {
    this.point = point;
    this.scale = el("div", { "aria-hidden": "true" });
    this.paths = ["", "marked"].map((name) => svg("path", { class: name }));
    this.picture = svg("svg", { preserveAspectRatio: "none" }, ...this.paths);
    this.picture.style.setProperty("--series", `var(--${colour})`);
    this.element = el("div", { className: "clue-bars", tabIndex: 0, role: "slider", "aria-label": label, "aria-valuemin": 1,
      onpointermove: (event) => this.pointAt(event), onpointerdown: (event) => this.pointAt(event),
      onkeydown: (event) => this.key(event) }, this.scale, this.picture);
  }

  /**
   * Show the values of codes in an order, with the bar of the code `marked`, of which a screen reader says `text`. `most` is
   * the top of the scale.
   */
  show({ values, order, most, marked, text }) {
    Object.assign(this, { order, rank: order.indexOf(marked) });
    const part = (value) => 100 * value / most;
    const bar = (rank) => `M${rank} 100v${-part(values[order[rank]])}h1V100z`;
    this.picture.setAttribute("viewBox", `0 0 ${order.length} 100`);
    this.paths[0].setAttribute("d", order.map((_, rank) => bar(rank)).join(""));
    this.paths[1].setAttribute("d", this.rank < 0 ? "" : `${bar(this.rank)}v6h1v-6z`);
    this.scale.replaceChildren(...roundValues(0, most, false, 5).slice(1).map((value) => {
      const tick = el("span", {}, `${Number((100 * value).toPrecision(3))}%`);
      tick.style.bottom = `${part(value)}%`;
      return tick;
    }));
    set(this.element, { "aria-valuemax": order.length, "aria-valuenow": Math.max(this.rank + 1, 1), "aria-valuetext": text });
  }

  pointAt(event) {
    const { left, width } = this.picture.getBoundingClientRect();
    const rank = Math.floor((event.clientX - left) / width * this.order.length);
    if (rank >= 0 && rank < this.order.length) this.point(this.order[rank]);
  }

  key(event) {
    const { order, rank } = this;
    const page = Math.ceil(order.length / 20);
    const moves = { ArrowLeft: rank - 1, ArrowDown: rank - 1, ArrowRight: rank + 1, ArrowUp: rank + 1,
      PageDown: rank - page, PageUp: rank + page, Home: 0, End: order.length - 1 };
    if (!(event.key in moves) || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    this.point(order[Math.min(Math.max(moves[event.key], 0), order.length - 1)]);
  }
}

/**
 * The channel: what epsilon does to one tile and to one row, and what it promises about what a player learns. The server
 * works out all numbers and draws the noise; the seed is the page's, so that the same noise is seen at every epsilon.
 */

import { get } from "../api.js";
import { announce, bar, debounced, el, field, percent, showError, shown, table, wholeBetween, wordBox } from "../dom.js";
import { epsilonSlider, readEpsilon } from "../epsilon.js";
import { select } from "../game_fields.js";
import { latest } from "../latest.js";
import { draw } from "../plot.js";
import { MARKS, NAMES, tiles } from "../tiles.js";

const CHANNELS = { randomized_response: "Randomized response (WORDPL)", fibble: "Fibble: one mark is a lie" };
const WORDS = { guess: "Guess", answer: "Answer", other: "Another answer" };
const START = { channel: "randomized_response", guess: "crate", answer: "haste", other: "proud", epsilon: 5, prior: 50, seed: 1 };
const SEEDS = 2 ** 32;

export async function show(root, state) {
  await new ChannelView(root, state).read();
}

class ChannelView {
  constructor(root, state) {
    this.state = state;
    this.read = latest((signal) => this.readNow(signal), state.signal);
    this.epsilon = readEpsilon(state.get("epsilon", "")) ?? START.epsilon;
    this.seed = wholeBetween(state.get("seed", ""), 0, SEEDS - 1) ?? START.seed;
    this.tellSoon = debounced(() => this.tell(), 500);
    this.rest = el("p", { className: "fault", hidden: true });
    this.build(root);
  }

  build(root) {
    this.slider = epsilonSlider("Epsilon", this.epsilon, (epsilon) => {
      this.epsilon = epsilon;
      this.change();
    });
    const named = this.state.get("channel");
    const channel = select("Channel", CHANNELS, named in CHANNELS ? named : START.channel);
    channel.control.addEventListener("change", () => this.change());
    this.fields = { channel, ...Object.fromEntries(Object.entries(WORDS).map(([name, label]) =>
      [name, field(label, wordBox(this.state.get(name, START[name]),
        { size: 10, maxLength: 60, oninput: debounced(() => this.change(), 250) }))])) };
    this.prior = el("input", { type: "range", min: 1, max: 99, step: 1, oninput: () => this.change(),
      value: wholeBetween(this.state.get("prior", ""), 1, 99) ?? START.prior });
    const prior = field("Probability of the answer before the clue", this.prior);
    prior.classList.add("wide");
    const parts = { tile: "chances", bound: "", row: "", flips: "", odds: "", beliefs: "plot", bits: "plot" };
    this.at = Object.fromEntries(Object.entries(parts).map(([name, className]) => [name, el("div", { className })]));
    root.append(
      el("div", { className: "row slider" }, channel, this.slider), this.rest,
      el("div", { className: "columns" },
        el("div", {},
          panel("One tile", this.at.tile),
          panel("What a clue can tell", this.at.bound, this.at.bits)),
        panel("One row",
          el("div", { className: "row" }, this.fields.guess, this.fields.answer),
          this.at.row,
          el("p", {}, el("button", { type: "button", onclick: () => this.drawAgain() }, "Draw again")),
          this.at.flips),
        panel("What it promises",
          el("p", {}, "However you guess, a clue changes the odds of one answer against another at most by the factor e",
            el("sup", {}, "ε"), ", up or down."),
          el("div", { className: "row" }, this.fields.other, prior),
          this.at.odds, this.at.beliefs)));
  }

  get fibble() { return this.fields.channel.control.value === "fibble"; }

  /** What is chosen, by the names that the server and the address have for it. */
  get chosen() {
    const typed = Object.entries(this.fields).map(([name, { control }]) => [name, control.value.trim()]);
    return { ...Object.fromEntries(typed), epsilon: this.epsilon, prior: this.prior.value, seed: this.seed };
  }

  drawAgain() {
    this.seed = (this.seed + 1) % SEEDS;
    this.change();
  }

  change() {
    this.read();
    this.tellSoon();
  }

  async readNow(signal) {
    this.slider.hidden = this.fibble;
    const { chosen } = this;
    for (const one of Object.values(this.fields)) one.fault(null);
    try {
      this.found = await get("/api/channel",
        { ...chosen, epsilon: this.fibble ? "inf" : chosen.epsilon, prior: chosen.prior / 100 }, { signal });
      const { length } = this.found.clue;
      if (this.capacities?.length !== length) {
        this.capacities = { length, ...await get("/api/channel/capacity", { length }, { signal }) };
      }
    } catch (error) {
      showError(error, this.fields, this.rest);
      return;
    }
    this.rest.hidden = true;
    this.words = chosen;
    this.fill();
  }

  /** Put the choice into the address, and say what it means, once the sliders rest. */
  tell() {
    this.state.set(Object.fromEntries(Object.entries(this.chosen).map(([name, value]) =>
      [name, String(value) === String(START[name]) ? null : value])));
    if (this.found) announce(`${this.at.tile.firstChild.textContent} ${this.at.odds.textContent}`);
  }

  fill() {
    const { found, at, words } = this;
    const { mark, flipped, clue, noisy, promise } = found;
    at.tile.replaceChildren(el("p", {}, this.fibble
      ? `One mark of the row is false, any of them. A mark is kept with probability ${percent(mark[0][0])}.`
      : `A mark is kept with probability e^(ε/${clue.length}) / (2 + e^(ε/${clue.length})) = ${percent(mark[0][0])}. Else it`
        + ` becomes one of the other two, each with ${percent(mark[1][0])}.`),
    table(["true", ...MARKS.map((one) => NAMES[one])], MARKS.map((one, i) =>
      [tiles(" ", one, { small: true }), ...MARKS.map((_, j) => chance(mark[j][i]))]), { caption: "How a mark comes out" }));
    at.row.replaceChildren(
      el("p", {}, el("span", { className: "note" }, "true clue"), el("br"), tiles(words.guess, clue)),
      el("p", {}, el("span", { className: "note" }, "what the player sees"), el("br"),
        tiles(words.guess, noisy, { flipped: clue })));
    at.flips.replaceChildren(
      el("p", {}, `All ${clue.length} marks survive with probability ${percent(flipped[0])}.`), table(["flipped", "probability"], flipped.map((share, n) => [String(n), chance(share)]),
        { caption: "Marks of the row that are flipped" }));
    at.odds.replaceChildren(...this.oddsTold(promise));
    at.bound.replaceChildren(el("p", {}, `A clue tells at most ${shown(found.capacity, 3)} bits about the answer. `
      + `${shown(found.noise_entropy, 3)} bits of what is seen are noise.`));
    const { signal } = this.state;
    draw(at.beliefs, beliefPicture(promise, words.answer), signal);
    draw(at.bits, this.capacityPicture(), signal);
  }

  oddsTold({ factor, most, differing, chosen }) {
    const { answer, other } = this.words;
    return [
      el("p", {}, `The true clues to ${answer} and ${other} differ in ${differing} of ${this.found.clue.length} marks. `
        + `The clue that was seen multiplies the odds of ${answer} by ${shown(factor ?? Infinity, 3)}; `
        + (most === null || most >= 1e9 ? "at this epsilon next to nothing is promised." : `the promise is at most ${shown(most, 3)}, and at least 1/${shown(most, 3)}.`)),
      el("p", {}, `From ${percent(chosen.prior)} before, ${answer} goes to ${percent(chosen.posterior)}. Any clue leaves it`
        + ` from ${percent(chosen.low)} to ${percent(chosen.high)}.`),
    ];
  }

  capacityPicture() {
    const { epsilons, bits, most } = this.capacities;
    const { capacity } = this.found;
    const line = { label: "most bits", look: 0, kind: "line", points: epsilons.map((epsilon, i) =>
      ({ x: epsilon, y: bits[i], title: `epsilon ${shown(epsilon, 3)}: ${shown(bits[i], 3)} bits` })) };
    const here = { label: "here", look: { name: "wrong" }, kind: "points", points: [{ x: this.epsilon, y: capacity }] };
    return {
      label: "Bits that a clue can tell against epsilon; the sentence above has the number",
      x: { label: "epsilon", log: true, range: [0.1, 100], ticks: [0.1, 0.3, 1, 3, 10, 30, 100] },
      y: { label: "bits", range: [0, 1.05 * Math.max(most, capacity)] },
      series: this.fibble || this.epsilon === "inf" ? [line] : [line, here],
      lines: [{ y: capacity, look: { name: "wrong", dash: "dot", width: 1 } }],
    };
  }
}

function beliefPicture({ curve, chosen }, answer) {
  const point = ({ prior, posterior, low, high }) => ({ x: prior, y: posterior, low, high,
    title: `before ${percent(prior)}, after ${percent(posterior)}, at most ${percent(high)}` });
  return {
    label: "Probability of the answer after the clue against before it; the sentence above has the numbers",
    x: { label: `probability of ${answer} before`, range: [0, 1], format: "percent" },
    y: { label: "after", range: [-0.02, 1.02], format: "percent" },
    series: [
      { label: "any clue", look: 0, kind: "band", points: curve.map((one) => ({ ...point(one), y: null, title: null })) },
      { label: "this clue", look: 1, kind: "line", points: curve.map((one) => ({ ...point(one), low: undefined })) },
      { label: "here", look: { name: "wrong" }, kind: "points", points: [point(chosen)] },
    ],
  };
}

const panel = (heading, ...children) => el("section", { className: "panel" }, el("h2", {}, heading), children);

/** A probability as a bar with its number. */
const chance = (share) => el("span", { className: "chance" }, el("span", {}, percent(share)), bar(share));

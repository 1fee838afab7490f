/** Explore: the distributions of the noisy clues to a few guesses, side by side. */

import { post } from "../api.js";
import { announce, debounced, el, field, percent, showError, shown, table } from "../dom.js";
import { epsilonSlider, readEpsilon } from "../epsilon.js";
import { spoken, tiles } from "../tiles.js";
import { forget, summaryOf, wordsField } from "../words.js";
import { Bars } from "./bars.js";
import { clueOf } from "./codes.js";
import { byProbability, distributionAt } from "./distribution.js";
import { historyEditor, rowsOf, turnsOf } from "./history.js";

const MOST = 4;
const START = ["crate", "salet"];
const OPENERS = ["salet", "crate", "soare", "raise", "trace", "slate", "adieu", "tares"];
const RULES = { letterwise: "Letterwise (WORDPL)", counted: "Counted (Wordle)" };
const COLUMNS = ["Guess", "Clue entropy, bits", "Noise entropy, bits", "Information gain, bits", "Expected top posterior",
  "P(it is the answer)", "Exact clues"];

export async function show(root, state) {
  const view = new CluesView(root, state);
  await view.build();
  await view.load();
}

class CluesView {
  constructor(root, state) {
    Object.assign(this, { root, state, found: null, code: null, panels: [] });
    this.epsilon = readEpsilon(state.get("epsilon", "13")) ?? 13;
    this.saySoon = debounced(() => announce(this.summary()), 600);
    this.writeSoon = debounced(() => state.set({ epsilon: this.epsilon }), 200);
    addEventListener("theme", () => this.panels.forEach(({ bars }) => bars.draw()), { signal: state.signal });
  }

  get log() { return this.state.get("scale") === "log"; }

  // Controls

  async build() {
    const { state } = this;
    const typed = state.all("guess");
    this.guesses = Array.from({ length: MOST }, (_, i) => this.guessField(i, (typed.length ? typed : START)[i] ?? ""));
    this.words = await wordsField(state.get("words", "original"), ({ name }) => this.change({ words: name }));
    const rule = el("select", { onchange: () => this.change({ rule: rule.value }) },
      Object.entries(RULES).map(([value, text]) => el("option", { value }, text)));
    rule.value = state.get("rule", "letterwise");
    this.rule = field("Repeat rule", rule);
    this.history = historyEditor(turnsOf(state.all("row")), (turns) => this.change({ row: rowsOf(turns) }));
    this.slider = epsilonSlider("Epsilon of the next clue", this.epsilon, (epsilon) => this.setEpsilon(epsilon));
    const log = el("input", { type: "checkbox", checked: this.log, onchange: () => {
      state.set({ scale: log.checked ? "log" : null });
      this.draw();
    } });
    this.rest = el("p", { className: "fault", hidden: true });
    this.standing = el("p", { className: "note" });
    this.figures = el("div");
    this.pictures = el("div", { className: "distributions" });
    this.root.append(
      el("p", {}, "How probable each clue to a guess is, the most probable first. Noise makes clues more alike: the flatter the"
        + " picture, the less the clue tells."),
      el("div", { className: "row" }, this.words, this.rule, this.guesses),
      el("div", { className: "row", role: "group", "aria-labelledby": "openers" },
        el("span", { className: "note", id: "openers" }, "Well-known first guesses:"), this.openers()),
      this.history,
      el("div", { className: "row slider" }, this.slider, el("label", {}, log, "Logarithmic scale")),
      this.rest, this.standing, this.pictures, this.figures);
  }

  guessField(i, value) {
    const input = el("input", { type: "text", value, size: 9, maxLength: 60, autocomplete: "off", autocapitalize: "off",
      spellcheck: false, onchange: () => this.guessesChanged() });
    return field(`Guess ${i + 1}`, input);
  }

  openers() {
    const put = (word) => {
      const boxes = this.guesses.map(({ control }) => control);
      if (boxes.some((box) => box.value.trim().toLowerCase() === word)) return;
      (boxes.find((box) => !box.value.trim()) ?? boxes[MOST - 1]).value = word;
      this.guessesChanged();
    };
    return OPENERS.map((word) => el("button", { type: "button", className: "quiet mono", onclick: () => put(word) }, word.toUpperCase()));
  }

  guessesChanged() {
    for (const box of this.guesses) box.fault(null);
    this.change({ guess: this.typed().map(({ value }) => value) });
  }

  /** The guesses that were typed, each with its field. */
  typed() {
    return this.guesses.map((box) => ({ box, value: box.control.value.trim() })).filter(({ value }) => value);
  }

  change(values) {
    this.state.set(values, { push: true });
    this.load();
  }

  // What the server knows

  async load() {
    this.loading?.abort();
    const loading = this.loading = new AbortController();
    this.state.signal.addEventListener("abort", () => loading.abort(), { once: true });
    this.rest.hidden = true;
    this.history.fault(null);
    const typed = this.typed();
    if (!typed.length) {
      this.found = null;
      this.figures.replaceChildren();
      this.pictures.replaceChildren();
      this.standing.textContent = "Type a guess.";
      return;
    }
    this.pictures.setAttribute("aria-busy", "true");
    try {
      const found = await this.ask(typed, loading.signal);
      if (loading.signal.aborted) return;
      this.found = found;
      this.showPanels();
    } catch (error) {
      if (!loading.signal.aborted) this.showFault(error, typed);
    } finally {
      if (!loading.signal.aborted) this.pictures.removeAttribute("aria-busy");
    }
  }

  async ask(typed, signal) {
    const { state } = this;
    const words = state.get("words", "original");
    const body = { words, rule: state.get("rule", "letterwise"), turns: turnsOf(state.all("row")),
      guesses: typed.map(({ value }) => value) };
    try {
      return await post("/api/distributions", body, { signal });
    } catch (error) {
      if (error.status !== 404) throw error;
      forget(words);  // one of the user's own, which the server may have let go of
      if (!await summaryOf(words)) throw error;
      return post("/api/distributions", body, { signal });
    }
  }

  showFault(error, typed) {
    const [name, at, part] = (error.field ?? "").split(".");
    const said = (place) => {
      place(error.message);
      announce(error.message);
    };
    if (name === "guesses" && at !== undefined) said(typed[at].box.fault);
    else if (name === "turns") said((message) => this.history.fault(message, at === undefined ? null : Number(at), part));
    else showError(error, { words: this.words, rule: this.rule }, this.rest);
  }

  // Pictures

  showPanels() {
    const { found } = this;
    const count = found.answers.toLocaleString("en");
    this.standing.textContent = `${count} ${found.answers === 1 ? "answer is" : "answers are"} possible; ${shown(found.entropy)} bits are left to learn.`;
    this.panels = found.guesses.map((guess, i) => this.panel(guess, i));
    this.pictures.replaceChildren(...this.panels.map(({ element }) => element));
    this.draw();
    this.saySoon();
  }

  panel(guess, i) {
    const word = guess.guess.toUpperCase();
    const bars = new Bars(`Clues to ${word}, the most probable first`, `series-${i + 1}`,
      { point: (code) => this.pointAt(code), signal: this.state.signal });
    const said = el("div", { className: "cell-info" });
    const gain = el("span", { className: "note" });
    const element = el("section", { className: "panel" },
      el("div", { className: "cell-info" }, el("h2", { className: "mono" }, word), gain), bars.canvas, said);
    return { guess, bars, gain, said, element };
  }

  setEpsilon(epsilon) {
    this.epsilon = epsilon;
    this.writeSoon();
    this.saySoon();
    this.pending ??= requestAnimationFrame(() => {
      this.pending = null;
      this.draw();
    });
  }

  /** Work out all distributions at the epsilon, and draw them on one scale. */
  draw() {
    if (!this.found) return;
    const { length } = this.found;
    for (const panel of this.panels) panel.at = distributionAt(panel.guess, this.epsilon, length);
    const orders = this.panels.map(({ at }) => byProbability(at.noisy));
    const most = Math.max(...this.panels.map(({ at }, i) => at.noisy[orders[i][0]]));
    // The pictures first, the texts after: each text that changes makes the browser lay out the page again.
    this.panels.forEach(({ at, bars }, i) => bars.show(at.noisy, orders[i], { most, log: this.log, marked: this.code }));
    for (const { at, gain } of this.panels) gain.textContent = `tells ${at.informationGain.toFixed(2)} bits`;
    this.figures.replaceChildren(table(COLUMNS, this.panels.map(({ guess, at }) => [
      guess.guess.toUpperCase(), ...[at.clueEntropy, at.noiseEntropy, at.informationGain, at.expectedTop].map((value) => value.toFixed(4)),
      percent(guess.chance), guess.codes.length,
    ]), { caption: "The guesses in numbers", numbers: COLUMNS.slice(1) }));
    this.sayCode();
  }

  summary() {
    return this.found ? this.panels.map(({ guess, at }) =>
      `${guess.guess.toUpperCase()}: information gain ${shown(at.informationGain, 3)} bits`).join("; ") : "";
  }

  pointAt(code) {
    this.code = code;
    for (const { bars } of this.panels) bars.mark(code);
    this.sayCode();
  }

  /** Say of the clue that is pointed at how probable it is, in every panel. */
  sayCode() {
    const { length } = this.found;
    for (const { guess, at, bars, said } of this.panels) {
      if (this.code === null || this.code >= at.noisy.length) {
        said.replaceChildren(el("span", { className: "note" }, "Point at a bar, or move from bar to bar with the arrow keys."));
        bars.say("no clue chosen");
        continue;
      }
      const clue = clueOf(this.code, length);
      const text = `${percent(at.noisy[this.code])}, without noise ${percent(at.exact[this.code])}`;
      said.replaceChildren(tiles(guess.guess, clue, { small: true }), el("span", {}, text));
      bars.say(`${spoken(guess.guess, clue)}: ${text}`);
    }
  }
}

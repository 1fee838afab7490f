/** Explore: the distributions of the noisy clues to a few guesses, side by side. */

import { announce, debounced, el, field, percent, showError, shown, table } from "../dom.js";
import { epsilonSlider, readEpsilon } from "../epsilon.js";
import { RULES, select } from "../game_fields.js";
import { latest } from "../latest.js";
import { letters, readRows, writeRow } from "../rows.js";
import { spoken, tiles } from "../tiles.js";
import { postOfList, wordsField } from "../words.js";
import { Bars } from "./bars.js";
import { clueOf } from "./codes.js";
import { byProbability, distributionAt } from "./distribution.js";
import { historyEditor } from "./history.js";

const MOST = 4;
const START = ["crate", "salet"];
const OPENERS = ["salet", "crate", "soare", "raise", "trace", "slate", "adieu", "tares"];
const COLUMNS = ["Guess", "Clue entropy, bits", "Noise entropy, bits", "Information gain, bits", "Expected top posterior",
  "Chance of being the answer", "Exact clues"];

export async function show(root, state) {
  const view = new CluesView(root, state);
  await view.build();
  await view.load();
}

class CluesView {
  constructor(root, state) {
    Object.assign(this, { root, state, found: null, code: null, panels: [], length: 5 });
    this.epsilon = readEpsilon(state.get("epsilon", "13")) ?? 13;
    this.saySoon = debounced(() => announce(this.summary()), 600);
    this.writeSoon = debounced(() => state.set({ epsilon: this.epsilon }), 200);
    this.load = latest((signal, rows) => this.loadNow(signal, rows), state.signal);
    addEventListener("theme", () => this.panels.forEach(({ bars }) => bars.draw()), { signal: state.signal });
  }

  get log() { return this.state.get("scale") === "log"; }

  // Controls

  async build() {
    const { state } = this;
    const typed = state.all("guess");
    const first = typed.length || state.get("words") ? typed : START;
    this.guesses = Array.from({ length: MOST }, (_, i) => this.guessField(i, first[i] ?? ""));
    this.words = await wordsField(state.get("words", "original"), (list) => this.listChanged(list));
    this.rule = select("Repeat rule", RULES, state.get("rule", "letterwise"));
    this.rule.control.addEventListener("change", ({ target }) => this.change({ rule: target.value }));
    this.history = this.historyField();
    this.slider = epsilonSlider("Epsilon of the clues below", this.epsilon, (epsilon) => this.setEpsilon(epsilon));
    const log = el("input", { type: "checkbox", checked: this.log, onchange: () => {
      state.set({ scale: log.checked ? "log" : null });
      this.draw();
    } });
    this.firsts = el("div", { className: "row openers", role: "group", "aria-labelledby": "openers" },
      el("span", { className: "note", id: "openers" }, "Well-known first guesses:"), this.openers());
    this.rest = el("p", { className: "fault", hidden: true });
    this.standing = el("p", { className: "note" });
    this.figures = el("div", { className: "figures" });
    this.pictures = el("div", { className: "distributions" });
    this.root.append(
      el("p", {}, "How probable each clue to a guess is, the most probable first. Noise makes clues more alike: the flatter the"
        + " picture, the less the clue tells."),
      el("div", { className: "row" }, this.words, this.rule, this.guesses),
      this.firsts,
      el("div", { className: "with-history" }, this.history,
        el("div", {}, el("div", { className: "row slider" }, this.slider, el("label", {}, log, "Logarithmic scale")),
          this.rest, this.standing, this.pictures, this.figures)));
  }

  historyField() {
    const { state } = this;
    const write = (rows) => state.set({ row: rows.map(writeRow) }, { push: true });
    const soon = debounced((rows) => {
      write(rows);
      this.load();
    }, 150);
    return historyEditor(readRows(state.all("row")), {
      length: () => this.length,
      onchange: soon,
      onadd: async (rows) => {
        const error = await this.load(rows);
        if (!error) write(rows);
        return error;
      },
    });
  }

  /** Another list: words of another length go. */
  listChanged({ name, length }) {
    const fits = (word) => [...letters(word)].length === length;
    for (const { control } of this.guesses) if (!fits(control.value.trim())) control.value = "";
    const rows = readRows(this.state.all("row")).filter(({ guess }) => fits(guess)).map(writeRow);
    this.setLength(length);
    this.change({ words: name, row: rows, guess: this.typed().map(({ value }) => value) });
    const history = this.historyField();
    this.history.replaceWith(history);
    this.history = history;
  }

  setLength(length) {
    this.length = length;
    this.firsts.hidden = length !== 5;
  }

  guessField(i, value) {
    const input = el("input", { type: "text", value, size: 9, maxLength: 60, autocomplete: "off", autocapitalize: "none",
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
    return OPENERS.map((word) =>
      el("button", { type: "button", className: "quiet mono", onclick: () => put(word) }, word.toUpperCase()));
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

  /**
   * Ask, and draw what is found; returns the error if there is one. `added` are rows that are kept only if all is well:
   * then what is wrong with them is not shown here.
   */
  async loadNow(signal, added = null) {
    const typed = this.typed();
    this.rest.hidden = true;
    this.history.fault(null);
    if (!typed.length) {
      this.found = null;
      this.panels = [];
      this.figures.replaceChildren();
      this.pictures.replaceChildren();
      this.standing.textContent = "Type a guess.";
      return null;
    }
    this.pictures.setAttribute("aria-busy", "true");
    try {
      const found = await this.ask(typed, added ?? readRows(this.state.all("row")), signal);
      if (signal.aborted) return null;
      this.found = found;
      this.showPanels();
      return null;
    } catch (error) {
      if (!signal.aborted && !(added && error.field?.startsWith("turns"))) this.showFault(error, typed);
      return error;
    } finally {
      if (!signal.aborted) this.pictures.removeAttribute("aria-busy");
    }
  }

  ask(typed, turns, signal) {
    const words = this.state.get("words", "original");
    const body = { words, rule: this.state.get("rule", "letterwise"), turns, guesses: typed.map(({ value }) => value) };
    return postOfList("/api/distributions", body, { signal });
  }

  showFault(error, typed) {
    const [name, at] = (error.field ?? "").split(".");
    if (name === "guesses" && at !== undefined) typed[at].box.fault(error.message);
    else if (name === "turns") this.history.fault(error.message, at === undefined ? null : Number(at));
    else {
      showError(error, { words: this.words, rule: this.rule }, this.rest);
      return;
    }
    announce(error.message);
  }

  // Pictures

  showPanels() {
    const { found } = this;
    const count = found.answers.toLocaleString("en");
    const possible = found.answers === 1 ? "answer is possible" : "answers are possible";
    this.standing.textContent = `${count} ${possible}; ${shown(found.entropy)} bits are left to learn.`;
    this.setLength(found.length);
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
      guess.guess.toUpperCase(),
      ...[at.clueEntropy, at.noiseEntropy, at.informationGain, at.expectedTop].map((value) => value.toFixed(4)),
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

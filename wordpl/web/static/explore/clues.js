/** Explore: the distributions of the noisy clues to a few guesses, side by side. */

import { anyEpsilon, keyOf, many, nonempty, parsed } from "../address.js";
import { turnsEditor } from "../coach/turns.js";
import { announce, counted, debounced, el, field, percent, showError, shown, table, wordBox } from "../dom.js";
import { epsilonSlider } from "../epsilon.js";
import { RULES, select } from "../game_fields.js";
import { latest } from "../latest.js";
import { ROW, letters, readRow, writeRow } from "../rows.js";
import { spoken, tiles } from "../tiles.js";
import { postOfList, wordsField } from "../words.js";
import { Bars } from "./bars.js";
import { clueOf } from "./colours.js";
import { byProbability, distributionAt } from "./distribution.js";

const [MOST, MOST_ROWS] = [4, 100];
const START = ["crate", "salet"];
const COLUMNS = ["Guess", "Clue entropy, bits", "Noise entropy, bits", "Information gain, bits", "Expected top posterior",
  "Chance of being the answer", "Exact clues"];

export async function show(root, state) {
  const row = parsed(ROW, (text) => readRow(text, true));
  state.expect({ words: nonempty(40), rule: keyOf(RULES), guess: many(nonempty(60), MOST), row: many(row, MOST_ROWS), epsilon: anyEpsilon });
  const view = new CluesView(root, state);
  await view.build();
  await view.load();
}

class CluesView {
  constructor(root, state) {
    Object.assign(this, { root, state, code: null, panels: [], length: 5 });
    this.epsilon = state.get("epsilon", 13);
    this.saySoon = debounced(() => announce(this.panels.map(({ word, at }) =>
      `${word}: information gain ${shown(at.informationGain, 3)} bits`).join("; ")), 600);
    this.writeSoon = debounced(() => state.set({ epsilon: this.epsilon }), 200);
    this.load = latest((signal, rows) => this.loadNow(signal, rows), state.signal);
  }

  get rows() { return this.state.all("row"); }

  // Controls

  async build() {
    const { state } = this;
    const typed = state.all("guess");
    const first = typed.length || state.get("words") ? typed : START;
    this.guesses = Array.from({ length: MOST }, (_, i) =>
      field(`Guess ${i + 1}`, wordBox(first[i] ?? "", { size: 9, maxLength: 60, onchange: () => this.guessesChanged() })));
    this.words = await wordsField(state.get("words", "original"), (list) => this.listChanged(list));
    this.rule = select("Repeat rule", RULES, state.get("rule", "letterwise"), (rule) => this.change({ rule }));
    this.history = this.historyField();
    const slider = epsilonSlider("Epsilon of the clues below", this.epsilon, (epsilon) => {
      this.epsilon = epsilon;
      this.writeSoon();
      this.saySoon();
      this.draw();
    }, { game: () => this });
    this.rest = el("p", { className: "fault", hidden: true });
    this.standing = el("p", { className: "note" });
    this.figures = el("div", { className: "figures" });
    this.pictures = el("div", { className: "distributions" });
    this.root.append(
      el("p", {}, "How probable each clue to a guess is, the most probable first. Noise makes the clues to a guess more alike:"
        + " as its picture gets flatter, its clue tells less."),
      el("div", { className: "row" }, this.words, this.rule, this.guesses),
      el("div", { className: "with-history" }, this.history,
        el("div", {}, el("div", { className: "row slider" }, slider), this.rest, this.standing, this.pictures, this.figures)));
  }

  /** The clues so far: the rows of Coach, in a part of the page that opens. */
  historyField() {
    let { rows } = this;
    const keep = (changed) => this.state.set({ row: changed.map((row) => writeRow(row, true)) }, { push: true });
    const changeSoon = debounced((changed) => {
      keep(changed);
      this.load();
    }, 150);
    const editor = turnsEditor({
      length: () => this.length,
      ondraft: () => {},
      onrows: (changed) => {
        rows = changed;
        changeSoon(rows);
      },
      submit: async (change) => {
        const changed = change(rows);
        const error = await this.load(changed);
        // What is wrong with all rows together began with this one.
        if (error) editor.fault(error.field === "turns" ? { message: error.message, field: `turns.${rows.length}.guess` } : error);
        else {
          rows = changed;
          keep(rows);
        }
        return !error;
      },
    });
    editor.set(rows, { guess: "", clue: "", epsilon: 13 }, () => this);
    this.editor = editor;
    return el("details", { open: rows.length > 0 }, el("summary", {}, "After these clues"),
      el("div", { className: "history" }, editor));
  }

  /** Another list: words of another length go. */
  listChanged({ name: list, length }) {
    const fits = (word) => [...letters(word)].length === length;
    for (const { control } of this.guesses) if (!fits(control.value.trim())) control.value = "";
    this.length = length;
    const rows = this.rows.filter(({ guess }) => fits(guess)).map((row) => writeRow(row, true));
    this.change({ words: list, row: rows, guess: this.typed().map(wordIn) });
    const history = this.historyField();
    this.history.replaceWith(history);
    this.history = history;
  }

  guessesChanged() {
    for (const box of this.guesses) box.fault(null);
    this.change({ guess: this.typed().map(wordIn) });
  }

  /** The fields in which a guess was typed. */
  typed() { return this.guesses.filter(wordIn); }

  change(values) {
    this.state.set(values, { push: true });
    this.load();
  }

  // What the server knows

  /**
   * Ask, and draw the answer; returns the error if there is one. `added` are rows that are kept only if all is well: then
   * what is wrong with them is not shown here.
   */
  async loadNow(signal, added = null) {
    const typed = this.typed();
    this.rest.hidden = true;
    this.editor.fault(null);
    if (!typed.length) {
      this.panels = [];
      this.figures.replaceChildren();
      this.pictures.replaceChildren();
      this.standing.textContent = "Type a guess.";
      return null;
    }
    this.pictures.setAttribute("aria-busy", "true");
    try {
      const { state } = this;
      const body = { words: state.get("words", "original"), rule: state.get("rule", "letterwise"), turns: added ?? this.rows,
        guesses: typed.map(wordIn) };
      const answer = await postOfList("/api/distributions", body, { signal });
      if (!signal.aborted) this.showPanels(answer);
      return null;
    } catch (error) {
      if (!signal.aborted && !(added && error.field?.startsWith("turns"))) this.showFault(error, typed);
      return error;
    } finally {
      if (!signal.aborted) this.pictures.removeAttribute("aria-busy");
    }
  }

  showFault(error, typed) {
    const [name, at] = (error.field ?? "").split(".");
    if (name === "turns") this.history.open = true;
    if (!this.editor.fault(error)) showError(error, { words: this.words, rule: this.rule, guesses: typed[at] }, this.rest);
  }

  // Pictures

  showPanels({ answers, entropy, length, guesses }) {
    this.standing.textContent = `${counted(answers, "answer is", "answers are")} possible; ${shown(entropy)} bits are left to learn.`;
    this.length = length;
    this.panels = guesses.map((guess, i) => this.panel(guess, i));
    this.pictures.replaceChildren(...this.panels.map(({ element }) => element));
    this.draw();
    this.saySoon();
  }

  panel(guess, i) {
    const word = guess.guess.toUpperCase();
    const bars = new Bars(`Clues to ${word}, the most probable first`, `series-${i + 1}`, (code) => {
      this.code = code;
      this.draw();
    });
    const said = el("div", { className: "cell-info" });
    const gain = el("span", { className: "note" });
    const element = el("section", { className: "panel" },
      el("div", { className: "cell-info" }, el("h2", { className: "mono" }, word), gain), bars.element, said);
    return { guess, word, bars, gain, said, element };
  }

  /** Work out all distributions at the epsilon, and draw them on a scale that fits at every epsilon. */
  draw() {
    if (!this.panels.length) return;
    const most = Math.max(...this.panels.flatMap(({ guess }) => guess.probabilities));
    for (const panel of this.panels) {
      const { guess, bars, gain, said } = panel;
      const length = [...guess.guess].length;
      panel.at = distributionAt(guess, this.epsilon, length);
      const { exact, noisy, informationGain } = panel.at;
      gain.textContent = `tells ${informationGain.toFixed(2)} bits`;
      let text = "no clue chosen";
      said.replaceChildren(el("span", { className: "note" }, "Point at a bar, or move from bar to bar with the arrow keys."));
      if (this.code in noisy) {
        const clue = clueOf(this.code, length);
        const chances = `${percent(noisy[this.code])}, without noise ${percent(exact[this.code])}`;
        text = `${spoken(guess.guess, clue)}: ${chances}`;
        said.replaceChildren(tiles(guess.guess, clue, { small: true }), el("span", {}, chances));
      }
      bars.show({ values: noisy, order: byProbability(noisy), most, marked: this.code, text });
    }
    this.figures.replaceChildren(table(COLUMNS, this.panels.map(({ guess, word, at }) => [
      word, ...[at.clueEntropy, at.noiseEntropy, at.informationGain, at.expectedTop].map((value) => value.toFixed(4)),
      percent(guess.chance), guess.codes.length,
    ]), { caption: "The guesses in numbers", numbers: COLUMNS.slice(1) }));
  }
}

const wordIn = (box) => box.control.value.trim();

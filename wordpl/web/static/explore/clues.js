/** Explore: the distributions of the noisy clues to a few guesses, side by side. */

import { anyEpsilon, keyOf, many, nonempty, parsed } from "../address.js";
import { announce, counted, debounced, el, field, percent, showError, shown, wordBox } from "../dom.js";
import { epsilonSlider } from "../epsilon.js";
import { RULES, coachAddress, select } from "../game_fields.js";
import { latest } from "../latest.js";
import { ROW, capitals, lengthOf, letters, readRow, writeRow } from "../rows.js";
import { figure } from "../save.js";
import { sheet } from "../sheet.js";
import { retyped } from "../storage.js";
import { spoken, tiles } from "../tiles.js";
import { postOfList, wordsField } from "../words.js";
import { clueOf } from "./colours.js";

const [MOST, MOST_ROWS] = [4, 100];
const START = ["crate", "salet"];
const score = (name, of) => ({ name, of: ({ guess }) => guess[of], write: (value) => value.toFixed(4) });
const COLUMNS = [{ name: "guess", of: ({ word }) => word }, score("clue entropy, bits", "clue_entropy"), score("noise entropy, bits", "noise_entropy"),
  score("information gain, bits", "information_gain"), score("expected top posterior", "expected_top"),
  { name: "chance of being the answer", of: ({ guess }) => guess.chance, write: (chance) => percent(chance) },
  { name: "exact clues", of: ({ guess }) => guess.exact.filter(Boolean).length }];

export async function show(root, state) {
  const row = parsed(ROW, (text) => readRow(text, true));
  state.expect({ words: nonempty(40), rule: keyOf(RULES), guess: many(nonempty(60), MOST), row: many(row, MOST_ROWS), epsilon: anyEpsilon });
  const view = new CluesView(root, state);
  view.build();
  await view.load();
}

class CluesView {
  constructor(root, state) {
    Object.assign(this, { root, state, code: null, panels: [], length: 5 });
    this.epsilon = state.get("epsilon", 13);
    this.saySoon = debounced(() => announce(this.panels.map(({ word, guess }) =>
      `${word}: information gain ${shown(guess.information_gain, 3)} bits`).join("; ")), 600);
    this.moved = debounced(() => {
      state.set({ epsilon: this.epsilon });
      this.load();
    }, 30);
    this.load = latest((signal) => this.loadNow(signal), state.signal);
  }

  get rows() { return this.state.all("row"); }

  build() {
    const { state } = this;
    const typed = state.all("guess");
    const first = typed.length || state.get("words") ? typed : START;
    this.guesses = Array.from({ length: MOST }, (_, i) =>
      field(`Guess ${i + 1}`, retyped(`guess ${i}`, wordBox(first[i] ?? "", { size: 9, maxLength: 60, onchange: () => this.change({ guess: this.typed().map(wordIn) }) }))));
    this.words = wordsField(state.get("words", "original"), (list) => this.listChanged(list));
    this.rule = select("Repeat rule", RULES, state.get("rule", "letterwise"), (rule) => this.change({ rule }));
    this.history = el("p", { className: "note" });
    this.slider = epsilonSlider("Epsilon of the clues below", this.epsilon, (epsilon) => {
      this.epsilon = epsilon;
      this.moved();
    }, { game: () => this });
    this.rest = el("p", { className: "fault", hidden: true });
    this.standing = el("p", { className: "note" });
    this.numbers = sheet("The guesses in numbers");
    this.pictures = el("div", { className: "columns distributions" });
    this.root.append(
      el("p", {}, "How probable each clue to a guess is, the most probable first. Noise makes the clues to a guess more alike:"
        + " as its picture gets flatter, its clue tells less."),
      el("div", { className: "row" }, this.words, this.rule), el("div", { className: "row" }, this.guesses),
      this.history, el("div", { className: "row slider" }, this.slider), this.rest, this.standing, this.pictures, this.numbers);
    this.drawHistory();
  }

  /** Show the clues so far, which are changed in Coach. */
  drawHistory() {
    const { rows, state } = this;
    const address = coachAddress({ game: "wordpl", words: state.get("words", "original"), rule: state.get("rule", "letterwise"), channel: "randomized_response" }, rows);
    this.history.replaceChildren(rows.length ? "After " : "Before any clue. ", ...rows.flatMap(({ guess, clue, epsilon }) =>
      [tiles(letters(guess), clue, { tiny: true }), ` at ${shown(epsilon)}, `]), el("a", { href: address, "data-link": "" }, rows.length ? "change these clues" : "Enter clues in Coach"), ".");
  }

  /** Another list: words of another length go. */
  listChanged({ name: list, length }) {
    const fits = (word) => lengthOf(word) === length;
    for (const { control } of this.guesses) if (!fits(control.value.trim())) control.value = "";
    this.setLength(length);
    const rows = this.rows.filter(({ guess }) => fits(guess)).map((row) => writeRow(row, true));
    this.change({ words: list, row: rows, guess: this.typed().map(wordIn) });
    this.drawHistory();
  }

  /** What an epsilon means depends on the length of the words. */
  setLength(length) {
    if (length === this.length) return;
    this.length = length;
    this.slider.set(this.epsilon);
  }

  typed() { return this.guesses.filter(wordIn); }

  change(values) {
    this.state.set(values, { push: true });
    this.load();
  }

  /** Ask, and draw the answer. */
  async loadNow(signal) {
    const typed = this.typed();
    this.rest.hidden = true;
    for (const box of this.guesses) box.fault(null);
    if (!typed.length) {
      this.panels = [];
      this.numbers.put(COLUMNS, []);
      this.pictures.replaceChildren();
      this.standing.textContent = "Type a guess.";
      return;
    }
    try {
      const body = { words: this.state.get("words", "original"), rule: this.state.get("rule", "letterwise"), turns: this.rows,
        guesses: typed.map(wordIn), epsilon: this.epsilon };
      const answer = await postOfList("/api/distributions", body, { signal });
      if (!signal.aborted) this.showPanels(answer);
    } catch (error) {
      const [, at] = (error.field ?? "").split(".");
      showError(error, { words: this.words, rule: this.rule, guesses: typed[at] }, this.rest);
    }
  }

  showPanels({ answers, entropy, length, guesses }) {
    this.standing.textContent = `${counted(answers, "answer is", "answers are")} possible; ${shown(entropy)} bits are left to learn.`;
    this.setLength(length);
    if (guesses.map(({ guess }) => guess).join() !== this.panels.map(({ guess }) => guess.guess).join()) {
      this.panels = guesses.map((guess, i) => this.panel(guess, i));
      this.pictures.replaceChildren(...this.panels.map(({ element }) => element));
    }
    guesses.forEach((guess, i) => Object.assign(this.panels[i], { guess }));
    this.draw();
    this.saySoon();
  }

  panel(guess, i) {
    const word = capitals(guess.guess);
    const picture = figure(`Clues to ${word}`);
    const gain = el("span", { className: "note" });
    return { guess, word, look: i, picture, gain, element: el("section", { className: "panel" },
      el("div", { className: "cell-info" }, el("h2", { className: "mono" }, word), gain), picture) };
  }

  /** Draw all distributions on a scale that fits at every epsilon. */
  draw() {
    const most = Math.max(...this.panels.flatMap(({ guess }) => guess.exact));
    for (const { guess, guess: { exact, noisy }, word, look, picture, gain } of this.panels) {
      gain.textContent = `tells ${guess.information_gain.toFixed(2)} bits`;
      const order = [...noisy.keys()].sort((a, b) => noisy[b] - noisy[a]);
      const length = lengthOf(guess.guess); // not that of a list chosen since
      const points = order.map((code, rank) => {
        const clue = clueOf(code, length);
        return { x: rank + 1, y: noisy[code], name: clue, title: `${spoken(guess.guess, clue)}: ${percent(noisy[code])}, without noise ${percent(exact[code])}` };
      });
      picture.draw({
        label: `The most probable of ${counted(order.length, "clue")} comes with ${percent(noisy[order[0]])}.`, at: this.code === null ? -1 : order.indexOf(this.code),
        x: { label: "clues, the most probable first", range: [0, order.length + 1] }, y: { label: "probability", range: [0, most], format: "percent" },
        series: [{ label: word, look, kind: "bars", points }],
        onpoint: (rank) => this.pointAt(order[rank]),
      });
    }
    this.numbers.put(COLUMNS, this.panels);
  }

  /** Mark a clue in all pictures. */
  pointAt(code) {
    if (code === this.code) return;
    this.code = code;
    this.draw();
  }
}

const wordIn = (box) => box.control.value.trim();

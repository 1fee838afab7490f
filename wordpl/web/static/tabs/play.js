/** Play: a game against the server. The address has all of it: its id, in which the server has sealed it, and the moves. */

import { withQuery } from "../api.js";
import { announce, el, percent, showError } from "../dom.js";
import { readEpsilon } from "../epsilon.js";
import { keyboard, letterMarks, listen } from "../keyboard.js";
import { go } from "../main.js";
import { drawBoard } from "../play/board.js";
import { epsilonChoices } from "../play/choices.js";
import { keepDaily, movesOf } from "../play/daily.js";
import { endPanel } from "../play/end.js";
import { addressOf, begin, play, readMoves, records, termsIn, termsOf } from "../play/game.js";
import { helpPanel } from "../play/help.js";
import { budgetMeter } from "../play/meter.js";
import { setup } from "../play/setup.js";
import { CERTAIN } from "../play/story.js";
import { spoken } from "../tiles.js";
import { summaryOf } from "../words.js";

export const title = "Play";

const EPSILON = 13;
const LAST = "play:last";

export async function show(root, state) {
  root.append(el("h1", { className: "unseen" }, "Play"));
  const game = await opened(root, state);
  if (!game || state.signal.aborted) return;
  const choose = await setup(termsIn(game), (chosen) => another(state, chosen));
  if (!state.signal.aborted) new Table(root, state, game, choose).draw();
}

/** The game of the address; else the one that goes on in this window; else a new one. Null if there is none to show. */
async function opened(root, state) {
  if (!location.search) {
    const last = new URLSearchParams(kept());
    state.set(Object.fromEntries([...last.keys()].map((name) => [name, last.getAll(name)])));
  }
  const terms = termsOf(state);
  const id = state.get("game");
  try {
    let game = id ? await play({ id, words: terms.words }, readMoves(state), state.signal) : await begin(terms, state.signal);
    if (!game.moves.length && movesOf(game).length) game = await play(game, movesOf(game), state.signal);
    state.set(addressOf(game));
    return game;
  } catch (error) {
    if (error.status !== 404 && error.status !== 422) throw error;
    keep(null);
    await gone(root, state, terms, error);
    return null;
  }
}

/** A new game in place of the one that is shown, perhaps with the answer of the game `again`; Back returns to that. */
const another = async (state, terms, again) => goTo(state, await begin(terms, state.signal, again));

const goTo = (state, game) =>
  go(withQuery("/play", { epsilon: state.get("epsilon"), help: state.get("help"), ...addressOf(game) }));

/** Say that there is no such game or list, and offer a new game. */
async function gone(root, state, terms, error) {
  const known = await summaryOf(terms.words);
  const next = known ? terms : { ...terms, words: "original" };
  const said = el("p", { className: "fault" });
  root.append(said, el("button", { type: "button", className: "main", onclick: () =>
    another(state, next).catch((failure) => showError(failure, {}, said)) }, "New game"));
  showError(error, {}, said);
}

// The address of the game that goes on, kept as long as this window is open

function kept() {
  try { return sessionStorage.getItem(LAST) ?? ""; } catch { return ""; }
}

function keep(address) {
  try { sessionStorage.setItem(LAST, address ?? ""); } catch { /* private browsing: it is not kept */ }
}

/** A button that asks once before it does its work. It has `rest()`, which takes the question back. */
function askingOnce(text, question, work) {
  const button = el("button", { type: "button", onblur: () => button.rest(), onclick: () => {
    const asked = !button.dataset.sure && question();
    if (button.dataset.sure) {
      work();
    } else if (asked) {
      button.dataset.sure = "asked";
      button.textContent = asked;
      announce(asked);
    }
  } });
  button.rest = () => {
    delete button.dataset.sure;
    button.textContent = text();
  };
  button.rest();
  return button;
}

/** The board with everything around it. */
class Table {
  constructor(root, state, game, choose) {
    Object.assign(this, { state, game, typed: "", sent: null, best: null, noisy: game.kind === "wordpl" });
    this.epsilon = readEpsilon(state.get("epsilon") ?? "") ?? EPSILON;
    if (this.epsilon === "inf") this.epsilon = EPSILON;
    const press = {
      letter: (letter) => this.type(letter), back: () => this.back(), enter: (shift) => this.enter(shift === true),
    };
    this.rows = el("div", { className: "rows", role: "region", "aria-label": "Board", tabIndex: 0 });
    this.fault = el("p", { className: "fault", id: "play-fault", hidden: true });
    this.keys = keyboard(game.letters, this.noisy ? "Ask" : "Enter", press);
    this.help = helpPanel(state, this.noisy ? "bet" : "none", (word) => this.put(word), (best) => this.advise(best));
    this.side = el("div", {}, choose, this.help);
    this.bet = el("p", { className: "bet" });
    this.propose = this.noisy && askingOnce(() => `Propose ${this.proposal?.toUpperCase() ?? ""}`, () => this.question(),
      () => this.send({ action: "propose", word: this.proposal }));
    this.give = askingOnce(() => "Give up", () => "Really give up?", () => this.send({ action: "give_up" }));
    this.give.className = "quiet";
    const more = el("button", { type: "button", className: "quiet", "aria-label": "Other games and help",
      onclick: () => this.side.scrollIntoView() }, "More");
    this.meter = this.noisy && budgetMeter();
    this.controls = el("div", { className: "controls" }, this.fault,
      el("div", { className: "betting" }, this.bet, this.propose), this.noisy && this.choices(),
      el("div", { className: "betting" }, this.meter ? this.meter.text : el("p"), el("span", {}, more, this.give)), this.meter);
    if (this.noisy && game.words === "original" && game.rule === "letterwise") {
      records(state.signal).then(this.meter.beside, (error) => showError(error, {}, this.fault));
    }
    this.table = el("div", { className: "table" }, this.rows, this.controls, this.keys);
    this.whole = el("div", { className: "play" }, this.table, this.side);
    root.append(this.whole);
    new ResizeObserver(() => this.reveal()).observe(this.rows);
    listen(game.letters, press, state.signal);
  }

  choices() {
    const choices = epsilonChoices(this.epsilon, this.game.length, (epsilon) => {
      this.epsilon = epsilon;
      this.state.set({ epsilon: epsilon === EPSILON ? null : epsilon });
      this.spending();
      this.help.show(this.game, epsilon);
    });
    choices.done = () => this.rows.focus();
    return choices;
  }

  // Typing. While the server is asked, what is typed is for the row after.

  get isWhole() { return [...this.typed].length === this.game.length; }

  type(letter) {
    if (!this.game.result && !this.isWhole) this.change(this.typed + letter);
  }

  back() {
    if (!this.game.result) this.change([...this.typed].slice(0, -1).join(""));
  }

  put(word) {
    if (this.game.result) return;
    this.change(word);
    announce(`${word} is in the row.`);
  }

  change(typed) {
    this.typed = typed;
    if (this.sent === null) this.changed();
  }

  changed() {
    this.fault.hidden = true;
    this.drawRows();
    if (this.propose) this.propose.rest();
  }

  /** Ask the word that is typed, or propose it or the best bet. */
  enter(propose) {
    if (this.game.result || this.sent !== null) return;
    if (propose && this.noisy) this.propose.click();
    else if (this.isWhole) this.send({ action: "ask", word: this.typed, epsilon: this.noisy ? this.epsilon : null });
    else this.short();
  }

  short() {
    showError({ name: "Short", status: 422, message: `Type a word of ${this.game.length} letters.` }, {}, this.fault);
  }

  async send(given) {
    if (this.sent !== null) return;
    this.sent = this.typed;
    this.typed = "";
    this.fault.hidden = true;
    try {
      const game = await play(this.game, [...this.game.moves, given], this.state.signal);
      this.sent = null;
      this.take(game);
    } catch (error) {
      this.typed = this.sent;
      this.sent = null;
      showError(error, {}, this.fault);
    }
  }

  take(game) {
    const row = game.rows.length > this.game.rows.length ? game.rows.at(-1) : null;
    this.game = game;
    this.state.set(addressOf(game));
    this.draw();
    const said = row ? `${row.guess}: ${spoken(row.guess, row.clue)}.` : "";
    announce(`${said} ${game.result ? this.end.told : ""}`.trim());
    if (game.result) this.end.focus();
  }

  // The proposal

  /** What Propose proposes: the word that is typed, else the best bet. */
  get proposal() {
    if (this.isWhole) return this.typed;
    return this.typed ? null : this.best?.word;
  }

  question() {
    const { best, proposal } = this;
    if (!proposal) return this.short();
    const chance = best && percent(best.chance, 2);
    if (proposal === best?.word) return `Propose ${proposal.toUpperCase()}? It is right with ${chance}.`;
    const other = best ? `The best bet is ${best.word.toUpperCase()}, ${chance}.` : "That ends the game.";
    return `Propose ${proposal.toUpperCase()}? ${other}`;
  }

  /** Show the best bet, or null if it is not known, and when to propose. */
  advise(best) {
    const { rows } = this.game;
    this.best = rows.length ? best : null;
    if (this.propose) this.propose.rest();
    const allCorrect = this.noisy && /^c+$/.test(rows.at(-1)?.clue ?? "");
    const when = this.best?.chance > CERTAIN ? "Propose it: asking on would only cost budget."
      : allCorrect ? "All marks are correct: propose it?" : "";
    this.bet.replaceChildren(...this.best
      ? ["Best bet ", el("strong", { dir: "auto" }, best.word.toUpperCase()), `, ${percent(best.chance, 2)}. ${when}`]
      : [when || this.about()]);
  }

  // Drawing

  draw() {
    const { game } = this;
    keep(game.result ? null : location.search);
    if (game.kind === "daily") keepDaily(game);
    this.drawRows();
    this.give.rest();
    this.spending();
    this.keys.paint(letterMarks(game.rows, this.noisy || game.kind === "fibble"));
    if (!game.result) this.help.show(game, this.epsilon);
    else if (!this.end) this.finish();
  }

  finish() {
    const { game, state } = this;
    this.end = endPanel(game, state.signal, {
      look: (until) => this.drawRows(until),
      goOn: (moves) => goTo(state, { ...game, moves }),
      another: (again) => another(state, termsIn(game), again).catch((error) => showError(error, {}, this.end.fault)),
    });
    this.whole.classList.add("over");
    this.table.replaceChildren(this.end.head, this.rows, this.end.replay);
    this.side.replaceChildren(this.end, this.side.firstChild);
  }

  drawRows(until) {
    this.rows.replaceChildren(drawBoard(this.game, this.typed, until));
    this.reveal();
  }

  /** Scroll the board, and nothing else, to its row that counts. */
  reveal() {
    const row = this.rows.querySelector(".typing") ?? [...this.rows.querySelectorAll("li:not(.later)")].at(-1);
    if (row) this.rows.scrollTop = row.offsetTop + row.offsetHeight - this.rows.clientHeight + 4;
  }

  spending() {
    if (this.noisy) this.meter.show(this.game.spent, this.epsilon);
  }

  about() {
    const { game } = this;
    if (this.noisy) return game.rows.length ? "" : "Some marks are lies. Ask until you are sure enough to propose.";
    if (game.kind === "fibble") {
      return `${game.lies === 1 ? "One mark" : `${game.lies} marks`} of each row ${game.lies === 1 ? "is" : "are"} false,`
        + " but a right guess is not lied about.";
    }
    if (game.kind === "adversarial") return "The host has no word in mind: it gives the clue that leaves most words.";
    return game.kind === "daily" ? `The word of ${game.day}, the same for everybody.` : "";
  }
}

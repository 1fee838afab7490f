/** Play: a game against the server, which keeps the answer. The address has the id of the game. */

import { withQuery } from "../api.js";
import { announce, el, showError } from "../dom.js";
import { epsilonSlider, readEpsilon } from "../epsilon.js";
import { keyboard, letterMarks, listen } from "../keyboard.js";
import { go } from "../main.js";
import { drawBoard } from "../play/board.js";
import { endPanel } from "../play/end.js";
import { addressOf, begin, load, move, records, termsOf } from "../play/game.js";
import { helpPanel } from "../play/help.js";
import { budgetMeter } from "../play/meter.js";
import { setup } from "../play/setup.js";
import { spoken } from "../tiles.js";
import { summaryOf } from "../words.js";

export const title = "Play";

const EPSILON = 13;
const LAST = "play:last";

export async function show(root, state) {
  root.append(el("h1", {}, "Play"));
  const game = await opened(root, state);
  if (!game || state.signal.aborted) return;
  const terms = termsIn(game, state);
  const choose = await setup(terms, (chosen) => another(state, chosen));
  if (!state.signal.aborted) new Table(root, state, game, choose).draw();
}

const termsIn = ({ kind, words, rule, hard, lies }, state) =>
  ({ ...termsOf(state), kind, words, rule, hard, lies: lies ?? 1 });

/** The game of the address; else the one that goes on in this window; else a new one. Null if there is none to show. */
async function opened(root, state) {
  const resumed = location.search ? null : kept();
  if (resumed) state.set(Object.fromEntries(new URLSearchParams(resumed)));
  const terms = termsOf(state);
  try {
    const id = state.get("game");
    const game = id ? await load(id, terms.words, state.signal) : await begin(terms, state.signal);
    state.set(addressOf(game.id, id ? termsIn(game, state) : terms));
    return game;
  } catch (error) {
    if (error.status !== 404 && error.status !== 422) throw error;
    if (resumed) {
      keep(null);
      state.set(Object.fromEntries([...new URLSearchParams(location.search).keys()].map((name) => [name, null])));
      return opened(root, state);
    }
    await gone(root, state, terms, error);
    return null;
  }
}

/** A new game in place of the one that is shown; Back returns to that. */
async function another(state, terms) {
  const game = await begin(terms, state.signal);
  const own = { epsilon: state.get("epsilon"), help: state.get("help") };
  go(withQuery("/play", { ...addressOf(game.id, terms), ...own }));
}

/** Say that the server has no such game or list, and offer a new game. */
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
  try { return sessionStorage.getItem(LAST); } catch { return null; }
}

function keep(address) {
  try {
    if (address) sessionStorage.setItem(LAST, address);
    else sessionStorage.removeItem(LAST);
  } catch { /* private browsing: it is not kept */ }
}

/** The board with everything around it. */
class Table {
  constructor(root, state, game, choose) {
    this.root = root;
    this.state = state;
    this.game = game;
    this.typed = "";
    this.sent = null;
    this.epsilon = readEpsilon(state.get("epsilon") ?? "") ?? EPSILON;
    if (this.epsilon === "inf") this.epsilon = EPSILON;
    const press = {
      letter: (letter) => this.type(letter), back: () => this.back(), enter: (shift) => this.enter(shift === true),
    };
    this.rows = el("div", { className: "rows", role: "region", "aria-label": "Board", tabIndex: 0 });
    this.fault = el("p", { className: "fault", id: "play-fault", hidden: true });
    this.keys = keyboard(game.letters, press);
    this.help = helpPanel(state, (word) => this.put(word));
    this.side = el("div", {}, this.help);
    this.dock = el("div", { className: "dock" }, this.buttons(), this.keys);
    this.status = el("p", { className: "note" });
    const noisy = game.kind === "wordpl";
    this.meter = noisy ? budgetMeter() : null;
    if (noisy) records(state.signal).then(this.meter.beside, (error) => showError(error, {}, this.fault));
    this.spend = noisy && el("div", { className: "spend" }, this.slider(), this.meter);
    root.append(choose, el("div", { className: "play" },
      el("div", { className: "table" }, this.status, this.rows, this.fault, this.spend, this.dock), this.side));
    listen(game.letters, press, state.signal);
  }

  slider() {
    return epsilonSlider("Epsilon of this row", this.epsilon, (epsilon) => {
      this.epsilon = epsilon;
      this.state.set({ epsilon: epsilon === EPSILON ? null : epsilon });
      this.spending();
      this.help.show(this.game, epsilon);
    }, { finite: true });
  }

  buttons() {
    const noisy = this.game.kind === "wordpl";
    let sure = false;
    const give = el("button", { type: "button", onclick: () => {
      if (sure) {
        this.send({ action: "give_up" });
        return;
      }
      sure = true;
      give.textContent = "Really give up?";
    }, onblur: () => {
      sure = false;
      give.textContent = "Give up";
    } }, "Give up");
    this.ask = el("button", { type: "button", className: "main", onclick: () => this.enter(false) }, noisy ? "Ask" : "Guess");
    this.propose = noisy && el("button", { type: "button", onclick: () => this.enter(true) });
    return el("div", { className: "moves" }, this.ask, this.propose, give);
  }

  // Typing. While the server is asked, what is typed is for the row after.

  type(letter) {
    if (!this.game.result && [...this.typed].length < this.game.length) this.change(this.typed + letter);
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
    this.name();
  }

  /** Ask the word that is typed, or with `propose` propose it. */
  enter(propose) {
    if (this.game.result || this.sent !== null) return;
    if ([...this.typed].length < this.game.length) {
      showError({ name: "Short", status: 422, message: `Type a word of ${this.game.length} letters.` }, {}, this.fault);
    } else if (propose && this.game.kind === "wordpl") {
      this.send({ action: "propose", word: this.typed });
    } else {
      this.send({ action: "ask", word: this.typed, epsilon: this.game.kind === "wordpl" ? this.epsilon : null });
    }
  }

  async send(given) {
    this.sent = this.typed;
    this.typed = "";
    this.fault.hidden = true;
    try {
      const game = await move(this.game, given, this.state.signal);
      this.sent = null;
      this.take(game);
    } catch (error) {
      this.typed = this.sent;
      this.sent = null;
      if (error.status === 409) await this.catchUp(error);
      else showError(error, {}, this.fault);
    }
  }

  /** Another window has moved in this game: show what it is now. */
  async catchUp(error) {
    try {
      this.game = await load(this.game.id, this.game.words, this.state.signal);
      this.draw();
      showError(error, {}, this.fault);
    } catch (failure) {
      showError(failure, {}, this.fault);
    }
  }

  take(game) {
    const row = game.rows.length > this.game.rows.length ? game.rows.at(-1) : null;
    this.game = game;
    this.draw();
    const said = row ? `${row.guess}: ${spoken(row.guess, row.clue)}.` : "";
    announce(`${said} ${game.result ? this.end.told : ""}`.trim());
    if (game.result) this.end.focusHeading();
  }

  // Drawing

  draw() {
    const { game } = this;
    keep(game.result ? null : location.search);
    this.drawRows();
    this.name();
    this.spending();
    this.keys.paint(letterMarks(game.rows, game.kind === "wordpl" || game.kind === "fibble"));
    this.status.textContent = this.about();
    for (const part of [this.dock, this.spend]) if (part) part.hidden = Boolean(game.result);
    if (game.result && !this.end) {
      this.end = endPanel(game, this.state.signal, () => this.again());
      this.side.prepend(this.end);
      this.help.hidden = true;
    } else if (!game.result) {
      this.help.show(game, this.epsilon);
    }
  }

  drawRows() {
    this.rows.replaceChildren(drawBoard(this.game, this.typed));
    this.rows.classList.toggle("growing", !this.game.max_rows && !this.game.result);
    if (!this.game.max_rows) this.rows.scrollTop = this.rows.scrollHeight;
  }

  name() {
    if (!this.propose) return;
    const whole = [...this.typed].length === this.game.length;
    this.propose.textContent = whole ? `Propose ${this.typed.toUpperCase()}` : "Propose";
  }

  spending() {
    this.meter?.show(this.game.spent, this.game.result ? 0 : this.epsilon);
  }

  about() {
    const { game } = this;
    if (game.result) return "";
    if (game.kind === "wordpl") return "Enter asks for a clue. Propose (Shift+Enter) when you are sure enough.";
    if (game.kind === "fibble") {
      return `${game.lies === 1 ? "One mark" : `${game.lies} marks`} of each row ${game.lies === 1 ? "is" : "are"} false,`
        + " but a right guess is not lied about.";
    }
    if (game.kind === "adversarial") return "The host has no word in mind: it gives the clue that leaves most words.";
    return game.kind === "daily" ? `The word of ${game.day}, the same for everybody.` : "";
  }

  again() {
    another(this.state, termsIn(this.game, this.state)).catch((error) => showError(error, {}, this.fault));
  }
}

/** Play: a game against the server. The address has all of it: its id, in which the server has sealed it, and the moves. */

import { finiteEpsilon, flag, go, keyOf, many, nonempty, oneOf, parsed, prose, valuesOf } from "../address.js";
import { get, withQuery } from "../api.js";
import { announce, attempt, confirmed, el, percent, showError, shown } from "../dom.js";
import { GAME, noiseOf } from "../game_fields.js";
import { keyboard, listen } from "../keyboard.js";
import { latest } from "../latest.js";
import { budgetMeter, epsilonChoices } from "../play/budget.js";
import { endPanel } from "../play/end.js";
import { KINDS, addressOf, ask, begin, isPriced, keepDaily, movesOf, play, playUpTo, readMove, readMoves, termsIn, termsOf } from "../play/game.js";
import { SWITCHES, helpPanel } from "../play/help.js";
import { setup } from "../play/setup.js";
import { capitals } from "../rows.js";
import { store, stored } from "../storage.js";
import { direction, meanings, spoken, tiles } from "../tiles.js";
import { summaryOf } from "../words.js";

export const title = "Play";
const EPSILON = 13;
const [LAST, TYPED] = ["play:last", "play:typed"];
const MOST_MOVES = 60;
const GHOSTS = 5; // rows of a board whose game has no end, at least
let begun = null; // the last new game, of which the server has said all
const SCENES = { "whose secret": 1, epsilon: 2, "the promise": 3, "the right time to propose": 4 };
const ADDRESS = {
  ...GAME, game: nonempty(400), kind: keyOf(KINDS), given: flag, propose: prose(60), gave_up: oneOf(["yes"]), epsilon: finiteEpsilon,
  move: many(parsed("", readMove), MOST_MOVES),
  help: parsed(`none, or some of ${Object.keys(SWITCHES).join(" ")}`, (text) =>
    (text === "none" || text.split(" ").every((name) => Object.hasOwn(SWITCHES, name)) ? text : null)),
};

export async function show(root, state) {
  state.expect(ADDRESS);
  root.append(el("h1", { className: "unseen" }, "Play"));
  const game = await opened(root, state);
  if (!game || state.signal.aborted) return;
  if (game.fault) goingOn(root, game);
  else new GameView(root, state, game).draw();
}

/** The game of the address; else the one that goes on in this window; else a new one. Null if there is none to show. */
async function opened(root, state) {
  if (!location.search) state.set(valuesOf(stored(LAST, "sessionStorage") ?? ""));
  const terms = termsOf(state);
  const id = state.get("game");
  const made = location.search ? null : document.getElementById("game"); // a new game, which came with the page
  try {
    const moves = readMoves(state);
    if (made) begun = { ...JSON.parse(made.textContent), moves };
    made?.remove();
    let game = made || id === begun?.id ? begun : id ? { id, words: terms.words } : await begin(terms, state.signal);
    if (!game.rows || moves.length) game = await playUpTo(game, moves, state.signal);
    if (game.fault) return game;
    if (!game.moves.length && movesOf(game).length) game = await play(game, movesOf(game), state.signal);
    state.set(addressOf(game));
    return game;
  } catch (error) {
    if (error.status !== 404 && error.status !== 422) throw error;
    store(LAST, "", "sessionStorage");
    await gone(root, state, terms, error);
    return null;
  }
}

/** Show as much of a game as its address has whole, and offer to go on from there. */
function goingOn(root, game) {
  root.append(el("div", { className: "table" }, el("p", { className: "fault", role: "alert" }, game.fault),
    el("button", { className: "main", onclick: () => go(withQuery("/play", addressOf(game))) }, "Go on from here"),
    el("div", { className: "rows" }, drawBoard(game, ""))));
}

/** Show a game in place of the one that is shown; Back returns to that. */
function goTo(state, game) {
  announce(game.moves.length ? "The game goes on from this row." : "A new board.");
  go(withQuery("/play", { epsilon: state.get("epsilon"), help: state.get("help"), ...addressOf(game) }));
}

/** Say that there is no such game or list, and offer a new game. */
async function gone(root, state, terms, error) {
  const known = await summaryOf(terms.words);
  const next = { ...terms, words: known ? terms.words : KINDS[terms.kind].words, channel: null, hard: false };
  const fault = el("p", { className: "fault" });
  root.append(fault, el("button", { className: "main", onclick: () =>
    attempt(async () => goTo(state, await begin(next, state.signal)), {}, fault) }, "New game"));
  showError(error, {}, fault);
}

class GameView {
  constructor(root, state, game) {
    Object.assign(this, { state, game, sent: null, best: null, noisy: isPriced(game), proposes: game.kind === "wordpl" });
    const [row, typed] = (stored(TYPED, "sessionStorage") ?? "").split(" ");
    this.typed = row === this.row ? typed : "";
    this.epsilon = state.get("epsilon", EPSILON);
    const press = {
      letter: (letter) => { if (!this.isWhole) this.change(this.typed + letter); },
      back: () => this.change([...this.typed].slice(0, -1).join("")),
      enter: (shift) => this.enter(shift === true),
      focus: () => this.rows.focus({ preventScroll: true }),
    };
    this.offer = latest((signal) => (this.proposal ? attempt(() => this.stake(this.proposal, signal), {}, this.fault) : this.short()), state.signal);
    this.goOn = (moves) => goTo(state, { ...this.game, moves });
    this.rows = el("div", { className: "rows", role: "region", "aria-label": "Board", tabIndex: 0 });
    this.fault = el("p", { className: "fault", id: "play-fault", hidden: true });
    this.keys = keyboard(game.letters, this.proposes ? "Ask" : "Enter", press);
    // The records are budgets of games with one proposal: those of an unlimited game say nothing beside them.
    const compared = game.kind === "wordpl" && game.channel === "randomized_response" && game.words === "original" && game.rule === "letterwise";
    const records = compared ? get("/api/play/records", {}, { signal: state.signal }) : Promise.resolve([]);
    this.help = helpPanel(state, this.noisy ? "bet" : "none", { pick: (word) => this.put(word),
      advise: (best, advice) => this.advise(best, advice), records: this.noisy && records.catch(() => []) });
    this.side = el("div", {}, setup(termsIn(game), (terms) => this.another(terms), () => this.goOn([])), this.help, meanings(), this.noisy && explained());
    this.bet = el("p", { className: "bet" });
    this.propose = this.proposes && el("button", { onclick: () => this.offer(), title: "Shift+Enter", "aria-keyshortcuts": "Shift+Enter" });
    const give = el("button", { className: "quiet", onclick: () =>
      confirmed("Give up this game?", "Yes, give up", () => this.send({ action: "give_up" })) }, "Give up");
    const more = el("button", { className: "quiet narrow", "aria-label": "More: other games and help",
      onclick: () => this.side.scrollIntoView() }, "More");
    this.meter = this.noisy && budgetMeter();
    this.choosing = this.noisy && this.choices();
    this.controls = el("div", { className: "controls" }, this.fault,
      el("div", { className: "betting" }, this.bet, this.propose), this.choosing,
      el("div", { className: "betting" }, this.meter ? this.meter.text : el("p"), el("span", {}, more, give)), this.meter);
    this.records = [];
    records.then((listed) => this.spending(listed), (error) => showError(error, {}, this.fault));
    if (this.help.curve) this.placeCurve();
    this.table = el("div", { className: "table" }, this.rows, this.controls, this.keys);
    this.whole = el("div", { className: "play" }, this.table, this.side);
    root.append(this.whole);
    new ResizeObserver(() => this.reveal()).observe(this.rows);
    listen(game.letters, press, state.signal);
    if (!game.result) press.focus(); // the next Tab goes on to Propose, and a dialog that closes comes back here
  }

  /** The curve of the best bet stands where it is seen during play: on a narrow screen that is above the keyboard. */
  placeCurve() {
    const narrow = matchMedia("(max-width: 60rem)");
    const place = () => (narrow.matches ? this.controls.append(this.help.curve) : this.help.querySelector(".switches").after(this.help.curve));
    narrow.addEventListener("change", place, { signal: this.state.signal });
    place();
  }

  choices() {
    return epsilonChoices(this.epsilon, this.game, (epsilon) => {
      this.epsilon = epsilon;
      this.state.set({ epsilon: epsilon === EPSILON ? null : epsilon });
      this.spending();
      this.help.show(this.game, epsilon);
    }, () => this.rows.focus());
  }

  // Typing. While the server is asked, what is typed is for the row after.

  /** Which row of which game it is. */
  get row() { return this.game.id + this.game.moves.length; }

  get isWhole() { return [...this.typed].length === this.game.length; }

  put(word) {
    this.change(word);
    announce(`${word} is in the row.`);
  }

  change(typed) {
    if (this.game.result && this.sent === null) return;
    const [letters, before] = [[...capitals(typed)], [...capitals(this.typed)]];
    if (letters.length < before.length) announce(`${before.at(-1)} deleted`);
    else if (letters.length) announce(letters.length === this.game.length ? capitals(typed) : letters.at(-1));
    this.typed = typed;
    if (this.sent !== null) return;
    this.fault.hidden = true;
    this.drawRows();
    this.naming();
  }

  /** Ask the word that is typed, or propose it or the best bet. */
  enter(propose) {
    if (this.game.result || this.sent !== null) return;
    if (propose && this.proposes) this.offer();
    else if (this.choosing && !this.choosing.settle()) return;
    else if (this.isWhole) {
      if (this.choosing && this.choosing.contains(document.activeElement)) this.rows.focus(); // where the next letters go
      this.send({ action: "ask", word: this.typed, epsilon: this.noisy ? this.epsilon : null });
    } else this.short();
  }

  short() {
    showError({ name: "Short", status: 422, message: `Type a word of ${this.game.length} letters.` }, {}, this.fault);
  }

  send(move) {
    const moves = [...this.game.moves, move];
    if (this.sent === null) attempt(() => this.wait(async () => this.take(await play(this.game, moves, this.state.signal))), {}, this.fault);
  }

  /** A new game in place of this one, perhaps with its answer; Back returns to this. What is typed meanwhile is for that. */
  another(terms, again) {
    return this.wait(async () => {
      begun = await begin(terms, this.state.signal, again);
      store(TYPED, `${begun.id}0 ${[...this.typed].slice(0, begun.length).join("")}`, "sessionStorage");
      goTo(this.state, begun);
    });
  }

  /** Do some work of the server. If it fails, what was typed before it is there again. */
  wait(work) {
    [this.sent, this.typed] = [this.typed, ""];
    return work().catch((error) => {
      this.typed = this.sent;
      throw error;
    }).finally(() => { this.sent = null; });
  }

  take(game) {
    const row = game.rows.length > this.game.rows.length ? game.rows.at(-1) : null;
    this.fresh = Boolean(row);
    this.game = game;
    this.state.set(addressOf(game));
    this.draw();
    announce([row && `${row.guess}: ${spoken(row.guess, row.clue)}.`, game.result && this.end.outcome].filter(Boolean).join(" "));
    if (game.result) this.end.focus();
  }

  // The proposal

  /** What Propose proposes: the word that is typed, else the best bet. */
  get proposal() {
    if (this.isWhole) return this.typed;
    return this.typed ? null : this.best?.word;
  }

  naming() {
    if (this.propose) this.propose.textContent = `Propose ${capitals(this.proposal ?? "")}`;
  }

  /** Say what the proposal of a word stakes, and make it if that is what is wanted. */
  async stake(word, signal) {
    const { best } = this;
    const { chance } = word === best?.word ? best : await ask(this.game, "/chance", signal, { word });
    confirmed(`Propose ${capitals(word)}?${best ? ` Its chance is ${percent(chance)}.` : ""} Wrong loses the game.`, `Yes, propose ${capitals(word)}`,
      () => this.send({ action: "propose", word }));
  }

  /** Show the best bet, or null if it is not known, and whether to propose. */
  advise(best, advice) {
    this.best = this.game.rows.length ? best : null;
    this.naming();
    if (!this.best) this.bet.textContent = this.about();
    else {
      this.bet.replaceChildren("Best bet ", el("strong", { dir: "auto" }, capitals(best.word)),
        `, ${percent(best.chance)}. ${advice?.text ?? ""}`);
    }
  }

  // Drawing

  draw() {
    const { game } = this;
    store(LAST, game.result ? "" : location.search, "sessionStorage"); // kept as long as this window is open
    if (game.kind === "daily") keepDaily(game);
    this.drawRows();
    this.naming();
    this.spending();
    this.keys.paint(game.rows, Boolean(game.channel));
    if (!game.result) this.help.show(game, this.epsilon);
    else if (!this.end) this.finish();
  }

  finish() {
    const { game, state } = this;
    this.end = endPanel(game, state.signal, {
      look: (until) => this.drawRows(until),
      goOn: this.goOn,
      another: (again) => attempt(() => this.another(termsIn(game), again), {}, this.end.fault),
    });
    if (this.meter) this.end.head.append(this.meter.text, this.meter);
    this.whole.classList.add("over");
    this.table.replaceChildren(this.end.head, this.rows, this.end.replay);
    this.side.replaceChildren(this.end, this.side.firstChild, this.noisy ? this.side.lastChild : "");
  }

  /** Show what is spent, and what the next ask adds. */
  spending(records = this.records) {
    this.records = records;
    if (this.meter) this.meter.show(this.game.spent, this.game.result ? 0 : this.epsilon, this.records);
  }

  drawRows(until) {
    store(TYPED, `${this.row} ${this.typed}`, "sessionStorage");
    this.rows.replaceChildren(drawBoard(this.game, this.typed, until, this.fresh));
    this.fresh = false;
    this.reveal();
  }

  /** Scroll the board, and nothing else, to its row that counts. */
  reveal() {
    const row = this.rows.querySelector("li:has(.typing)") ?? [...this.rows.querySelectorAll("li:not(.later)")].at(-1);
    if (row) this.rows.scrollTop = row.offsetTop + row.offsetHeight - this.rows.clientHeight + 4;
  }

  about() {
    const { game } = this;
    if (this.proposes && /^c+$/.test(game.rows.at(-1)?.clue ?? "")) return "All marks are correct: propose it?";
    if (game.kind === "unlimited") return game.rows.length ? "" : "Some marks are lies. Each guess costs; the right one ends the game.";
    if (this.noisy) return game.rows.length ? "" : "Some marks are lies. Each ask costs; the lowest sum is best. One proposal: wrong loses.";
    if (game.kind === "fibble") return `${noiseOf("fibble", game.channel)}, but a right guess is not lied about.`;
    if (game.kind === "adversarial") return "The adversary has no word in mind: it gives the clue that leaves most words.";
    return game.kind === "daily" ? `The word of ${game.day}, the same for everybody.` : "";
  }
}

/** Draw the rows, of which the last may be `fresh`, the word being typed, and the rows to come. Once it is over, perhaps only the first `until`. */
function drawBoard(game, typed, until = Infinity, fresh = false) {
  const { rows, result, length } = game;
  const allCorrect = "c".repeat(length);
  // In Fibble marks are lies if all of them are correct and the game goes on.
  const isLie = ({ clue }, i) => clue === allCorrect && !(result?.won && i === rows.length - 1);
  const lines = rows.map((row, i) => line(tiles(row.guess, row.clue, { flipped: result?.true_clues[i] }),
    isPriced(game) ? `ε ${shown(row.epsilon, 6)}` : isLie(row, i) ? "not the word" : ""));
  if (result?.proposed) lines.push(line(tiles(result.proposed, result.won ? allCorrect : ""), result.won ? "right" : "wrong"));
  if (!result) {
    lines.push(typing(game, typed));
    while (lines.length < (game.max_rows ?? GHOSTS)) lines.push(el("li", { className: "to-come", "aria-hidden": "true" }, tiles("", "", { length })));
  }
  if (fresh) lines[rows.length - 1].classList.add("turning");
  if (fresh) lines[rows.length]?.classList.add("falling");
  lines.slice(until).forEach((row) => row.classList.add("later"));
  const board = el("ol", { className: isPriced(game) ? "board noisy" : "board", "aria-label": "Rows",
    dir: direction(game.letters) }, lines);
  for (const [name, value] of [["--letters", length], ["--rows", lines.length]]) board.style.setProperty(name, value);
  return board;
}

/** The way back from the words of the game to the scenes that explain them. */
const explained = () => el("p", { className: "note" }, "What is ", Object.entries(SCENES).flatMap(([word, scene], i) =>
  [i ? ", " : "", el("a", { href: `/?scene=${scene}`, "data-link": "" }, word)]), "?");

const line = (row, note) => el("li", {}, row, note && el("span", { className: "note" }, note));

function typing(game, typed) {
  const row = tiles(typed, "", { length: game.length });
  row.classList.add("typing");
  row.setAttribute("aria-label", typed ? `You are typing ${capitals(typed)}` : "An empty row: type a word");
  return line(row, "");
}

/** What is said of a game that is over. */

import { withQuery } from "../api.js";
import { announce, attempt, bars, counted, el, shown, table } from "../dom.js";
import { analyzeAddress, coachAddress } from "../game_fields.js";
import { LIES, tiles } from "../tiles.js";
import { KINDS, addressOf, ask, isPriced, statistics } from "./game.js";
import { replay, sentences } from "./story.js";

const MOST_ROWS = 50; // of a game against the adversary

/**
 * The panel of a game that is over; what takes the server long comes in as it is ready. It has `head`, what comes above
 * the board; `replay`, what comes below; and `fault`. `look(row)` shows the board after a row, `goOn(moves)` plays on after
 * these moves, and `another(id)` begins a new game, with the answer of the game of that id if there is one.
 */
export function endPanel(game, signal, { look, goOn, another }) {
  const { result, rows } = game;
  const heading = el("h2", { tabIndex: -1 }, outcome(game));
  const flipped = rows.some((row, i) => row.clue !== result.true_clues[i]);
  const noisy = isPriced(game);
  const fault = el("p", { className: "fault", hidden: true });
  const elsewhere = { ...game, game: KINDS[game.kind].game, limit: noisy ? null : game.max_rows ?? MOST_ROWS };
  const did = result.won ? `I needed ${noisy ? `a budget of ${shown(result.score, 6)}` : counted(rows.length, "guess", "guesses")}. ` : "";
  const address = location.origin + withQuery("/play", addressOf({ ...game, moves: [] }));
  const whole = el("section", { className: "panel end", "aria-label": "How it ended" },
    el("div", { className: "row" },
      game.kind !== "daily" && [el("button", { className: "main", onclick: () => another() }, "New game"),
        el("button", { onclick: () => goOn([]) }, "Play this game again")],
      game.channel && el("button", { onclick: () => another(game.id) }, "Same word, fresh noise"),
      copying("Challenge a friend", `${did}Can you find the word? ${address}`, "Text to send"), copying("Share the squares", result.share, "Text to share")),
    fault, game.kind === "daily" && days(game),
    rows.length > 0 && el("p", { className: "row" },
      el("a", { href: coachAddress(elsewhere, rows), "data-link": "" }, "Open in Coach"),
      el("a", { href: analyzeAddress(elsewhere, rows, game.kind === "adversarial" ? { share: result.share } : result), "data-link": "" }, "Open in Analyze")));
  const word = tiles(result.answer, "", { small: true });
  const named = game.kind !== "adversarial" ? ["The answer was ", word, "."]
    : result.won ? ["The adversary had no other word left than ", word, "."] : ["The adversary has no answer. ", word, " fits all clues."];
  whole.head = el("div", {}, heading, el("p", {}, named),
    flipped && el("p", { className: "note" }, LIES));
  whole.replay = el("div", { className: "replay" });
  whole.fault = fault;
  whole.outcome = heading.textContent;
  whole.focus = () => heading.focus();
  if (rows.length) {
    whole.prepend(later("What happened", async () => {
      const story = await ask(game, "/story", signal);
      whole.replay.append(...replay(game, story, { look, goOn }));
      return sentences(game, story).map((text) => el("p", {}, text));
    }));
    whole.append(later(game.kind === "adversarial" ? "Skill" : "Skill and luck", () => analysis(game, signal)));
  }
  if (game.kind === "wordpl") whole.append(later("What the best known strategies would have asked", () => advice(game, signal)));
  return whole;
}

function outcome({ kind, result, rows, spent }) {
  if (result.gave_up) return "You gave up.";
  if (!isPriced({ kind })) return result.won ? `Right, in ${counted(rows.length, "guess", "guesses")}.` : "Out of guesses.";
  return result.won ? `Right. Your score is ${shown(result.score, 6)}.` : `Wrong: the game is lost. You spent ${shown(spent, 6)}.`;
}

/** A section whose content is worked out by the server. */
function later(title, make) {
  const content = el("div", { "aria-busy": "true" }, el("p", { className: "note" }, "The server is working it out…"));
  const rest = el("p", { className: "fault", hidden: true });
  const fill = async () => {
    if (!await attempt(async () => content.replaceChildren(...await make()), {}, rest)) content.replaceChildren();
    content.ariaBusy = null;
  };
  fill();
  return el("section", {}, el("h3", {}, title), rest, content);
}

/** How the words of the day went in this browser. */
function days(game) {
  const { played, won, streak, counts } = statistics(game);
  return el("section", {}, el("h3", {}, "Words of the day"),
    el("p", {}, `${played} played, ${won} won, a streak of ${streak}. Other games are not counted.`),
    bars(counts.map((count, i) => [String(i + 1), count, String(count)]), "Games by the number of guesses"));
}

/** A button that copies a text; where that is not allowed, as in a page that did not come over https, the text is shown. */
function copying(label, text, name) {
  const area = el("textarea", { className: "share mono", readOnly: true, hidden: true, value: text, "aria-label": name,
    rows: Math.min(text.split("\n").length + 1, 12) });
  const note = el("span", { className: "note" });
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      note.textContent = "Copied.";
    } catch {
      area.hidden = false;
      area.select();
      note.textContent = "The text is selected: copy it.";
    }
    announce(note.textContent);
  };
  return [el("button", { onclick: copy }, label), note, area];
}

async function analysis(game, signal) {
  const { skill, luck, line } = await ask(game, "/analysis", signal);
  return [
    el("p", {}, `Skill ${skill ?? "–"}${game.kind === "adversarial" ? ", from 0 to 99." : `, luck ${luck ?? "–"}, each from 0 to 99. Luck is about 50 on average.`} Analyze has each row.`),
    el("p", { className: "note" }, `The best play from the start: ${line.join(", ")}.`),
  ];
}

async function advice(game, signal) {
  const strategies = await ask(game, "/records", signal);
  if (!strategies.length) {
    return [el("p", { className: "note" }, "They were made for the list original, the rule letterwise, and noise letter by letter.")];
  }
  const states = strategies[0].moves.map((_, at) => [
    at < game.rows.length ? `${game.rows[at].guess} ${shown(game.rows[at].epsilon, 3)}` : game.result.proposed ?? "gave up",
    ...strategies.map(({ moves }) => moveText(moves[at])),
  ]);
  return [
    table(["you", ...strategies.map(({ percentile }) => `${percentile}th`)], states, { caption: "What the best known strategies would have asked where you were" }),
    el("p", { className: "note" }, "Each strategy was made for its percentile. A number is the price of an ask; = proposes a word. Their own games with the same"
      + " answer and noise:"),
    ...strategies.map(ownGame),
  ];
}

const moveText = ({ action, word, epsilon }) => (action === "ask" ? `${word} ${shown(epsilon, 3)}` : `= ${word}`);

function ownGame({ name, percentile, rows, proposed, won, spent }) {
  return el("details", {},
    el("summary", {}, `${name} (${percentile}th percentile): ${won ? `right, ${shown(spent, 5)}` : `wrong, proposed ${proposed}`}`),
    el("ol", { className: "board noisy", "aria-label": `Rows of ${name}` }, rows.map((row) =>
      el("li", {}, tiles(row.guess, row.clue, { small: true, flipped: row.true_clue }),
        el("span", { className: "note" }, `ε ${shown(row.epsilon, 4)}`)))));
}

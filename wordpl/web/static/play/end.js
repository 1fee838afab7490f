/** What is said of a game that is over. */

import { announce, el, showError, shown, table } from "../dom.js";
import { squares, tiles } from "../tiles.js";
import { adviceOn, analysisOf } from "./game.js";

/** The panel of a game that is over. What takes the server long comes in as it is ready. */
export function endPanel(game, signal, again) {
  const { result, rows } = game;
  const heading = el("h2", { tabIndex: -1 }, outcome(game));
  const flipped = rows.some((row, i) => row.clue !== result.true_clues[i]);
  const whole = el("section", { className: "panel end", "aria-label": "How it ended" },
    heading,
    el("p", {}, "The answer was ", tiles(result.answer, "", { small: true }), "."),
    flipped && el("p", { className: "note" },
      "A dashed frame is a mark that was false; its corner has the colour of the true one."),
    el("div", { className: "row" }, el("button", { type: "button", className: "main", onclick: again }, "New game")),
    share(result.share, rows));
  if (rows.length) whole.append(later("Skill and luck", () => analysis(game, signal)));
  if (game.kind === "wordpl") whole.append(later("What the records would have asked", () => advice(game, signal)));
  whole.told = heading.textContent;
  whole.focusHeading = () => heading.focus();
  return whole;
}

function outcome({ kind, result, rows }) {
  if (result.gave_up) return "You gave up.";
  if (kind !== "wordpl") {
    return result.won ? `Right, in ${rows.length === 1 ? "1 guess" : `${rows.length} guesses`}.` : "Not found.";
  }
  return result.won ? `Right. Your score is ${shown(result.score, 6)}.` : "Wrong. Your score is infinite.";
}

/** A section whose content is worked out by the server. */
function later(title, make) {
  const content = el("div", { "aria-busy": "true" }, el("p", { className: "note" }, "The server is working it out…"));
  const rest = el("p", { className: "fault", hidden: true });
  make().then((made) => content.replaceChildren(...made), (error) => {
    content.replaceChildren();
    showError(error, {}, rest);
  }).finally(() => content.removeAttribute("aria-busy"));
  return el("section", {}, el("h3", {}, title), rest, content);
}

/** The text to share: its squares drawn, and the text itself to copy by hand. */
function share(text, rows) {
  const area = el("textarea", { className: "share mono", readOnly: true, rows: Math.min(text.split("\n").length + 1, 12),
    value: text, "aria-label": "Text to share" });
  const said = el("span", { className: "note" });
  const say = (told) => {
    said.textContent = told;
    announce(told);
  };
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      say("Copied.");
    } catch { // not allowed here, as in a page that did not come over https
      whole.open = true;
      area.focus();
      area.select();
      say("Press Ctrl+C to copy it.");
    }
  };
  const whole = el("details", {}, el("summary", {}, "As text"), area);
  return el("div", {}, el("h3", {}, "Share"),
    el("div", { className: "shared", "aria-hidden": "true" }, rows.map(({ clue }) => squares(clue))),
    el("div", { className: "row" }, el("button", { type: "button", onclick: copy }, "Copy"), said), whole);
}

async function analysis(game, signal) {
  const found = await analysisOf(game, signal);
  const grade = (figure) => (figure === null ? "–" : String(figure));
  const rows = found.turns.map((turn) =>
    [turn.guess, grade(turn.skill), grade(turn.luck), shown(turn.actual_bits, 3), shown(turn.remaining_after, 3), turn.best]);
  return [
    el("p", {}, `Skill ${grade(found.skill)}, luck ${grade(found.luck)}, each from 0 to 99. Luck is about 50 on average.`),
    table(["guess", "skill", "luck", "bits", "left", "best"], rows,
      { caption: "Skill and luck of each turn", numbers: ["skill", "luck", "bits", "left"] }),
    el("p", { className: "note" }, "Bits: what the clue told. Left: how many equally likely answers would be as hard to guess."),
    el("p", { className: "note" }, `Best from the start: ${found.line.join(", ")}.`),
  ];
}

async function advice(game, signal) {
  const { strategies } = await adviceOn(game, signal);
  if (!strategies.length) {
    return [el("p", { className: "note" }, "The records were made for the list original and the rule letterwise.")];
  }
  const columns = ["you", ...strategies.map(({ percentile }) => `${percentile}th`)];
  const states = strategies[0].moves.map((_, at) => [
    at < game.rows.length ? `${game.rows[at].guess} at ${shown(game.rows[at].epsilon, 3)}` : game.result.proposed ?? "gave up",
    ...strategies.map(({ moves }) => told(moves[at])),
  ]);
  return [
    table(columns, states, { caption: "What the strategies of the records would have asked where you were" }),
    el("p", { className: "note" }, "Each strategy was made for its percentile; = proposes a word. Their own games with the same"
      + " answer and noise:"),
    ...strategies.map(ownGame),
  ];
}

const told = ({ action, word, epsilon }) => (action === "ask" ? `${word} at ${shown(epsilon, 3)}` : `= ${word}`);

function ownGame({ name, percentile, rows, proposed, won, spent }) {
  return el("details", {},
    el("summary", {}, `${name} (${percentile}th percentile): ${won ? `right, ${shown(spent, 5)}` : `wrong, proposed ${proposed}`}`),
    el("ol", { className: "board noisy", "aria-label": `Rows of ${name}` }, rows.map((row) =>
      el("li", {}, tiles(row.guess, row.clue, { small: true, flipped: row.true_clue === row.clue ? null : row.true_clue }),
        el("span", { className: "note" }, `ε ${shown(row.epsilon, 4)}`)))));
}

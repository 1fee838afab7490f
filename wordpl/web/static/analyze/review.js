/** An analyzed game, drawn: what each turn was worth. */

import { bar, el, percent, shown, table } from "../dom.js";
import { tiles } from "../tiles.js";
import { draw } from "../plot.js";

const MOST = 99;
const fixed = (bits) => bits.toFixed(2).replace("-", "−");
const signed = (bits) => `${bits < 0 ? "−" : "+"}${Math.abs(bits).toFixed(2)}`;

/** The whole analysis as elements. */
export function review(found, signal) {
  const { turns } = found;
  const n = turns.length;
  const noisy = turns.some((turn) => turn.epsilon !== "inf");
  return [
    el("section", { className: "panel" },
      el("h2", {}, `${found.solved ? "Solved" : "Not solved"} in ${n} ${n === 1 ? "guess" : "guesses"}`),
      el("div", { className: "grades" }, grade("Skill", found.skill), grade("Luck", found.luck)),
      el("p", { className: "note" }, "From 0 to 99. Skill 99 is the best guess; luck is about 50 on average. The first"
        + ` guess has no skill, since it is the same every day.${found.hard ? " The game was played in hard mode." : ""}`),
      found.line.length > 0 && el("p", {}, "The best guesses from the start: ", words(found.line))),
    el("ol", { className: "reviews" }, turns.map((turn, at) => card(turn, noisy, found.solved && at === n - 1))),
    el("section", { className: "panel" }, el("h2", {}, "Answers left after each turn"),
      leftChart([turns[0].remaining_before, ...turns.map((turn) => turn.remaining_after)],
        ["start", ...turns.map((turn) => turn.guess)], signal),
      noisy && el("p", { className: "note" }, "Under noise: how many equally likely answers would be as hard to guess.")),
    el("section", { className: "panel" }, el("h2", {}, "In bits"), inBits(found)),
  ];
}

/** How many answers were left after each turn, on a logarithmic scale. */
function leftChart(left, labels, signal) {
  const place = el("div", { className: "plot low" });
  const rounded = (value) => (value < 10 && value % 1 > 0.005 ? value.toFixed(1) : Math.round(value).toLocaleString("en"));
  const points = left.map((value, x) => ({ x, y: Math.max(value, 1), text: rounded(value), title: `${labels[x]} ${rounded(value)}` }));
  draw(place, {
    label: `Answers left: ${points.map(({ title }) => title).join(", ")}`,
    x: { label: "", range: [0, Math.max(1, left.length - 1)], ticks: [...labels.entries()] },
    y: { label: "", log: true, range: [1, 10 ** Math.max(1, Math.ceil(Math.log10(Math.max(...left)) - 1e-9))] },
    series: [{ label: "answers left", look: 0, kind: "line", mark: true, points }],
  }, signal);
  return place;
}

const words = (line) => el("span", { className: "mono" }, line.join(" "));

/** A figure from 0 to 99 with its bar. */
function grade(name, figure, bits = null) {
  return el("div", { className: "grade" }, el("span", {}, name),
    figure === null ? el("span", { className: "note" }, "none") : bar(figure / MOST),
    el("span", { className: "number" }, figure === null ? "–" : String(figure)),
    bits !== null && el("span", { className: "number note" }, `${signed(bits)} bits`));
}

function card(turn, noisy, right) {
  const left = `${shown(turn.remaining_before)} → ${right ? "found" : shown(turn.remaining_after)}`;
  return el("li", { className: "panel review" },
    el("div", { className: "row" }, tiles(turn.guess, turn.clue),
      el("span", { className: "note" }, [noisy && `epsilon ${shown(turn.epsilon)}`, `answers left ${left}`,
        `chance of being the answer ${percent(turn.chance)}`].filter(Boolean).join(" · "))),
    grade("Skill", turn.skill, turn.skill_bits), grade("Luck", turn.luck, turn.luck_bits),
    el("p", {}, `It could be expected to tell ${turn.expected_bits.toFixed(2)} bits and told ${fixed(turn.actual_bits)}. `,
      turn.best === turn.guess ? "It was the best guess." : `The best guess was ${turn.best}, with ${turn.best_bits.toFixed(2)} bits.`,
      turn.steps !== null && turn.best !== turn.guess
        && ` To the end, ${turn.steps.toFixed(2)} guesses were to be expected, and ${turn.best_steps.toFixed(2)} with ${turn.best}.`),
    turn.line.length > 0 && el("p", {}, "Best from there: ", words(turn.line)));
}

function inBits({ turns, total }) {
  const rows = [...turns.map((turn) => [turn.guess, turn, turn.best]), ["total", total, ""]].map(([name, of, best]) => [
    name, of.expected_bits.toFixed(2), best, of.best_bits.toFixed(2), signed(of.skill_bits), fixed(of.actual_bits),
    signed(of.luck_bits),
  ]);
  const columns = ["guess", "expected", "best", "best expected", "skill", "told", "luck"];
  return table(columns, rows, { caption: "Skill and luck in bits",
    numbers: ["expected", "best expected", "skill", "told", "luck"] });
}

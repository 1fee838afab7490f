/** An analyzed game, drawn: what each turn was worth. */

import { bar, count, counted, el, percent, shown } from "../dom.js";
import { CERTAIN, coachAddress } from "../game_fields.js";
import { tiles } from "../tiles.js";
import { draw } from "../plot.js";

const MOST = 99;
const SURE = { 0: "it could not be the answer", 1: "it had to be the answer" };
const fixed = (bits) => bits.toFixed(2).replace("-", "−");
const signed = (bits) => `${bits < 0 ? "−" : "+"}${Math.abs(bits).toFixed(2)}`;

/** The whole analysis of a game ({game, words, rule, channel}) as elements. */
export function review(analysis, game) {
  const { turns } = analysis;
  const noisy = game.game === "wordpl";
  const guess = noisy ? "ask" : "guess";
  return [
    el("section", { className: "panel" },
      el("h2", {}, outcome(analysis, noisy)),
      noisy && el("p", {}, judgement(analysis)),
      el("div", { className: "grades" }, grade("Skill", analysis.skill), grade("Luck", analysis.luck)),
      el("p", { className: "note" }, `From 0 to 99. Skill 99 is the best ${guess}; luck is about 50 on average. The first ${guess}`
        + ` has no skill: ${game.game === "fibble" ? "the site gives it, or " : ""}it can be learned by heart.`,
      analysis.hard && " The game was played in hard mode."),
      analysis.line.length > 0 && el("p", {}, `The best ${noisy ? "first ask" : "guesses from the start"}: `, words(analysis.line)),
      el("p", {}, el("a", { "data-link": "", href: coachAddress(game, turns) }, "Go on in Coach"))),
    el("ol", { className: "reviews" },
      turns.map((turn, at) => card(turn, noisy, turns[at - 1], analysis.solved && !noisy && at === turns.length - 1))),
    el("section", { className: "panel" }, el("h2", {}, "Answers left after each turn"),
      leftChart([turns[0].remaining_before, ...turns.map((turn) => turn.remaining_after)],
        ["start", ...turns.map((turn) => turn.guess)]),
      noisy && el("p", { className: "note" }, "Under noise: how many equally likely answers would be as hard to guess.")),
  ];
}

/** How many answers were left after each turn, on a logarithmic scale. */
function leftChart(left, labels) {
  const place = el("div", { className: "plot low" });
  const rounded = (value) => (value < 10 && value % 1 > 0.005 ? value.toFixed(1) : count(value));
  const points = left.map((value, x) => ({ x, y: Math.max(value, 1), text: rounded(value), title: `${labels[x]} ${rounded(value)}` }));
  draw(place, {
    label: `Answers left: ${points.map(({ title }) => title).join(", ")}`,
    x: { label: "", range: [0, Math.max(1, left.length - 1)], ticks: [...labels.entries()] },
    y: { label: "", log: true, range: [1, 10 ** Math.max(1, Math.ceil(Math.log10(Math.max(...left)) - 1e-9))] },
    series: [{ label: "answers left", look: 0, kind: "line", mark: true, points }],
  });
  return place;
}

const budgetOf = (turns) => turns.reduce((sum, { epsilon }) => sum + (epsilon === "inf" ? Infinity : epsilon), 0);

function outcome({ solved, turns }, noisy) {
  if (!noisy) return `${solved ? "Solved" : "Not solved"} in ${counted(turns.length, "guess", "guesses")}`;
  const end = { true: "Right, with a budget of", false: "Not found, with a budget of", null: "A budget of" }[solved];
  return `${end} ${shown(budgetOf(turns), 6)} in ${counted(turns.length, "ask")}`;
}

/** What is to be said of the proposal and of the budget. */
function judgement({ turns, proposed, proposed_chance: chance }) {
  const { leader, leader_chance: most } = turns.at(-1);
  const proposal = (proposed ? `You proposed ${proposed.toUpperCase()}, ${likely(chance)}; ` : "At the end ")
    + (proposed === leader ? "it was the best bet." : `the best bet was ${leader.toUpperCase()}, ${likely(most)}.`);
  const wasted = turns.filter((turn) => turn.wasted);
  return !wasted.length ? proposal : `${proposal} ${counted(wasted.length, "ask")} came when the answer was certain already, and`
    + ` cost ${shown(budgetOf(wasted), 6)} of the budget for nothing.`;
}

/** A probability in words where its figure says nothing. */
function likely(chance) {
  if (chance === null || chance === 0) return "which could not be right";
  if (chance < 1e-4) return `all but impossible (${percent(chance)})`;
  if (chance > 0.9999) return chance === 1 ? "certain" : `all but certain (${percent(chance)})`;
  return `at ${percent(chance)}`;
}

const words = (line) => el("span", { className: "mono" }, line.join(" "));

/** A figure from 0 to 99 with its bar. */
function grade(name, figure, bits = null) {
  return el("div", { className: "grade" }, el("span", {}, name),
    figure === null ? el("span", { className: "note" }, "none") : bar(figure / MOST),
    el("span", { className: "number" }, figure === null ? "–" : String(figure)),
    bits !== null && el("span", { className: "number note" }, `${signed(bits)} bits`));
}

function card(turn, noisy, before, right) {
  const left = `${shown(turn.remaining_before)} → ${right ? "found" : shown(turn.remaining_after)}`;
  return el("li", { className: "panel review" },
    el("div", { className: "row" }, tiles(turn.guess, turn.clue),
      el("span", { className: "note" }, [noisy && `epsilon ${shown(turn.epsilon)}`, `answers left ${left}`,
        SURE[turn.chance] ?? `chance of being the answer ${percent(turn.chance)}`].filter(Boolean).join(" · "))),
    grade("Skill", turn.skill, turn.skill_bits), grade("Luck", turn.luck, turn.luck_bits),
    el("p", {}, turn.wasted
      ? `A waste: ${before.leader.toUpperCase()} was ${likely(before.leader_chance)} already, and to propose it costs nothing.`
      : `It could be expected to tell ${fixed(turn.expected_bits)} bits and told ${fixed(turn.actual_bits)}. ${turn.best === turn.guess
        ? "It was the best guess." : `The best guess was ${turn.best}, with ${fixed(turn.best_bits)} bits.`}`,
    turn.steps !== null && turn.best !== turn.guess
      && ` To the end, ${turn.steps.toFixed(2)} guesses were to be expected, and ${turn.best_steps.toFixed(2)} with ${turn.best}.`),
    noisy && el("p", {}, `After it ${turn.leader.toUpperCase()} led, ${likely(turn.leader_chance)}.`),
    turn.line.length > 0 && el("p", {}, "Best from there: ", words(noisy && turn.leader_chance >= CERTAIN
      ? ["propose", turn.leader] : turn.line)));
}

/** An analyzed game, drawn: what each turn was worth. */

import { sentence } from "../api.js";
import { bar, counted, el, percent, shown } from "../dom.js";
import { CERTAIN, coachAddress } from "../game_fields.js";
import { capitals } from "../rows.js";
import { LIES, tiles, trueClue } from "../tiles.js";

const MOST = 99;
const fixed = (bits) => bits.toFixed(2).replace("-", "−");
const signed = (bits) => `${bits < 0 ? "−" : "+"}${Math.abs(bits).toFixed(2)}`;

/** The whole analysis of a game ({game, words, rule, channel}) as elements; `named` is the answer, if the user has said it. If an `adversary` chose the clues, there was no luck. */
export function review(analysis, game, named, adversary) {
  const { turns } = analysis;
  const noisy = game.game === "wordpl";
  const guess = noisy ? "ask" : "guess";
  const answer = named ?? (analysis.solved ? noisy ? analysis.proposed : turns.at(-1).guess : null);
  const truths = turns.map((turn) => (answer ? trueClue(turn.guess, answer, game.rule) : turn.clue));
  return [
    el("section", { className: "panel" },
      el("h2", {}, outcome(analysis, noisy)),
      analysis.remark && el("p", { className: "note" }, sentence(analysis.remark)),
      noisy && el("p", {}, judgement(analysis)),
      turns.some(({ clue }, at) => clue !== truths[at]) && el("p", { className: "note" }, LIES),
      el("div", { className: "grades" }, grade("Skill", analysis.skill), !adversary && grade("Luck", analysis.luck)),
      el("p", { className: "note" }, `From 0 to 99. Skill 99 is the best ${guess}${adversary ? "" : "; luck is about 50 on average"}. The first ${guess}`
        + ` has no skill: ${game.game === "fibble" ? "the site gives it, or " : ""}it can be learned by heart.`,
      noisy && " Answers left: how many equally likely ones would be as hard to guess.",
      analysis.hard && " The game was played in hard mode."),
      analysis.line.length > 0 && el("p", {}, `The best ${noisy ? "first ask" : "guesses from the start"}: `, words(analysis.line)),
      el("p", {}, el("a", { "data-link": "", href: coachAddress({ ...game, hard: analysis.hard }, turns) }, "Go on in Coach"))),
    el("ol", { className: "reviews" },
      turns.map((turn, at) => card(turn, truths[at], noisy, turns[at - 1], analysis.solved && !noisy && at === turns.length - 1, adversary))),
  ];
}

const budgetOf = (turns) => turns.reduce((sum, { epsilon }) => sum + (epsilon === "inf" ? Infinity : epsilon), 0);

function outcome({ solved, turns }, noisy) {
  if (!noisy) return `${solved ? "Solved" : "Not solved"} in ${counted(turns.length, "guess", "guesses")}`;
  const end = { true: "Right, with a budget of", false: "Not found, with a budget of", null: "A budget of" }[solved];
  return `${end} ${shown(budgetOf(turns), 6)} in ${counted(turns.length, "ask")}`;
}

function judgement({ turns, proposed, proposed_chance: chance }) {
  const { leader, leader_chance: most } = turns.at(-1);
  const proposal = (proposed ? `You proposed ${capitals(proposed)}, ${likely(chance)}; ` : "At the end ")
    + (proposed === leader ? "it was the best bet." : `the best bet was ${capitals(leader)}, ${likely(most)}.`);
  const wasted = turns.filter((turn) => turn.wasted);
  return !wasted.length ? proposal : `${proposal} ${counted(wasted.length, "ask")} came when the answer was certain already, and`
    + ` cost ${shown(budgetOf(wasted), 6)} of the budget for nothing.`;
}

const likely = (chance) => (chance ? `at ${percent(chance)}` : "which could not be right");

const words = (line) => el("span", { className: "mono" }, line.join(" "));

/** A grade from 0 to 99 with its bar. */
function grade(name, value, bits = null) {
  return el("div", { className: "grade" }, el("span", {}, name),
    value === null ? el("span", { className: "note" }, "none") : bar(value / MOST),
    el("span", { className: "number" }, value === null ? "–" : String(value)),
    bits !== null && el("span", { className: "number note" }, `${signed(bits)} bits`));
}

function card(turn, flipped, noisy, before, right, adversary) {
  const left = `${shown(turn.remaining_before)} → ${right ? "found" : shown(turn.remaining_after)}`;
  return el("li", { className: "panel review" },
    el("div", { className: "row" }, tiles(turn.guess, turn.clue, { flipped }),
      el("span", { className: "note" }, [noisy && `epsilon ${shown(turn.epsilon)}`, `answers left ${left}`,
        `chance of being the answer ${percent(turn.chance)}`].filter(Boolean).join(" · "))),
    grade("Skill", turn.skill, turn.skill_bits), !adversary && grade("Luck", turn.luck, turn.luck_bits),
    el("p", {}, turn.wasted
      ? `A waste: ${capitals(before.leader)} was ${likely(before.leader_chance)} already, and to propose it costs nothing.`
      : `It could be expected to tell ${fixed(turn.expected_bits)} bits and told ${fixed(turn.actual_bits)}. ${turn.best === turn.guess
        ? "It was the best guess." : `The best guess was ${turn.best}, with ${fixed(turn.best_bits)} bits.`}`,
    turn.steps !== null && turn.best !== turn.guess
      && ` To the end, ${turn.steps.toFixed(2)} guesses were to be expected, and ${turn.best_steps.toFixed(2)} with ${turn.best}.`),
    noisy && el("p", {}, `After it ${capitals(turn.leader)} led, ${likely(turn.leader_chance)}.`),
    turn.line.length > 0 && el("p", {}, "Best from there: ", words(noisy && turn.leader_chance >= CERTAIN
      ? ["propose", turn.leader] : turn.line)));
}

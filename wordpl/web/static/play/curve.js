/** Chances in a game against what was spent: in log odds, in which they rise about evenly. */

import { percent, shown } from "../dom.js";
import { capitals } from "../rows.js";

const LEAST = 0.0004; // odds of 2,499 to 1; what is less likely, or likelier than all but this, lies on the frame
const RECORDS = 80; // a budget beyond all records

export const drawn = (chance) => Math.max(LEAST, Math.min(1 - LEAST, chance));
export const CHANCE = { label: "chance", log: "odds", range: [LEAST, 1 - LEAST], ticks: [0.001, 0.01, 0.1, 0.5, 0.9, 0.99, 0.999], format: "percent" };

/** The best bets {word, chance} of a game at its start and after each of its `rows`, with what was `spent` until then. */
export const spending = (bets, rows) => bets.map((bet, asks) => ({ ...bet, spent: rows.slice(0, asks).reduce((sum, { epsilon }) => sum + epsilon, 0) }));

/** The picture of the best bets of a game, each {word, chance, spent}; diamonds are `records` ({budget, percentile}), what our strategies spend.
 * Dashes lead to what an ask that is advised, {guess, epsilon, raised}, is worth on average. */
export function betting(bets, records = [], advice = null) {
  const { word, chance, spent } = bets.at(-1);
  const titled = (bet) => `Spent ${shown(bet.spent)}: ${capitals(bet.word)} at ${percent(bet.chance)}`;
  return {
    label: `After ${shown(spent)} spent, the best bet is ${capitals(word)}, at ${percent(chance)}.`,
    x: { label: "budget spent", range: [0, Math.max(RECORDS, 1.05 * spent)], ...records.length && { ticks: [0, ...records.map(({ budget }) => [budget, shown(budget)])] } }, y: { ...CHANCE, label: "chance of the best bet", ticks: [0.001, 0.05, 0.5, 0.95, 0.999] },
    series: [
      { label: "best bet", look: { name: "accent", width: 3 }, kind: "line", mark: true,
        points: bets.map((bet) => ({ x: bet.spent, y: drawn(bet.chance), title: titled(bet) })) },
      { label: "our strategies", named: true, look: { name: "text", mark: "diamond" }, kind: "points", points: records.map(({ budget, percentile }) =>
        ({ x: budget, y: percentile / 100, title: `Our strategy wins ${percentile}% of games for ${shown(budget)}` })) },
      ...advice?.guess ? [{ label: `if you ask ${capitals(advice.guess)}`, named: true, look: { name: "accent", dash: "dot" }, kind: "line", mark: "ring", points: [
        { x: spent, y: drawn(chance) }, { x: spent + advice.epsilon, y: drawn(advice.raised),
          title: `Asking ${capitals(advice.guess)} at ${shown(advice.epsilon)}: ${percent(advice.raised)} on average` }] }] : [],
    ],
  };
}

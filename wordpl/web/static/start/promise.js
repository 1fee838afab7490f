/** The scenes that come later: the die with its epsilon, what is promised of clues, and when to stop asking. */

import { bar, count, el, percent, shown } from "../dom.js";
import { keep, liesIn, markChances } from "../epsilon.js";
import { betting, spending } from "../play/curve.js";
import { draw } from "../plot.js";
import { generator } from "../random.js";
import { MARKS, squares, tiles } from "../tiles.js";
import { CLUES, EPSILON, GUESS, MOST_EPSILON, ROUNDS, agreements, drawing, noisy, offer, say } from "./noise.js";

const ROWS = 100;
const [FIRST, SECOND] = Object.keys(CLUES);
/** From the clue of the one word to that of the other, a mark at a time. */
const BETWEEN = [...`${GUESS} `].map((_, k) => CLUES[SECOND].slice(0, k) + CLUES[FIRST].slice(k));

const ALL = Array.from({ length: 3 ** 5 }, (_, code) => [...GUESS].map((_letter, i) => MARKS[Math.floor(code / 3 ** i) % 3]).join(""));

/** How likely a clue is if the answer is HASTE, and if it is PROUD. */
export function likelihoods(clue, epsilon) {
  const { kept, flipped } = markChances(epsilon);
  return Object.values(CLUES).map((truth) => kept ** agreements(clue, truth) * flipped ** (5 - agreements(clue, truth)));
}

/** The chance to tell HASTE from PROUD, which are equally likely, by a clue: nobody can do better than to take the likelier. */
export const bestCall = (epsilon) => ALL.reduce((sum, clue) => sum + Math.max(...likelihoods(clue, epsilon)) / 2, 0);

/** The rounds of "HASTE or PROUD?": a coin chooses the word, and the die the clue. */
export const roundsOf = (random, epsilon) => Array.from({ length: ROUNDS }, () => {
  const word = random() < 0.5 ? "HASTE" : "PROUD";
  return { word, clue: noisy(CLUES[word], epsilon, random) };
});

/** How many of 100: 0.2, 43, 85, 99.5, 99.995; 100 only if it is that. */
export const ofHundred = (part) => shown(100 * part, Math.max(2, Math.ceil(-Math.log10(1 - part))));
/** A ratio: 2.7, 148, 442,413, 24M. */
export const times = (ratio) => (ratio < 10 ? shown(ratio, 2) : ratio < 1e6 ? count(ratio)
  : ratio.toLocaleString("en", { notation: "compact", maximumSignificantDigits: 3 }));
/** e to the power of an epsilon, as it is written. */
const power = (epsilon) => el("span", {}, "e", el("sup", {}, String(epsilon)));

/** The slider of the epsilon that the visitor has chosen. Another one begins another game. */
const loading = (state, set) => el("input", { type: "range", min: 0, max: MOST_EPSILON, value: state.get("epsilon", EPSILON), "aria-label": "Epsilon",
  oninput: ({ target }) => set({ epsilon: target.value, calls: null }) });

/** The die behind each mark, and the number that loads it. */
export function die(state, set) {
  const range = loading(state, set);
  const dice = [...CLUES.HASTE].map((right) => el("span", { className: "die" },
    [right, ...MARKS.filter((other) => other !== right)].map((face) => el("span", { dataset: { mark: face } }))));
  const words = el("p");
  const hundred = el("div", { className: "hundred", role: "img" });

  function fill() {
    const epsilon = state.get("epsilon", EPSILON);
    const right = keep(epsilon);
    for (const { style } of dice) style.setProperty("--kept", right);
    const random = generator(state.get("seed"), 2);
    const clues = Array.from({ length: ROWS }, () => noisy(CLUES.HASTE, epsilon, random));
    hundred.replaceChildren(...clues.map((clue) => el("span", {}, [...clue].map((mark, i) =>
      el("span", { className: mark === CLUES.HASTE[i] ? "cell" : "cell lie", dataset: { mark } })))));
    const lies = 5 * ROWS - agreements(clues.join(""), CLUES.HASTE.repeat(ROWS));
    range.value = epsilon;
    words.replaceChildren("At ε ", el("strong", {}, epsilon), `, ${ofHundred(right)} of 100 marks are true (blind guesses: 33). Expect ${liesIn(epsilon, {})} a row:`
      + ` ${Math.round(5 * ROWS * (1 - right))} here. Drawn: ${lies} (dashed), since dice vary.`);
    range.setAttribute("aria-valuetext", words.textContent);
    hundred.setAttribute("aria-label", `${ROWS} rows with ${lies} false marks of ${5 * ROWS}`);
  }
  return { fill, elements: [
    el("p", {}, "Each mark has a die of its own. Load the dice: the number is epsilon, ε."),
    el("div", { className: "stage" }, el("div", { className: "dice" }, tiles(GUESS, CLUES.HASTE), el("div", { className: "tiles", "aria-hidden": "true" }, dice)),
      el("label", { className: "load" }, "noise", range, "clarity"), hundred),
    words, drawing("Draw again", state, set),
  ] };
}

/** How often clues come up for one word and for another. The largest ratio of the two is what is promised. And a game on it. */
export function promise(state, set) {
  const range = loading(state, set);
  const number = el("span");
  const shares = el("ul", { className: "kinds", "aria-label": "How often each clue comes up" });
  const most = el("p");
  const words = el("p", { role: "status" });
  const stage = el("span");
  const calls = [FIRST, SECOND].map((word) => el("button", { onclick: () => set({ calls: `${state.get("calls", "")}${word[0]}` }) }, word));
  const more = drawing("Ten more", state, set, { calls: null });

  function fill() {
    const epsilon = state.get("epsilon", EPSILON);
    const likely = BETWEEN.map((clue) => likelihoods(clue, epsilon));
    const largest = Math.max(...likely.flat());
    shares.replaceChildren(...BETWEEN.map((clue, i) => {
      const [first, second] = likely[i];
      const said = first === second ? "as often" : `${times(Math.max(first, second) / Math.min(first, second))} times`;
      return el("li", { "aria-label": `${clue}: ${ofHundred(first)} of 100 if ${FIRST}, ${ofHundred(second)} if ${SECOND}: ${said}` },
        bar(first / largest), squares(clue), bar(second / largest), i % (BETWEEN.length - 1) ? said : el("mark", {}, said));
    }));
    number.textContent = `epsilon ε ${range.value = epsilon}`;
    most.replaceChildren("No clue is more than ", power("ε"), " times as likely for one word as for another: here ", el("strong", {}, power(epsilon), ` = ${times(Math.exp(epsilon))}`),
      ". This promise is differential privacy.");
    const rounds = roundsOf(generator(state.get("seed"), 5), epsilon);
    const called = [...state.get("calls", "")];
    const hits = called.filter((letter, i) => letter === rounds[i].word[0]).length;
    const over = called.length === ROUNDS;
    stage.replaceChildren(over ? "" : tiles(GUESS, rounds[called.length].clue));
    offer([...calls, more], over ? [more] : calls);
    const last = called.length && `${called.at(-1) === rounds[called.length - 1].word[0] ? "Right" : "Wrong"}: it was ${rounds[called.length - 1].word}. `;
    if (!called.length) say(words, `${ROUNDS} clues at ε ${epsilon}. Which word gave this one?`);
    else if (!over) say(words, `${last}${hits} of ${called.length}. And this?`);
    else {
      const [best, limit] = [bestCall(epsilon), 1 / (1 + Math.exp(-epsilon))].map((part) => ofHundred(part));
      say(words, `${last}You hit `, el("strong", {}, `${hits} of ${ROUNDS}`), ", by skill and luck. On average nobody hits more than ",
        el("strong", {}, `${best} of 100`), `; with any mechanism at this ε, ${limit}: `, el("span", {}, power("ε"), " / (1 + ", power("ε"), ")."));
    }
  }
  return { fill, elements: [
    most, el("div", { className: "stage" }, el("label", { className: "load" }, number, range), el("p", {}, `How often a clue to ${GUESS.toUpperCase()} comes for`),
      el("div", { className: "kind names", "aria-hidden": "true" }, el("strong", {}, FIRST), el("span"), el("strong", {}, SECOND), el("span")), shares),
    el("h3", {}, `${FIRST} or ${SECOND}?`), words, el("div", { className: "row calls" }, stage, calls, more),
  ] };
}

/** A game by the rule of the library: the most probable of the 2,315 answers at the start and after each ask, its chance, the second,
 * and the advice, whose ask has raised that chance on average to `raised`. */
export const STANDINGS = [
  { best: "aback", second: "abase", chance: 0.000432, raised: 0.0291,
    advice: "Asking SOARE at 13 raises 0.0432% to 2.91% on average and is worth it with the asks that follow." },
  { guess: "soare", epsilon: 13, clue: "i.c.c", best: "abase", second: "cease", chance: 0.0616, raised: 0.4842,
    advice: "Asking LEUCH at 20 raises 6.16% to 48.4% on average and is worth it." },
  { guess: "leuch", epsilon: 20, clue: ".ic.i", best: "phase", second: "haute", chance: 0.3873, raised: 0.8127,
    advice: "Asking STAMP at 20 raises 38.7% to 81.3% on average and is worth it." },
  { guess: "stamp", epsilon: 20, clue: "iii..", best: "haste", second: "haute", chance: 0.8482,
    advice: "Propose HASTE: at 84.8% no ask is worth its price." },
];
/** What our strategies spend, by the share of games that they win. */
export const RECORDS = [{ budget: 14.32, percentile: 5 }, { budget: 36.3, percentile: 50 }, { budget: 68.2, percentile: 95 }];

/** Whether to propose a word that is probably wrong, or to pay for one more clue. */
export function stake(state, set) {
  const clicks = () => state.get("clicks", "");
  const board = el("ol", { className: "asked" });
  const curve = el("div", { className: "plot" });
  const outcome = el("div", { role: "status" });
  const ask = el("button", { className: "main", onclick: () => set({ clicks: `${clicks()}a` }) });
  const propose = el("button", { onclick: () => set({ clicks: `${clicks()}p` }) });
  const anew = drawing("Draw again", state, set);
  const over = el("button", { onclick: () => set({ clicks: null }) }, "Start over");

  function fill() {
    const ended = clicks().endsWith("p");
    const standings = STANDINGS.slice(0, 1 + clicks().replace("p", "").length);
    const asks = standings.slice(1);
    const next = STANDINGS[standings.length];
    const bets = spending(standings.map(({ best, chance }) => ({ word: best, chance })), asks);
    const { word, chance, spent } = bets.at(-1);
    board.replaceChildren(...asks.map(({ guess, clue, epsilon }) => el("li", {}, tiles(guess, clue), ` ε ${epsilon}`)));
    offer([ask, propose, anew, over], ended ? [anew, over] : next ? [ask, propose] : [propose]);
    propose.className = next ? "" : "main";
    ask.textContent = next && `Ask ${next.guess.toUpperCase()} at ${next.epsilon}`;
    propose.textContent = `Propose ${word.toUpperCase()}`;
    draw(curve, betting(bets, RECORDS, ended || !next ? null : { ...next, raised: standings.at(-1).raised }));
    const won = generator(state.get("seed"), 6)() < chance;
    say(outcome, ...ended ? [el("p", {}, el("strong", {}, won ? `Right: you score ${spent}.` : `Wrong: it was another word. You spent ${spent}.`),
      ` This draw decided it: ${percent(chance)} of such games are won. The next most probable was ${standings.at(-1).second.toUpperCase()}.`)] : [
      el("p", {}, `Spent ${asks.length > 1 ? `${asks.map(({ epsilon }) => epsilon).join(" + ")} = ` : ""}${spent}, which promises `, power(spent), ". ",
        el("strong", {}, word.toUpperCase()), ` is right with a chance of ${percent(chance)}.`),
      el("p", { className: "note" }, standings.at(-1).advice)]);
  }
  return { fill, elements: [
    el("p", {}, "Find my word, of 2,315, for the least. Propose it once: wrong loses. The best strategies spend 72 for each game won, so an ask at ε pays if it raises your chance by more than ε/72, or prepares asks that do."), outcome,
    el("div", { className: "stage" }, board, curve), el("div", { className: "row" }, ask, propose, anew, over),
  ] };
}

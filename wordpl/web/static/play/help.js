/** Help beside the board: the best bet, and what else is switched on. What is switched off is not computed. */

import { attempt, bars, debounced, el, percent, shown, table } from "../dom.js";
import { latest } from "../latest.js";
import { figure } from "../save.js";
import { betting, spending } from "./curve.js";
import { ask as request, isPriced } from "./game.js";

export const SWITCHES = { bet: "Best bet", answers: "Most probable answers", bits: "Bits left", guesses: "Next best guess" };

/**
 * The panel. `pick(word)` is called with a word that is clicked, `advise(best, advice)` with the best bet {word, chance}
 * and whether to propose it, or null while none is known; `usual` are the switches that are on from the start, and `records` a promise
 * of those that its `curve`, of the best bet, is compared with, or null where there is no budget. Its `show(game, epsilon)` brings it up to date.
 */
export function helpPanel(state, usual, { pick, advise, records }) {
  const on = new Set(state.get("help", usual).split(" ").filter((name) => name !== "none"));
  const fault = el("p", { className: "fault", hidden: true });
  const help = el("div", { className: "help" });
  const curve = records && figure("The best bet");
  let now = null;
  const ask = latest(async (signal) => {
    if (curve) curve.hidden = !on.has("bet");
    help.ariaBusy = "true";
    await attempt(async () => {
      const { game, epsilon } = now;
      const wanted = { show: [...on].filter((name) => name !== "bet"), epsilon: isPriced(game) ? epsilon : "inf" };
      const answer = on.size && await request(game, "/help", signal, wanted);
      help.replaceChildren(...answer ? sections(answer, pick, isPriced(game) && epsilon) : []);
      if (on.has("bet")) advise(answer.bets.at(-1), answer.advice);
      if (on.has("bet") && curve) curve.draw(betting(spending(answer.bets, game.rows), await records, answer.advice));
    }, {}, fault);
    if (!signal.aborted) help.ariaBusy = null;
  }, state.signal);
  const soon = debounced(ask, 150);
  addEventListener("server", ({ detail }) => detail === "back" && now && ask(), { signal: state.signal });
  const boxes = Object.entries(SWITCHES).map(([name, text]) => el("label", {},
    el("input", { type: "checkbox", checked: on.has(name), onchange: ({ target }) => {
      if (target.checked) on.add(name); else on.delete(name);
      const names = [...on].join(" ") || "none";
      state.set({ help: names === usual ? null : names });
      if (!on.has("bet")) advise(null);
      ask();
    } }), text));
  const whole = el("section", { className: "panel", "aria-label": "Help" },
    el("h2", {}, "Help"), el("div", { className: "switches" }, boxes), fault, curve, help);
  whole.curve = curve;
  whole.show = (game, epsilon) => {
    const changed = now?.game !== game;
    now = { game, epsilon };
    if (changed) {
      advise(null);
      ask();
    } else if (on.has("guesses")) soon();
  };
  return whole;
}

function sections({ answers, remaining, bits, guesses, win_chances: wins }, pick, epsilon) {
  const more = remaining - answers?.length;
  return [
    bits !== null && el("p", {}, el("strong", {}, shown(bits, 4)), " bits left to find."),
    answers && el("h3", {}, "Most probable answers"),
    answers && bars(answers.map(({ word, chance }) => [button(word, pick), chance, percent(chance)])),
    more > 0 && el("p", { className: "note" }, `and ${shown(more, 6)} more`),
    guesses && el("h3", {}, wins.length ? "Next best guess" : `Next best guess${epsilon ? ` at epsilon ${shown(epsilon)}` : ""}, by bits to learn`),
    guesses && (guesses.length === 0 ? el("p", { className: "note" }, "There is nothing left to ask.")
      : table(["guess", ...(wins.length ? ["win"] : []), "bits", "answers left", "chance"], guesses.map((guess, at) => [
        button(guess.word, pick), ...wins.slice(at, at + 1).map((win) => percent(win)),
        shown(guess.bits, 3), shown(guess.expected_remaining, 3), percent(guess.chance),
      ]), { caption: "The best next guesses", numbers: ["win", "bits", "answers left", "chance"] })),
  ].filter(Boolean);
}

const button = (word, pick) => el("button", { className: "pick", title: "Put it into the row",
  onmousedown: (event) => event.preventDefault(), onclick: () => pick(word) }, word);

/** What to play: the terms of the next game. */

import { el, showError } from "../dom.js";
import { checkbox, gameFields } from "../game_fields.js";
import { HARD, KINDS, defaultRule } from "./game.js";

const GAMES = Object.fromEntries(Object.entries(KINDS).map(([kind, label]) => [kind, { label, rule: defaultRule(kind) }]));

/** The form. `start(terms)` begins a game; it may throw what the server says against the terms. */
export async function setup(terms, start) {
  const hard = checkbox("Hard mode", terms.hard);
  const given = checkbox("The first guess is given", terms.given);
  const rest = el("p", { className: "fault", hidden: true });
  let next = terms;
  const fit = () => {
    hard.hidden = !HARD.includes(next.kind);
    given.hidden = next.kind !== "fibble";
  };
  const form = await gameFields({ ...terms, game: terms.kind }, ({ game, words, rule, lies }) => {
    next = { kind: game, words, rule, lies };
    fit();
  }, GAMES);
  fit();
  form.append(hard, given);
  const begin = async (chosen) => {
    rest.hidden = true;
    try {
      await start(chosen);
      whole.open = false;
    } catch (error) {
      whole.open = true;
      showError(error, { ...form.fields, hard, given }, rest);
    }
  };
  const read = () => ({ ...next, hard: hard.control.checked && !hard.hidden, given: given.control.checked });
  const usual = (label, kind) => terms.kind !== kind && el("button", { type: "button",
    onclick: () => begin({ ...terms, kind, rule: defaultRule(kind), hard: false }) }, label);
  const whole = el("details", { className: "panel setup" },
    el("summary", {}, "Game: ", el("strong", {}, told(terms))), form, rest,
    el("button", { type: "button", className: "main", onclick: () => begin(read()) }, "Start this game"));
  return el("div", { className: "choose" }, whole,
    el("div", { className: "row" },
      el("button", { type: "button", onclick: () => begin(terms) }, "New game"),
      usual("Today's word", "daily"), usual("WORDPL", "wordpl")));
}

function told({ kind, words, rule, hard, lies }) {
  const parts = [KINDS[kind], words.startsWith("list-") ? "a list of your own" : words];
  if (rule !== defaultRule(kind)) parts.push(rule);
  if (hard) parts.push("hard mode");
  if (kind === "fibble") parts.push(lies === 1 ? "1 false mark in each row" : `${lies} false marks in each row`);
  return parts.join(", ");
}

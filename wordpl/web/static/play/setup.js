/** What to play: the terms of the next game. */

import { el, field, showError } from "../dom.js";
import { RULES, select } from "../game_fields.js";
import { wordsField } from "../words.js";
import { HARD, KINDS, defaultRule } from "./game.js";

/** The form. `start(terms)` begins a game; it may throw what the server says against the terms. */
export async function setup(terms, start) {
  const kind = select("Game", KINDS, terms.kind);
  const rule = select("Repeat rule", RULES, terms.rule);
  const hard = checkbox("Hard mode", terms.hard);
  const lies = select("False marks in each row", { 1: "1", 2: "2", 3: "3", 4: "4", 5: "5" }, String(terms.lies));
  const given = checkbox("The first guess is given", terms.given);
  let list = terms.words;
  const words = await wordsField(list, (summary) => { list = summary.name; });
  const rest = el("p", { className: "fault", hidden: true });
  const fit = () => {
    hard.hidden = !HARD.includes(kind.control.value);
    lies.hidden = given.hidden = kind.control.value !== "fibble";
  };
  kind.control.addEventListener("change", () => {
    rule.control.value = defaultRule(kind.control.value);
    fit();
  });
  fit();
  const read = () => ({
    kind: kind.control.value, words: list, rule: rule.control.value, hard: hard.control.checked && !hard.hidden,
    lies: Number(lies.control.value), given: given.control.checked,
  });
  const begin = async (chosen) => {
    rest.hidden = true;
    try {
      await start(chosen);
      whole.open = false;
    } catch (error) {
      whole.open = true;
      showError(error, { kind, words, rule, hard, lies, given }, rest);
    }
  };
  const whole = el("details", { className: "panel setup" },
    el("summary", {}, "Game: ", el("strong", {}, told(terms))),
    el("div", { className: "row" }, kind, words, rule, hard, lies, given), rest,
    el("button", { type: "button", className: "main", onclick: () => begin(read()) }, "Start this game"));
  return el("div", { className: "choose" }, whole,
    el("div", { className: "row" },
      el("button", { type: "button", onclick: () => begin(terms) }, "New game"),
      terms.kind !== "daily" && el("button", { type: "button",
        onclick: () => begin({ ...terms, kind: "daily", rule: defaultRule("daily"), hard: false }) }, "Today's word"),
      terms.kind !== "wordpl" && el("button", { type: "button",
        onclick: () => begin({ ...terms, kind: "wordpl", rule: defaultRule("wordpl"), hard: false }) }, "WORDPL")));
}

function told({ kind, words, rule, hard, lies }) {
  const parts = [KINDS[kind], words.startsWith("list-") ? "a list of your own" : words];
  if (rule !== defaultRule(kind)) parts.push(rule);
  if (hard) parts.push("hard mode");
  if (kind === "fibble") parts.push(lies === 1 ? "1 false mark in each row" : `${lies} false marks in each row`);
  return parts.join(", ");
}

function checkbox(label, checked) {
  return field(label, el("input", { type: "checkbox", checked }));
}

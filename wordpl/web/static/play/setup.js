/** What to play: the terms of the next game. */

import { attempt, el } from "../dom.js";
import { HARD, checkbox, gameFields, hardField, noiseOf } from "../game_fields.js";
import { nameOf } from "../words.js";
import { KINDS } from "./game.js";

/** The form. `start(terms)` begins a game; it may throw what the server says against the terms. `again()` begins the game that goes on anew. */
export function setup(terms, start, again) {
  const hard = hardField("Hard mode", terms.hard);
  const given = checkbox("The first guess is given", terms.given);
  const rest = el("p", { className: "fault", hidden: true });
  let next = terms;
  const fit = () => {
    hard.hidden = !KINDS[next.kind].hard;
    given.hidden = next.kind !== "fibble";
  };
  const form = gameFields(({ game, words, rule, channel }) => {
    next = { kind: game, words, rule, channel };
    fit();
  }, KINDS);
  form.set({ ...terms, game: terms.kind });
  form.append(hard, given);
  fit();
  const begin = async (chosen) => {
    all.ariaBusy = "true"; // other words may take seconds
    whole.open = !await attempt(() => start(chosen), { ...form.fields, hard, given }, rest);
    all.ariaBusy = null;
  };
  const usual = (label, kind) => terms.kind !== kind && el("button",
    { onclick: () => begin({ ...terms, kind, words: KINDS[kind].words, rule: KINDS[kind].rule, channel: null, hard: false }) }, label);
  const whole = el("details", { className: "panel setup" },
    el("summary", {}, "Game: ", el("strong", {}, summary(terms))), form, rest,
    el("button", { className: "main", onclick: () =>
      begin({ ...next, hard: !hard.hidden && HARD[hard.control.value], given: given.control.checked }) }, "Start this game"));
  const all = el("div", { className: "choose" }, whole,
    el("div", { className: "row" },
      terms.kind !== "daily" && [["New game", () => begin(terms)], ["Restart this game", again]].map(([label, onclick]) =>
        el("button", { className: "again", onclick }, label)),
      usual("Today's word", "daily"), usual("WORDPL", "wordpl")));
  return all;
}

const summary = ({ kind, words, rule, hard, channel }) => [KINDS[kind].label, nameOf(words), rule !== KINDS[kind].rule && rule,
  hard && (hard === "extra" ? "extra hard mode" : "hard mode"), channel && channel !== "randomized_response" && noiseOf(kind, channel)].filter(Boolean).join(", ");

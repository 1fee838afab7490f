/** Help beside the board: the best bet, and what else is switched on. What is switched off is not computed. */

import { bar, debounced, el, percent, showError, shown, table } from "../dom.js";
import { helpWith } from "./game.js";

const SWITCHES = { bet: "Best bet", answers: "Most probable answers", bits: "Bits left", guesses: "Next best guess" };

/**
 * The panel. `pick(word)` is called with a word that is clicked, `advise(best)` with the best bet {word, chance}, or null
 * while none is known; `usual` are the switches that are on from the start. Returns it; `show(game, epsilon)` brings it up to
 * date.
 */
export function helpPanel(state, usual, pick, advise) {
  const on = new Set((state.get("help") ?? usual).split(" ").filter((name) => name in SWITCHES));
  const rest = el("p", { className: "fault", hidden: true });
  const found = el("div", { className: "help" });
  let asking = new AbortController();
  let now = null;
  const ask = async () => {
    asking.abort();
    asking = new AbortController();
    const { signal } = asking;
    if (!on.size) {
      found.replaceChildren();
      return;
    }
    found.setAttribute("aria-busy", "true");
    rest.hidden = true;
    try {
      const { game, epsilon } = now;
      const told = await helpWith(game, [...on].filter((name) => name !== "bet"), game.kind === "wordpl" ? epsilon : "inf", signal);
      if (signal.aborted) return;
      found.replaceChildren(...sections(told, pick));
      if (on.has("bet")) advise(told.best);
    } catch (error) {
      showError(error, {}, rest);
    } finally {
      if (!signal.aborted) found.removeAttribute("aria-busy");
    }
  };
  state.signal.addEventListener("abort", () => asking.abort());
  const soon = debounced(ask, 150);
  const boxes = Object.entries(SWITCHES).map(([name, text]) => el("label", {},
    el("input", { type: "checkbox", checked: on.has(name), onchange: ({ target }) => {
      if (target.checked) on.add(name); else on.delete(name);
      const names = [...on].join(" ") || "none";
      state.set({ help: names === usual ? null : names });
      if (!on.has("bet")) advise(null);
      ask();
    } }), text));
  const whole = el("section", { className: "panel", "aria-label": "Help" },
    el("h2", {}, "Help"), el("div", { className: "switches" }, boxes), rest, found);
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

function sections({ answers, remaining, bits, guesses }, pick) {
  const made = [];
  if (bits !== null) made.push(el("p", {}, el("strong", {}, shown(bits, 4)), " bits left to find."));
  if (answers) made.push(el("h3", {}, "Most probable answers"), bars(answers, pick), left(answers, remaining));
  if (guesses) {
    made.push(el("h3", {}, "Next best guess"), guesses.length === 0
      ? el("p", { className: "note" }, "There is nothing left to ask.")
      : table(["guess", "bits", "left", "chance"], guesses.map((one) =>
        [word(one.word, pick), shown(one.bits, 3), shown(one.expected_remaining, 3), percent(one.chance, 2)]),
      { caption: "The best next guesses", numbers: ["bits", "left", "chance"] }));
  }
  return made.flat().filter(Boolean);
}

const word = (text, pick) => el("button", { type: "button", className: "pick", title: "Put it into the row",
  onmousedown: (event) => event.preventDefault(), onclick: () => pick(text) }, text);

function bars(answers, pick) {
  const most = answers[0]?.chance || 1;
  return el("ol", { className: "chances" }, answers.map((one) => el("li", {},
    word(one.word, pick), bar(one.chance / most), el("span", { className: "number" }, percent(one.chance)))));
}

function left(answers, remaining) {
  const more = remaining - answers.length;
  return more > 0 ? el("p", { className: "note" }, `and ${shown(more, 6)} more`) : null;
}

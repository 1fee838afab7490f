/** Why a word: what its clue would tell, and how it parts the answers. */

import { announce, count, counted, el, field, percent, showError, shown, table, wordBox } from "../dom.js";
import { latest } from "../latest.js";
import { fold, letters } from "../rows.js";
import { drafted } from "../storage.js";
import { tiles } from "../tiles.js";
import { postOfList } from "../words.js";

const PARTS_SHOWN = 40;
const WORDS_SHOWN = 8;

/** The panel of a game so far, `situation()`; `onchange(word)` is told the word. It has `show(word)` and `refresh()`. */
export function whyPanel({ situation, hard, onchange, signal }) {
  const named = field("Any word", drafted("why", wordBox("")));
  const input = named.control;
  const result = el("div");
  const whole = el("section", { className: "panel" }, el("h2", {}, "Why a word?"),
    el("div", { className: "row" }, named, el("button", { onclick: () => whole.show(input.value) }, "Tell me")),
    result);
  input.addEventListener("keydown", (event) => { if (event.key === "Enter") whole.show(input.value); });

  const ask = latest(async (own, word, speak) => {
    try {
      const answer = await postOfList("/api/coach/why", { ...situation(), word }, { signal: own });
      named.fault(null);
      result.replaceChildren(reasons(answer, hard()));
      if (speak) announce(`${answer.statistics.word}: ${answer.statistics.bits.toFixed(2)} bits`);
    } catch (error) {
      if (error.name === "AbortError") return;
      result.replaceChildren();
      showError(Object.assign(error, { field: "word" }), { word: named });
    }
  }, signal);

  let word = "";
  whole.show = (typed, speak = true) => {
    word = letters(fold(typed.trim()));
    input.value = word;
    onchange(word);
    if (word) ask(word, speak);
    else result.replaceChildren();
  };
  whole.refresh = () => { if (word) whole.show(word, false); };
  return whole;
}

function reasons({ statistics, known, legal, parts }, hard) {
  const rows = parts.slice(0, PARTS_SHOWN).map(({ clue, size, chance, words }) => [
    tiles(statistics.word, clue, { tiny: true }), count(size), percent(chance),
    words.slice(0, WORDS_SHOWN).join(" ") + (size > WORDS_SHOWN ? ` and ${count(size - WORDS_SHOWN)} more` : ""),
  ]);
  return el("div", { className: "reasons" },
    el("p", {}, `${statistics.word}: ${statistics.bits.toFixed(4)} bits, expected answers left`
      + ` ${shown(statistics.expected_remaining)}, chance of being the answer ${percent(statistics.chance)}. Its clue parts the answers into`
      + ` ${counted(statistics.parts, "group")}, the largest of ${count(statistics.largest_part)}.`
      + (known ? "" : " It is not in the list.") + (hard && !legal ? " Hard mode does not allow it." : "")),
    el("p", { className: "note" }, "The groups, if no mark is false:"),
    table(["clue", "answers", "chance", "words"], rows,
      { caption: `Groups of ${statistics.word}`, numbers: ["answers", "chance"] }),
    parts.length > PARTS_SHOWN && el("p", { className: "note" }, `And ${parts.length - PARTS_SHOWN} less probable groups.`));
}

/** The choice of a word list. One's own is kept in this browser, and sent again to a server that does not have it any more. */

import { get, post } from "./api.js";
import { attempt, count, el, field } from "./dom.js";
import { drafted, store, stored } from "./storage.js";

const KEPT = "list:";
const lists = new Map();
/** The name of a list for people: one of the user's own has none. */
export const nameOf = (name) => (name.startsWith("list-") ? "a list of your own" : name);

/** The summary of a list by name ({name, length, answers, guesses}); sends one of the user's own again if need be. */
export async function summaryOf(name) {
  if (!lists.has(name)) {
    for (const summary of await get("/api/words", { pasted: name })) lists.set(summary.name, summary);
    const text = lists.has(name) ? null : stored(KEPT + name);
    if (text) lists.set(name, await post("/api/words", JSON.parse(text)));
  }
  return lists.get(name) ?? null;
}

/** What `call` returns. If the server has let go of a list of the user's own, it is sent again, and the call made once more. */
export async function withList(name, call) {
  try {
    return await call();
  } catch (error) {
    if (error.field !== "words" || error.status !== 404) throw error;
    lists.delete(name);
    if (!await summaryOf(name)) throw error;
    return call();
  }
}

/** Post a body that names a list in `words`. */
export const postOfList = (path, body, options) => withList(body.words, () => post(path, body, options));

/** A selector. `onchange(summary)` is called with the list that is chosen; `choose(name)` calls nothing. */
export function wordsField(chosen, onchange) {
  const select = el("select", { className: "lists" });
  const own = el("option", { value: "" }, "Paste a list of your own…");
  const whole = field("Words", select);
  let last;
  const fill = (name) => {
    last = name;
    const known = [...lists.values()].map((list) =>
      el("option", { value: list.name }, `${nameOf(list.name)} (${count(list.answers)} answers, ${list.length} letters)`));
    select.replaceChildren(...known, lists.has(name) ? "" : el("option", { value: name }, nameOf(name)), own);
    select.value = name;
  };
  const choose = async (name) => {
    fill(name);
    whole.ariaBusy = "true";
    const known = await summaryOf(name).catch((error) => whole.fault(error.message));
    whole.ariaBusy = null;
    if (name !== last) return; // another was chosen meanwhile
    fill(name);
    if (known === null) whole.fault("There is no word list of that name here; choose another, or paste the list again.");
  };
  choose(chosen);
  const take = (summary) => {
    fill(summary.name);
    onchange(summary);
  };
  select.addEventListener("change", () => {
    if (select.value) take(lists.get(select.value));
    else {
      fill(last);
      paste(take);
    }
  });
  return Object.assign(whole, { choose });
}

function paste(done) {
  const area = (name) => drafted(`list ${name}`, el("textarea", { rows: 8, cols: 30 }));
  const answers = field("Answers, one per line", area("answers"));
  const guesses = field("Guesses, one per line; leave it empty if only the answers can be guessed", area("guesses"));
  const rest = el("p", { className: "fault", hidden: true });
  const dialog = el("dialog", { "aria-label": "A list of your own" },
    el("h2", {}, "A list of your own"),
    el("p", {}, "Words of 3 to 8 letters, all of one length. They are sent to this server only."),
    el("div", { className: "columns" }, answers, guesses), rest,
    el("div", { className: "row" },
      el("button", { type: "button", className: "main", onclick: () => use() }, "Use these words"),
      el("button", { type: "button", onclick: () => dialog.close() }, "Cancel")));
  const use = () => attempt(async () => {
    const body = { answers: answers.control.value, guesses: guesses.control.value.trim() ? guesses.control.value : null };
    const summary = await post("/api/words", body);
    lists.set(summary.name, summary);
    store(KEPT + summary.name, JSON.stringify(body));
    dialog.close();
    done(summary);
  }, { answers, guesses }, rest);
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

/** The page of one submission: what becomes of it, as it happens. For its author only. */

import { sentence } from "../api.js";
import { announce, askingOnce, count, el, showError } from "../dom.js";
import { commands, entryLink, facts, folded, given, when } from "./parts.js";
import { follow, token, tokenField, withdraw } from "./uploads.js";

export const STATES = { waiting: "waiting", checking: "being checked", scoring: "being scored", done: "done", refused: "refused" };

export async function show(root, state) {
  state.expect({});
  const [, id] = state.path;
  const body = el("div");
  root.append(el("h2", {}, "Submission ", el("code", {}, given(id))), body);
  if (token()) watch(id, body, state.signal);
  else ask(id, body, state.signal);
}

/** Ask for the token, and say what was wrong with the last one. */
function ask(id, body, signal, error = null) {
  const tokens = tokenField();
  const rest = el("p", { className: "fault", hidden: true });
  const form = el("form", { className: "panel", noValidate: true, "aria-label": "See the submission" },
    el("p", {}, "Only its author sees this page."), tokens,
    el("div", { className: "row" }, el("button", { type: "submit", className: "main" }, "Show it")), rest);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (tokens.hold()) watch(id, body, signal);
  });
  body.replaceChildren(form);
  if (error) showError(error, { token: tokens }, rest);
}

async function watch(id, body, signal) {
  const [head, progress, rest] = [el("div"), el("div", {}, el("p", {}, "Reading …")), el("div")];
  const fault = el("p", { className: "fault", hidden: true });
  let last = { findings: [] };
  body.replaceChildren(head, progress, rest, fault);
  try {
    await follow(id, (submission) => {
      const { state, findings, reason } = submission;
      const changed = state !== last.state;
      if (changed) {
        head.replaceChildren(steps(submission), state === "waiting" ? withdrawal(id, fault) : "", facts([
          ["File", given(submission.file)],
          ["Call", submission.call && el("code", {}, given(submission.call))],
          ["Token", given(submission.name)],
          ["Received", when(submission.received)],
        ]));
        announce(`The submission is ${STATES[state]}.`);
      }
      progress.replaceChildren(...progressOf(submission));
      if (changed || findings.length !== last.findings.length || reason !== last.reason) rest.replaceChildren(...verdict(submission));
      last = submission;
    }, signal);
  } catch (error) {
    if (error.status === 404) error.field = "token";
    if (error.status === 401 || error.status === 404) ask(id, body, signal, error);
    else showError(error, {}, fault);
  }
}

function steps({ state }) {
  const names = ["Waiting", "Checking", "Scoring", state === "refused" ? "Refused" : "Done"];
  return el("ol", { className: "steps", "aria-label": "States" }, names.map((name) =>
    el("li", { "aria-current": name.toLowerCase() === state ? "step" : undefined }, name)));
}

/** The button that withdraws the submission. What follows the submission shows what becomes of it. */
function withdrawal(id, fault) {
  const button = askingOnce(() => "Withdraw", () => "Really withdraw?",
    () => withdraw(id).catch((error) => showError(error, {}, fault)));
  return el("p", { className: "row" }, button, el("span", { className: "note" }, "It still counts as an upload of its day."));
}

function progressOf({ state, position, games, games_at_most: most }) {
  if (state === "waiting") {
    return [el("p", { className: "standing" }, position === 1 ? "It is the next one." : `${count(position)} in the queue.`)];
  }
  if (state === "checking" || state === "scoring") {
    const what = state === "checking" ? "of the check" : "played";
    return [
      el("p", { className: "standing" }, `${count(games)} games ${what}${most ? `, of at most ${count(most)}` : ""}.`),
      most && el("progress", { value: Math.min(games, most), max: most, "aria-label": `Games ${what}` }),
      state === "scoring" && el("p", { className: "note" }, "Most runs end earlier: as soon as the rank is decided."),
    ].filter(Boolean);
  }
  return [];
}

function verdict({ state, findings, reason, entry, games }) {
  return [
    reason && el("p", { className: state === "refused" ? "fault" : "" }, given(sentence(reason))),
    entry && el("section", {}, el("h3", {}, state === "done" ? `Its entry, after ${count(games)} games` : "Its entry"),
      el("p", {}, entryLink(entry.id, entry.name)), folded("Commitment: note it, and you can tell later that the seed was not changed", [
        ["Commitment", el("code", {}, entry.commitment)],
        ["Nonce", el("code", {}, given(entry.nonce))],
      ])),
    findings.length > 0 && el("section", {}, el("h3", {}, "The check"), el("ul", { className: "findings" },
      findings.map(({ check, passed, message }) => el("li", { dataset: { passed } },
        el("strong", {}, passed ? "passed " : "failed "), given(check), passed && message ? [": ", given(message)] : "")))),
    state === "refused" && findings.some(({ passed }) => !passed) && el("section", {},
      el("p", {}, "Mend it, and make the same check at home before you hand it in again:"), commands("wordpl check my_strategy.py --sandbox")),
    ["done", "refused"].includes(state) && el("p", {}, el("a", { href: "/contest/submit", "data-link": "" }, "Hand in another strategy")),
  ].filter(Boolean);
}

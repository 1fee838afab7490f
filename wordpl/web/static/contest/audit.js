/** The audit of an entry: on request, since it replays every game; with what the last one found. */

import { get, pause, post } from "../api.js";
import { announce, count, el, showError } from "../dom.js";
import { given, when } from "./parts.js";

const POLL_MS = 1000;

/** The panel, with the result of the last audit if there is one. */
export async function auditPanel(path, entry, signal) {
  const findings = el("div");
  const fault = el("p", { className: "fault", hidden: true });
  const button = el("button", { type: "button", onclick: () => attempt(() => post(`${path}/audit`)) }, "Audit now");
  const draw = (audit) => {
    button.disabled = audit.running || Boolean(audit.result?.current);
    button.textContent = audit.result ? "Audit again" : "Audit now";
    findings.replaceChildren(...report(audit).filter(Boolean));
  };
  const attempt = async (work) => {
    try {
      fault.hidden = true;
      let audit = await work();
      draw(audit);
      while (audit.running) {
        await pause(POLL_MS, signal);
        audit = await get(`${path}/audit`, {}, { signal });
        draw(audit);
        if (!audit.running) announce(verdict(audit.result));
      }
    } catch (error) {
      button.disabled = false;
      showError(error, {}, fault);
    }
  };
  attempt(() => get(`${path}/audit`, {}, { signal }));
  return el("section", {}, el("h2", {}, "Audit"),
    el("p", {}, entry.state === "running"
      ? "While it runs, only its terms can be checked."
      : "An audit works out every clue, verdict and chance again from the seed. The same at home, with an earlier copy of"
        + " the ledger: "),
    entry.state !== "running" && el("p", {}, el("code", {}, `wordpl contest audit ${entry.id} --against COPY`)),
    findings, fault, button);
}

const verdict = ({ ledger, entry }) => (ledger.length + entry.length === 0 ? "All fits." : "Something does not fit.");

function report({ running, trials, of, result }) {
  if (running && trials === 0) return [el("p", {}, "The audit has begun, or waits for another one.")];
  if (running) {
    return [el("p", {}, `Replayed ${count(trials)} of ${count(of)} games.`),
      el("progress", { value: trials, max: of, "aria-label": "Games replayed" })];
  }
  if (!result) return [];
  const faults = [...result.entry, ...result.ledger];
  return [
    el("p", { className: faults.length ? "fault" : "right" },
      faults.length ? `${verdict(result)} ${result.entry.length ? "In this entry:" : "In the ledger:"}`
        : `${verdict(result)}${result.only_terms ? " Only its terms were checked, since the run was not over." : ""}`),
    faults.length > 0 && el("ul", { className: "remarks" }, faults.map((line) => el("li", {}, given(line)))),
    el("p", { className: "note" }, "Audited ", when(result.at), result.current ? "; the leaderboard is the same since." : "; the leaderboard has changed since."),
  ];
}

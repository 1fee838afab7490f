/**
 * Results: the files that the server was given, as curves and tables. The filter and the choice of files are in the
 * address. While the tab is to be seen, the page asks every few seconds whether a file has changed, and then reads anew.
 */

import { keyOf, many, nonempty, oneOf, prose } from "../address.js";
import { get, sentence, withQuery } from "../api.js";
import { announce, commands, counted, debounced, el, field, showError } from "../dom.js";
import { select } from "../game_fields.js";
import { every, latest } from "../latest.js";
import { AXES, pictures } from "../results/pictures.js";
import { tables } from "../results/tables.js";

export const title = "Results";

const POLL_MS = 3000;
const MOST_NAMED = 64; // files or curves that an address names

export async function show(root, state) {
  const files = await get("/api/results", {}, { signal: state.signal });
  const file = many(oneOf(files.map(({ name }) => name)), files.length);
  state.expect({ match: prose(200), x: keyOf(AXES), file, files: oneOf(["none"]), curve: many(nonempty(1000), MOST_NAMED) });
  root.append(el("h1", {}, "Results"));
  if (files.length) new View(root, state, files.map(({ name }) => name)).start(files);
  else {
    root.append(el("p", {}, "This server was started without results. A sweep plays strategies over a grid of epsilons and keeps every"
      + " game in a file. Name the file when you start the server, and the results appear here, while the sweep runs, too."),
    commands('wordpl sweep "NGuess(n_guesses=3)" "TwoGuess()" --epsilon 5:30:5 --out results/sweep.sqlite',
      "wordpl serve --results results/sweep.sqlite"));
  }
}

class View {
  constructor(root, state, names) {
    this.state = state;
    this.names = names;
    this.read = latest((signal, how) => this.load(signal, how), state.signal);
    this.versions = "";
    const asked = state.all("file");
    this.chosen = new Set(asked.length || state.get("files") ? asked : names);
    this.problems = el("ul", { className: "fault" });
    this.summary = el("p", { className: "note" }, "Reading the files…");
    this.progress = el("progress", { "aria-label": "Files read", max: 1, value: 0 });
    this.pictures = pictures(state.all("curve"), (curve) => state.set({ curve }));
    this.tables = tables();
    root.append(this.controls(), this.problems, this.summary, this.progress, this.pictures, this.tables);
  }

  controls() {
    const filter = el("input", { type: "search", maxLength: 200, size: 48, value: this.state.get("match", "") });
    filter.addEventListener("input", debounced(() => {
      this.state.set({ match: filter.value });
      this.read({ aloud: true });
    }, 300));
    this.filter = field("Only strategies or words that contain", filter, el("span", { className: "note" }, "Several: TwoGuess, NGuess"));
    this.axis = select("Win rate against", AXES, this.state.get("x", "epsilon"), (x) => {
      this.state.set({ x: x === "epsilon" ? null : x });
      this.draw();
    });
    this.links = new Map(this.names.map((name) => [name, el("a", { download: "", "aria-label": `All games of ${name} as CSV` }, "CSV")]));
    this.boxes = this.names.map((value) => el("input", { type: "checkbox", value, checked: this.chosen.has(value), onchange: () => this.choose() }));
    const all = (text, checked) => el("button", { type: "button", className: "quiet", "aria-label": `${text} of the files`, onclick: () => {
      for (const box of this.boxes) box.checked = checked;
      this.choose();
    } }, text);
    return el("div", {}, el("div", { className: "row" }, this.filter, this.axis),
      el("div", { className: "panel files", role: "group", "aria-label": "Files" },
        this.names.length > 1 && el("p", {}, "Files ", all("All", true), all("None", false)),
        el("div", {}, this.boxes.map((box) => el("div", { className: "file" }, el("label", {}, box, el("span", { className: "mono" }, box.value)), this.links.get(box.value))))));
  }

  choose() {
    this.chosen = new Set(this.boxes.filter(({ checked }) => checked).map(({ value }) => value));
    const { size } = this.chosen;
    this.state.set({ file: size === this.names.length ? null : [...this.chosen], files: size ? null : "none" });
    this.read({ aloud: true });
  }

  /** Read, and read anew whenever a file has changed. */
  async start(files) {
    const { signal } = this.state;
    await this.read({ files });
    every(POLL_MS, async () => {
      const newest = await get("/api/results", {}, { signal }).catch(() => null); // the frame says that the server has gone
      if (newest && versionsOf(newest) !== this.versions) await this.read({ files: newest });
    }, signal);
  }

  /** Read the files that are chosen: at first a few, then twice as many, so that something is soon to be seen. */
  async load(signal, { files = null, aloud = false } = {}) {
    const match = this.filter.control.value;
    for (const [name, link] of this.links) link.href = withQuery("/api/results/trials.csv", { file: name, match });
    const asked = [...this.chosen];
    try {
      // The versions are asked for first: what changes after that is seen at the next look.
      const versions = versionsOf(files ?? await get("/api/results", {}, { signal }));
      for (let last = 0, some = this.answer ? asked.length : 1; last < asked.length || !last; some *= 2) {
        last = some < Math.min(asked.length, MOST_NAMED) ? some : asked.length;
        const file = last < this.names.length ? asked.slice(0, last) : null;
        this.answer = last ? await get("/api/results/curves", { file, match }, { signal }) : { files: [], curves: [], outcomes: [], statistics: [] };
        Object.assign(this.progress, { max: asked.length, value: last, className: last === asked.length ? "done" : "" });
        this.draw();
        if (!last) break;
      }
      this.versions = versions;
      this.filter.fault(null);
      if (aloud) announce(this.summary.textContent);
    } catch (error) {
      showError(error, { match: this.filter }, this.summary);
    }
  }

  draw() {
    if (!this.answer) return;
    const { files, terms, tasks, trials, curves, outcomes, statistics, left_out: leftOut } = this.answer;
    const problems = files.filter(({ problem }) => problem).map(({ problem }) => el("li", {}, sentence(problem)));
    this.problems.replaceChildren(...problems);
    const empty = this.filter.control.value ? "No strategy and no word list contains that text. Put a comma between several." : "Nothing to show. What a sweep adds to a file appears here.";
    const nothing = this.chosen.size ? empty : "Choose a file.";
    this.summary.textContent = outcomes.length
      ? `${counted(trials, "game")} of ${counted(tasks, "setting")}: ${terms.replaceAll("_", " ")}.`
        + (leftOut ? ` ${counted(leftOut, "more is", "more are")} left out; narrow the filter to see them.` : "")
      : nothing;
    const lines = curves.map((curve, i) => ({ ...curve, outcomes: outcomes.filter((outcome) => outcome.curve === i) }));
    this.tables.fill(lines, statistics);
    this.pictures.fill(lines, this.axis.control.value);
  }
}

const versionsOf = (files) => JSON.stringify(files.map(({ name, version }) => [name, version]));

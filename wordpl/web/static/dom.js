/** Making elements, saying what changed, and showing what is wrong beside the field it is about. */

/** An element. "on…" are listeners, names with a dash or "role" attributes, the rest properties. Text never becomes markup; null is left out. */
export function el(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "dataset") Object.assign(element.dataset, value);
    else if (name.includes("-") || name === "role" || name === "for") element.setAttribute(name, value);
    else element[name] = value;
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** Lines for a terminal, which break only between words. */
export const commands = (...lines) => el("pre",
  { className: "panel scroll", tabIndex: 0, role: "region", "aria-label": `Commands: ${lines[0]}` },
  lines.map((line) => el("span", { className: "line" }, line.split(" ").flatMap((word) => [el("span", {}, word), " "]))));
/** The value of a custom property of the style sheet. */
export const property = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
/** Give the page a theme; returns the one that it had. */
export function setTheme(theme) {
  const { dataset, dataset: { theme: before } } = document.documentElement;
  dataset.theme = theme;
  dispatchEvent(new CustomEvent("theme"));
  return before;
}

/** Say something to a screen reader. */
export function announce(text) {
  const live = document.getElementById("live");
  live.textContent = "";
  // A reader hears the same sentence twice only if it has gone in between.
  setTimeout(() => { live.textContent = text; }, 30);
}

/** Ask before what cannot be taken back. Yes stands away from what was pressed to ask, and a key that is held does not press it. */
export function confirmed(question, yes, work) {
  const answer = (text, then, className) => el("button", { type: "button", className, onclick: () => {
    dialog.close();
    then?.();
  } }, text);
  const dialog = el("dialog", { className: "sure", role: "alertdialog", "aria-label": question, onclose: () => dialog.remove(),
    onkeydown: (event) => { if (event.repeat) event.preventDefault(); } },
  el("p", {}, question), el("div", { className: "row" }, answer("Go back"), answer(yes, work, "main")));
  document.body.append(dialog);
  dialog.showModal();
}

let fields = 0;

/** A labelled control with room for what is wrong with it: the wrapper, which has `control` and `fault(message)`. */
export function field(label, control, note = null) {
  const id = control.id || `field-${++fields}`;
  control.id = id;
  const fault = el("div", { className: "fault", id: `${id}-fault`, hidden: true });
  const wrapper = el("div", { className: "field" }, el("label", { for: id }, label), control, note, fault);
  wrapper.control = control;
  control.setAttribute("aria-describedby", fault.id);
  wrapper.fault = (message) => {
    fault.textContent = message || "";
    fault.hidden = !message;
    if (message) wrapper.closest("details")?.setAttribute("open", "");
    control.ariaInvalid = message ? "true" : null;
  };
  control.addEventListener("input", () => wrapper.fault(null));
  return wrapper;
}

/** What few need: folded away on a narrow screen, unless it is `used`. What is wrong with a field in it opens it. */
export const folded = (summary, used, ...content) => el("details", { open: Boolean(used) || matchMedia("(min-width: 56rem)").matches },
  el("summary", {}, summary), ...content);

/** A box for a word or a few, which no phone mends. */
export const wordBox = (value, more = { size: 10, maxLength: 60 }) => el("input",
  { type: "text", value, dir: "auto", autocomplete: "off", autocapitalize: "none", spellcheck: false, ...more });

/** Show an error at the field of its name, else in `rest`, a paragraph. The text of an error of a script is for the console. */
export function showError(error, byName = {}, rest = null) {
  if (error.name === "AbortError") return;
  const ours = error.status === undefined;
  if (ours) console.error(error);
  const message = ours ? "This part of the page has failed. The fault is not yours; load the page again." : error.message;
  const name = (error.field || "").split(".")[0];
  if (Object.hasOwn(byName, name)) byName[name].fault(message);
  else if (rest) {
    rest.textContent = message;
    rest.hidden = false;
  }
  announce(message);
}

/** Do some work, and show its error as `showError` does, where what was said before goes. Returns whether all went well. */
export function attempt(work, byName, rest) {
  rest.hidden = true;
  return work().then(() => true, (error) => showError(error, byName, rest) ?? false);
}

/** A function that runs `work` once nothing has called it for some milliseconds. */
export function debounced(work, milliseconds = 120) {
  let timer = 0;
  return (...values) => {
    clearTimeout(timer);
    timer = setTimeout(() => work(...values), milliseconds);
  };
}

/** A number for people: `digits` significant digits, rounded as Intl's `roundingMode` says; words for what has too many zeros. */
export function shown(value, digits = 4, roundingMode = "halfExpand") {
  if (value === null || value === undefined) return "–";
  if (value === "inf" || value === Infinity) return "∞";
  const size = Math.abs(value);
  if (size >= 1e15) return `${value < 0 ? "under −" : "over "}1,000 trillion`;
  if (size > 0 && size < 1e-4) return value > 0 ? "under 0.0001" : "about 0";
  return Number(value).toLocaleString("en", { maximumSignificantDigits: digits, roundingMode, ...size >= 1e12 && { notation: "compact", compactDisplay: "long" } });
}

export const count = (n) => Math.round(n).toLocaleString("en");
/** How many of something: "1 guess", "1,200 guesses". */
export const counted = (n, noun, plural = `${noun}s`) => `${count(n)} ${n === 1 ? noun : plural}`;

/** A probability as percent: as 0 or 100% only if it is that. */
export function percent(value, digits = 3) {
  if (value === null || value === undefined) return "–";
  if (value > 0 && value < 1e-4) return "under 0.01%";
  if (value > 0.9999 && value < 1) return "over 99.99%";
  const rounded = Number((100 * value).toPrecision(digits));
  return value === 0 ? "0" : `${rounded === 100 ? Number((100 * value).toFixed(2)) : rounded}%`;
}

/** A table from column names and rows of texts or elements; columns named in `numbers` are set to the right. */
export function table(columns, rows, { caption = null, numbers = [] } = {}) {
  const cls = columns.map((name) => (numbers.includes(name) ? "number" : ""));
  return el("div", { className: "scroll", tabIndex: 0, role: "region", "aria-label": caption || columns.join(", ") },
    el("table", {},
      caption && el("caption", { className: "unseen" }, caption),
      el("thead", {}, el("tr", {}, columns.map((name, i) => el("th", { scope: "col", className: cls[i] }, name)))),
      el("tbody", {}, rows.map((row) => el("tr", {}, row.map((cell, i) => el("td", { className: cls[i] }, cell)))))));
}

/** Entries of [name, part, text], each with a bar as long as its part of the largest. */
export function bars(entries, label = null) {
  const most = Math.max(...entries.map(([, part]) => part)) || 1;
  return el("ol", { className: "chances", "aria-label": label }, entries.map(([name, part, text]) =>
    el("li", {}, name, bar(part / most), el("span", { className: "number" }, text))));
}

/** A bar whose length is a part, from 0 to 1, of its place. */
export const bar = (part) => el("span", { className: "gauge", "aria-hidden": "true" },
  el("span", { style: `width: ${100 * Math.max(0, Math.min(1, part))}%` }));

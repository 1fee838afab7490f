/**
 * The frame around the tabs, and the settings of the page. A tab is a module with `title` and `show(root, state)`; that of / is
 * `start`. `state` is the `State` of ./address.js. Tabs that have several views have `VIEWS`, too.
 */

import { State, go } from "./address.js";
import { answers } from "./api.js";
import { announce, el, setTheme, showError } from "./dom.js";
import { store, stored } from "./storage.js";

const view = document.getElementById("view");
const tabs = document.querySelector(".top nav");
let leaving = new AbortController();
let state = null; // of the tab that is shown

/** Show the tab of the address. */
async function route({ focus = false } = {}) {
  if (state?.address === location.pathname + location.search) return;
  for (const dialog of document.querySelectorAll("dialog[open]")) dialog.close();
  document.getElementById("settings").hidePopover();
  leaving.abort();
  leaving = new AbortController();
  const { signal } = leaving;
  view.ariaBusy = "true";
  try {
    state = null;
    for (const link of tabs.children) link.ariaCurrent = null;
    state = new State(signal, (sentence) => view.prepend(el("p", { className: "note", role: "status" }, sentence)),
      [...tabs.children].map(({ pathname }) => pathname.slice(1)));
    tabs.querySelector(`[href="/${state.tab}"]`).ariaCurrent = "page";
    const name = state.tab || "start";
    const root = el("div", { className: `tab tab-${name}` });
    const tab = await import(`/static/tabs/${name}.js`);
    if (signal.aborted) return;
    if (!tab.VIEWS) state.view([]);
    document.title = `${tab.title} · WORDPL`;
    view.replaceChildren(root);
    view.scrollTop = 0; // Play scrolls in here on a phone, and a new game begins at its board
    if (focus) scrollTo(0, 0);
    await tab.show(root, state);
  } catch (error) {
    const there = error.faults || signal.aborted || await answers();
    if (signal.aborted) return;
    view.replaceChildren(error.faults ? unreadable(error) : failed(error, there));
  }
  view.ariaBusy = null;
  if (focus && !view.contains(document.activeElement)) view.focus({ preventScroll: true });
}

/** What is shown in place of a view whose address cannot be read. */
function unreadable({ faults, without }) {
  return inPlace("This address cannot be read", faults.map((fault) => el("p", { className: "fault", role: "alert" }, fault)),
    el("p", {}, "The link may have been cut or mistyped. ", el("a", { href: without, "data-link": "" }, "Go on without it")));
}

/** What is shown in place of a view that failed. A browser may keep in mind that a module could not be had. */
function failed(cause, there) {
  const fault = el("p", { className: "fault" });
  addEventListener("server", ({ detail }) => detail === "back" && location.reload(), { signal: leaving.signal });
  const away = { status: 0, message: "The server does not answer. This page tries again by itself." };
  showError(there ? cause : away, {}, fault);
  return inPlace("This view cannot be shown", fault, el("button", { onclick: () => location.reload() }, "Try again"));
}

function inPlace(title, ...parts) {
  document.title = `${title} · WORDPL`;
  return el("div", {}, el("h1", {}, title), ...parts);
}

document.addEventListener("click", (event) => {
  const link = event.target.closest?.("a[data-link]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
  event.preventDefault();
  go(link.href);
});
addEventListener("popstate", () => route());
addEventListener("go", () => route({ focus: true }));

// The server

const offline = document.getElementById("offline");
const NEWS = { back: "The server is ready.", gone: "The server has gone away. What you ask waits until it is back.",
  compiling: "First start: the server compiles. Advice follows." };
addEventListener("server", ({ detail }) => {
  offline.hidden = detail === "back";
  offline.className = detail;
  offline.textContent = NEWS[detail];
  announce(NEWS[detail]);
});

// Settings: kept in this browser only

const page = document.documentElement;
const dark = matchMedia("(prefers-color-scheme: dark)");
const [theme, palette] = ["theme", "palette"].map((id) => document.getElementById(id));
const systemTheme = () => (dark.matches ? "dark" : "light");

function apply(settings) {
  Object.assign(page.dataset, settings);
  theme.textContent = page.dataset.theme === "dark" ? "Light" : "Dark";
  palette.setAttribute("aria-pressed", String(page.dataset.palette === "contrast"));
  dispatchEvent(new CustomEvent("theme"));
}

function change(name, value, other) {
  apply({ [name]: page.dataset[name] === value ? other : value });
  store(name, name === "theme" && page.dataset.theme === systemTheme() ? null : page.dataset[name]); // then it follows the system again
}

apply({ theme: stored("theme") || systemTheme(), palette: stored("palette") || "standard" });
dark.addEventListener("change", () => { if (!stored("theme")) apply({ theme: systemTheme() }); });
theme.addEventListener("click", () => change("theme", "dark", "light"));
palette.addEventListener("click", () => change("palette", "contrast", "standard"));
let themeOnScreen; // paper is light
addEventListener("beforeprint", () => { themeOnScreen = setTheme("light"); });
addEventListener("afterprint", () => setTheme(themeOnScreen));

// A page that is loaded again stands where it stood.
addEventListener("pagehide", () => store(`place ${location.href}`, scrollY, "sessionStorage"));
route().then(() => scrollTo(0, stored(`place ${location.href}`, "sessionStorage") ?? scrollY));
answers();

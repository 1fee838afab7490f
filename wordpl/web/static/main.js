/**
 * The frame around the tabs: which one is shown, and the settings of the page.
 *
 * A tab is a module with `title` and `show(root, state)`; that of / is `start`. `state` has the tab's part of the
 * address: `path` (what comes after the tab's name), `get(name, otherwise)`, `all(name)`, `set({name: value}, {push})`,
 * and `signal`, which is aborted when the tab is left.
 */

import { get } from "./api.js";
import { announce, el, showError } from "./dom.js";

const view = document.getElementById("view");
const tabs = document.querySelector(".top nav");
let leaving = new AbortController();
let shownAt = "";

class State {
  constructor(path, signal) {
    this.path = path;
    this.signal = signal;
  }

  get(name, otherwise = null) {
    return new URLSearchParams(location.search).get(name) ?? otherwise;
  }

  all(name) {
    return new URLSearchParams(location.search).getAll(name);
  }

  /** Put values into the address; null removes one, an array repeats it. With `push`, Back returns to what was. */
  set(values, { push = false } = {}) {
    if (this.signal.aborted) return;
    const query = new URLSearchParams(location.search);
    for (const [name, value] of Object.entries(values)) {
      query.delete(name);
      for (const one of Array.isArray(value) ? value : [value]) {
        if (one !== null && one !== undefined && one !== "") query.append(name, one);
      }
    }
    const text = query.toString();
    const address = location.pathname + (text ? `?${text}` : "");
    if (address === location.pathname + location.search) return;
    history[push ? "pushState" : "replaceState"](null, "", address);
    shownAt = address;
  }
}

/** Show the tab of the address. */
async function route({ focus = false } = {}) {
  const address = location.pathname + location.search;
  if (address === shownAt) return;
  shownAt = address;
  leaving.abort();
  leaving = new AbortController();
  const { signal } = leaving;
  const [, first, ...rest] = location.pathname.split("/");
  for (const link of tabs.children) {
    if (link.pathname === `/${first}`) {
      link.setAttribute("aria-current", "page");
      tabs.scrollLeft = link.offsetLeft - (tabs.clientWidth - link.offsetWidth) / 2;
    } else link.removeAttribute("aria-current");
  }
  const name = first || "start";
  let root = el("div", { className: `tab tab-${name}` });
  try {
    const tab = await import(`/static/tabs/${name}.js`);
    if (signal.aborted) return;
    document.title = `${tab.title} · WORDPL`;
    view.replaceChildren(root);
    await tab.show(root, new State(rest.filter(Boolean).map(decodeURIComponent), signal));
  } catch (error) {
    if (signal.aborted) return;
    const said = el("p", { className: "fault" });
    // A browser may keep in mind that a module could not be had, so only a new page gets it.
    root = el("div", { className: "failed" }, said, el("button", { type: "button", onclick: () => location.reload() }, "Try again"));
    if (error.status === undefined) get("/api/health").catch(() => {}); // tells whether the server is there
    showError(error.status === undefined
      ? Object.assign(error, { message: "This tab could not be loaded; the server may have gone away." }) : error, {}, said);
    view.replaceChildren(root);
  }
  if (focus) view.focus();
}

function again() {
  shownAt = "";
  route();
}

/** Go to an address of this page. */
export function go(address) {
  history.pushState(null, "", address);
  route({ focus: true });
}

document.addEventListener("click", (event) => {
  const link = event.target.closest?.("a[data-link]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
  event.preventDefault();
  go(link.href);
});
addEventListener("popstate", () => route());

// The server

const offline = document.getElementById("offline");
addEventListener("server", ({ detail }) => {
  const text = detail === "gone" ? "The server has gone away. This page tries to reach it again." : "";
  offline.textContent = text;
  offline.hidden = !text;
  announce(text || "The server is back.");
  if (text) return;
  if (view.querySelector(".failed")) location.reload();
  else if (view.querySelector(".fault:not([hidden])")) again();
});

// Settings: kept in this browser only

const root = document.documentElement;
const kept = (name) => { try { return localStorage.getItem(name); } catch { return null; } };
const keep = (name, value) => { try { localStorage.setItem(name, value); } catch { /* private browsing */ } };

function setTheme(theme) {
  root.dataset.theme = theme;
  document.getElementById("theme").textContent = theme === "dark" ? "Light" : "Dark";
  dispatchEvent(new CustomEvent("theme"));
}

function setPalette(palette) {
  root.dataset.palette = palette;
  document.getElementById("palette").setAttribute("aria-pressed", String(palette === "contrast"));
  dispatchEvent(new CustomEvent("theme"));
}

const dark = matchMedia("(prefers-color-scheme: dark)");
setTheme(kept("theme") || (dark.matches ? "dark" : "light"));
dark.addEventListener("change", () => { if (!kept("theme")) setTheme(dark.matches ? "dark" : "light"); });
setPalette(kept("palette") || "standard");
document.getElementById("theme").addEventListener("click", () => {
  setTheme(root.dataset.theme === "dark" ? "light" : "dark");
  keep("theme", root.dataset.theme);
});
document.getElementById("palette").addEventListener("click", () => {
  setPalette(root.dataset.palette === "contrast" ? "standard" : "contrast");
  keep("palette", root.dataset.palette);
});

route();

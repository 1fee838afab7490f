/** What this browser keeps between visits, or as long as a window is open; nothing where it may not, as in private browsing. */

export function stored(name, storage = "localStorage") {
  try { return window[storage].getItem(name); } catch { return null; }
}

/** Keep a text, or with null nothing, under a name. */
export function store(name, text, storage = "localStorage") {
  try {
    if (text === null) window[storage].removeItem(name);
    else window[storage].setItem(name, text);
  } catch { /* the page works without */ }
}

/** A control of which the entry of the history keeps what is typed over its value, until the view takes that into its address. */
export function retyped(name, control) {
  control.value = history.state?.[name] ?? control.value;
  control.addEventListener("input", () => history.replaceState({ ...history.state, [name]: control.value }, ""));
  return control;
}

/** A control that keeps what is typed into it, under a name, as long as the window is open. A value that it has goes before. */
export function drafted(name, control) {
  control.value ||= stored(`draft:${name}`, "sessionStorage") ?? "";
  control.addEventListener("input", () => store(`draft:${name}`, control.value, "sessionStorage"));
  return retyped(name, control);
}

/** What this browser keeps between visits, or within a window; nothing where it may not, as in private browsing. */

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

/** The server's side of uploads: the token and its field, sending a file, and following what becomes of it. */

import { pause, request, withQuery } from "../api.js";
import { el, field } from "../dom.js";
import { store, stored } from "../storage.js";

const TOKEN = "contest-token";
const PATH = "/api/contest/submissions";
const POLL_MS = 1000;

let held = "";

const remembered = () => stored(TOKEN, "sessionStorage");
export const token = () => held || remembered() || "";

/** The field for a token. Its `hold()` keeps what was typed as the visitor has ticked, and returns whether there is any. */
export function tokenField() {
  const box = el("input", { type: "password", value: token(), autocomplete: "off", spellcheck: false, size: 32, name: "token" });
  const keep = el("input", { type: "checkbox", checked: remembered() !== null });
  const typed = field("Token", box, el("span", { className: "note" }, "The organiser of the contest gives you one."));
  const hold = () => {
    held = box.value.trim();
    store(TOKEN, keep.checked && held ? held : null, "sessionStorage");
    if (held) return true;
    typed.fault("A token is needed.");
    box.focus();
    return false;
  };
  const whole = el("div", {}, typed, el("label", { className: "agree" }, keep, "Keep it until I close this browser tab"));
  return Object.assign(whole, { fault: typed.fault, hold });
}

/** The answer to a request of the holder of the token. */
const ask = async (path, { headers, ...options }) =>
  (await request(path, { ...options, headers: { Authorization: `Bearer ${token()}`, ...headers } })).json();

const address = (id) => `${PATH}/${encodeURIComponent(id)}`;

/** Send a file. `fields` has call, author, link, show_source and nonce. Returns the submission. */
export function send(file, fields, signal) {
  const type = file.name.toLowerCase().endsWith(".zip") ? "application/zip" : "text/x-python";
  return ask(withQuery(PATH, { file: file.name, ...fields }),
    { method: "POST", body: file, headers: { "Content-Type": type }, signal, retries: 0 });
}

/** The submissions of the token, newest first. */
export const mine = async (signal) => (await ask(PATH, { signal })).submissions;
export const withdraw = (id) => ask(address(id), { method: "DELETE" });

/** Call `onchange(submission)` at once and now and then until it is over. */
export async function follow(id, onchange, signal) {
  for (;;) {
    const submission = await ask(address(id), { signal });
    onchange(submission);
    if (["done", "refused"].includes(submission.state)) return;
    await pause(POLL_MS, signal);
  }
}

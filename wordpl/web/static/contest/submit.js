/** Hand in a strategy. */

import { go } from "../address.js";
import { get, sentence } from "../api.js";
import { announce, attempt, count, counted, el, field } from "../dom.js";
import { drafted } from "../storage.js";
import { commands, given, when } from "./parts.js";
import { STATES } from "./submission.js";
import { mine, send, token, tokenField } from "./uploads.js";

export async function show(root, state) {
  state.expect({});
  const uploads = await get("/api/contest/uploads", {}, { signal: state.signal });
  if (uploads.on) root.append(...form(uploads, state.signal));
  else root.append(...off(uploads.why));
}

function off(why) {
  return [
    el("p", { className: "standing" }, sentence(why)),
    el("p", {}, "The organiser turns uploads on by starting the server with --accept, and gives each participant a token."
      + " Uploads are scored in a sandbox, so the server needs one (bubblewrap or namespaces of its own user)."),
    commands("wordpl serve --ledger results/contest.sqlite --accept", "wordpl contest token Ann --ledger results/contest.sqlite"),
    el("p", {}, "You can check and try a strategy at home meanwhile:"),
    commands("wordpl check my_strategy.py", "wordpl score my_strategy.py --sandbox"),
  ];
}

function form(uploads, signal) {
  const { bounds } = uploads;
  const tokens = tokenField();
  const chosen = filePicker(bounds);
  const text = (name, more = {}) => drafted(`submit ${name}`,
    el("input", { type: "text", maxLength: bounds[name], autocomplete: "off", ...more }));
  const call = field("Call", text("call", { className: "mono", size: 32, spellcheck: false, placeholder: "Mine(epsilon=12)" }),
    el("span", { className: "note" }, "Which class of the file, with its parameters. Empty if there is only one."));
  const author = field("Author", text("author"));
  const link = field("Link", text("link", { type: "url", placeholder: "https://" }));
  const nonce = field("Your part of the seed", text("nonce", { className: "mono", size: 32 }),
    el("span", { className: "note" }, "Any text. By default it is drawn at random."));
  const source = el("input", { type: "checkbox" });
  const sendButton = el("button", { type: "submit", className: "main" }, "Submit");
  const rest = el("p", { className: "fault", hidden: true });
  const whole = el("form", { className: "panel", noValidate: true, "aria-label": "Submit a strategy" },
    tokens, el("div", { className: "row" }, chosen), el("div", { className: "columns" }, call, author, link),
    el("label", { className: "agree" }, source, "Publish the source with the entry, for anyone to read"),
    el("details", {}, el("summary", {}, "More"), nonce),
    el("div", { className: "row" }, sendButton), rest);
  const list = submissions(signal, tokens);
  whole.addEventListener("submit", async (event) => {
    event.preventDefault();
    rest.hidden = true;
    const hasToken = tokens.hold();
    const file = chosen.checked();
    if (!file) chosen.control.focus();
    if (!hasToken || !file) return;
    sendButton.disabled = true;
    sendButton.textContent = "Sending …";
    const sent = await attempt(async () => {
      const { id } = await send(file, {
        call: call.control.value.trim(), author: author.control.value.trim(), link: link.control.value.trim(),
        nonce: nonce.control.value, show_source: source.checked || null,
      }, signal);
      announce("The submission is received.");
      if (!signal.aborted) go(`/contest/submission/${id}`);
    }, { token: tokens, file: chosen, call, author, link, nonce }, rest);
    if (sent) return;
    sendButton.disabled = false;
    sendButton.textContent = "Submit";
    whole.querySelector("[aria-invalid=true]")?.focus();
  });
  return [
    el("p", {}, "Your strategy is checked, and then scored in a sandbox, at win rates of 5, 50 and 95% at once. The same"
      + " content is entered once only. ",
      el("a", { href: "/contest", dataset: { link: "" } }, "The leaderboard"), " shows it when its run is over."),
    el("p", { className: "note" }, `${counted(uploads.waiting, "submission waits", "submissions wait")}. A game gets ${uploads.game_seconds} s of wall clock.`
      + ` A run gets ${uploads.hours} h, and after all others that wait ${uploads.hours} h more.`), whole, list,
  ];
}

/** A field for one file, which can also be dropped; `checked()` returns it, or says what is wrong and returns null. */
function filePicker(bounds) {
  const input = el("input", { type: "file", accept: ".py,.zip", onchange: () => take() });
  const wanted = `A .py file, or a .zip of a folder with strategy.py; at most ${megabytes(bounds.bytes)}. You can drop it into the frame.`;
  const note = el("span", { className: "note" }, wanted);
  const whole = field("File", input, note);
  const faultOf = (file) => {
    if (!file) return "A file is needed.";
    if (!/\.(py|zip)$/i.test(file.name)) return "A file whose name ends in .py or .zip is expected.";
    if (file.size === 0) return "The file is empty.";
    return file.size > bounds.bytes ? `The file is too large; at most ${megabytes(bounds.bytes)} are read.` : null;
  };
  const checked = () => {
    const [file] = input.files;
    const wrong = faultOf(file);
    whole.fault(wrong);
    return wrong ? null : file;
  };
  const take = () => {
    const [file] = input.files;
    note.textContent = file ? `${file.name}, ${count(file.size)} bytes` : wanted;
    if (checked()) announce(`${file.name} is chosen.`);
  };
  return Object.assign(whole, { checked });
}

const megabytes = (bytes) => `${Number((bytes / 2 ** 20).toPrecision(3))} MiB`;

/** The submissions of the token, on request; at once if the token is at hand. */
function submissions(signal, tokens) {
  const fault = el("p", { className: "fault", hidden: true });
  const rows = el("div");
  const button = el("button", { type: "button", onclick: () => { if (tokens.hold()) read(); } }, "Show my submissions");
  const read = () => attempt(async () => {
    const items = await mine(signal);
    rows.replaceChildren(items.length === 0 ? el("p", {}, "There are none yet.")
      : el("ul", { className: "remarks" }, items.map(({ id, file, received, state }) => el("li", {},
        el("a", { href: `/contest/submission/${id}`, dataset: { link: "" } }, given(file)), " ",
        when(received), ` · ${STATES[state]}`))));
  }, { token: tokens }, fault);
  if (token()) read();
  return el("section", {}, el("h2", {}, "Your submissions"), button, fault, rows);
}

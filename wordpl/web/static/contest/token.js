/** The field for a token. */

import { el, field } from "../dom.js";
import { hold, kept, token } from "./uploads.js";

/** The field, with `hold()`, which keeps what was typed as the visitor has ticked, and returns whether there is any. */
export function tokenField() {
  const box = el("input", { type: "password", value: token(), autocomplete: "off", spellcheck: false, size: 32, name: "token" });
  const keep = el("input", { type: "checkbox", checked: kept() !== null });
  const typed = field("Token", box,
    el("span", { className: "note" }, "The organiser of the contest gives you one."));
  const whole = el("div", {}, typed, el("label", { className: "agree" }, keep, "Keep it until I close this browser tab"));
  whole.typed = typed;
  whole.fault = typed.fault;
  whole.hold = () => {
    const given = box.value.trim();
    if (!given) {
      typed.fault("A token is needed.");
      box.focus();
      return false;
    }
    hold(given, keep.checked);
    return true;
  };
  return whole;
}

/** The address of a view: the one place that reads and writes it. What cannot be read is refused or said, never guessed. */

import { withQuery } from "./api.js";
import { readEpsilon } from "./epsilon.js";

const LONGEST = 60;

// Readers: each gives what a text means, or null if it cannot read it. `wants` says what it takes, `most` how often.

export const parsed = (wants, read, most = 1) => Object.assign((text) => read(text), { wants, most });
export const wholeFrom = (least, most) => parsed(`a whole number from ${least} to ${most}`,
  (text) => (/^\d{1,10}$/.test(text) && text >= least && text <= most ? Number(text) : null));
export const oneOf = (names) => parsed(`one of ${names.join(", ")}`, (text) => (names.includes(text) ? text : null));
export const keyOf = (table) => oneOf(Object.keys(table));
export const flag = oneOf(["0", "1"]);
export const nonempty = (most) => parsed(`a text of 1 to ${most} characters`, (text) => (text && text.length <= most ? text : null));
export const prose = (most) => parsed(`a text of at most ${most} characters`, (text) => (text.length <= most ? text : null));
export const anyEpsilon = parsed("a number above 0, up to 1,000,000, or inf", readEpsilon);
export const finiteEpsilon = parsed("a number above 0, up to 1,000,000", (text) => (readEpsilon(text) === "inf" ? null : readEpsilon(text)));
export const many = (read, most) => parsed(read.wants, read, most);
/** The error of an address that cannot be read: a sentence for each fault, and the address without what is at fault. */
const refusal = (faults, without) => Object.assign(new Error(faults.join(" ")), { faults, without });

export function valuesOf(query) {
  const values = new URLSearchParams(query);
  return Object.fromEntries([...values.keys()].map((key) => [key, values.getAll(key)]));
}

/** Whether each % begins a byte of a text in UTF-8. */
const isEncoded = (text) => !/%(?![\da-f]{2})/i.test(text) && !String(new URLSearchParams(text)).includes("%EF%BF%BD");
const others = (names) => Object.fromEntries(Object.entries(valuesOf(location.search)).filter(([key]) => !names.includes(key)));
const without = (names) => withQuery(location.pathname, others(names));

const nothingAt = (path, elsewhere) => refusal([`There is nothing at ${path.slice(0, LONGEST)}.`], elsewhere);

export function go(address) {
  history.pushState(null, "", address);
  dispatchEvent(new Event("go"));
}

/** The part of the address after its `tab`: its `path` and its values. `signal` is aborted when the tab is left; `say` tells what is not used. */
export class State {
  constructor(signal, say, tabs) {
    Object.assign(this, { signal, say, address: location.pathname + location.search });
    const values = location.search.slice(1).split("&");
    const elsewhere = isEncoded(location.pathname) ? withQuery(location.pathname, valuesOf(values.filter(isEncoded).join("&"))) : "/";
    if (![location.pathname, ...values].every(isEncoded)) throw refusal(["A % in this address is not followed by two hexadecimal digits."], elsewhere);
    const [, tab, ...rest] = location.pathname.split("/").map(decodeURIComponent);
    Object.assign(this, { tab, path: rest.filter(Boolean) });
    if (tabs.includes(this.tab)) return;
    throw nothingAt(location.pathname, tabs.includes(this.tab.toLowerCase()) ? location.pathname.toLowerCase() : "/");
  }

  /** The view of the tab that the path names, one of `names`. */
  view(names, usual) {
    if (!this.path.length) return usual;
    const name = this.path.join("/");
    if (names.includes(name)) return name;
    throw nothingAt(location.pathname, `/${this.tab}`);
  }

  /** Say how each value of the query is read. Throws a refusal if one cannot be. */
  expect(readers) {
    this.readers = readers;
    const values = Object.entries(valuesOf(location.search));
    const unknown = values.map(([key]) => key).filter((key) => !Object.hasOwn(readers, key));
    if (unknown.length) this.say(`This page does not know ${unknown.map((key) => `“${key.slice(0, LONGEST)}”`).join(", ")} of its address.`);
    const faults = values.filter(([key]) => !unknown.includes(key)).flatMap(([key, texts]) => {
      const { [key]: read } = readers;
      if (texts.length > read.most) return [[key, `At most ${read.most} of “${key}” can be read, not ${texts.length}.`]];
      return texts.filter((text) => read(text) === null)
        .map((text) => [key, `${key}=${text.slice(0, LONGEST)} cannot be read: ${read.wants} is expected.`]);
    });
    if (faults.length) throw refusal(faults.map(([, fault]) => fault), without(faults.map(([key]) => key)));
  }

  /** Throw the refusal of a value that can be read, but does not fit the others. */
  refuse(key, fault) { throw refusal([fault], without([key])); }

  get(key, otherwise = null) { return this.all(key)[0] ?? otherwise; }

  all(key) { return new URLSearchParams(location.search).getAll(key).map(this.readers[key]); }

  /** Put values into the address; null removes one, an array repeats it. With `push`, Back returns to what was. */
  set(values, { push = false } = {}) {
    if (this.signal.aborted) return;
    const address = withQuery(location.pathname, { ...others(Object.keys(values)), ...values });
    if (address === this.address) return;
    history.replaceState(null, ""); // what was typed is taken
    if (push) history.pushState(null, "", address);
    else history.replaceState(null, "", address);
    this.address = address;
  }
}

/**
 * The channel: what the same epsilon does to a row under several mechanisms, and what any channel does to a tile and promises.
 * The server works out all numbers and draws the noise; the seed is the page's, so that it is the same at every epsilon.
 */

import { anyEpsilon, nonempty, wholeFrom } from "../address.js";
import { get, withQuery } from "../api.js";
import { announce, attempt, counted, debounced, el, field, percent, shown, wordBox } from "../dom.js";
import { epsilonSlider } from "../epsilon.js";
import { select, upTo } from "../game_fields.js";
import { latest } from "../latest.js";
import { figure } from "../save.js";
import { sheet } from "../sheet.js";
import { lengthOf } from "../rows.js";
import { retyped } from "../storage.js";
import { tiles } from "../tiles.js";

const BOXES = { channel: "Channel", guess: "Guess", answer: "Answer", other: "Another answer" };
/** The words to begin with, of 3, 4, .. letters. */
const WORDS = { guess: ["cat", "tale", "crate", "planet", "parties", "creation"], answer: ["tar", "tale", "haste", "plates", "planets", "triangle"], other: ["cup", "moon", "proud", "ground", "journey", "sunlight"] };
const START = { channel: "randomized_response", guess: "crate", answer: "haste", other: "proud", epsilon: 5, asks: 1, seed: 1 };
const SEEDS = 2 ** 32;
const MOST_ASKS = 10;

const rounded = (value) => shown(value, 3);
const COLUMNS = [{ name: "mechanism", of: ({ channel }) => channel, write: (name) => el("span", { className: "mono" }, name) },
  { name: "epsilon", of: ({ epsilon }) => (epsilon === "inf" ? Infinity : epsilon) },
  { name: "a mark is true", of: ({ mark }) => mark[0][0], write: percent },
  { name: "false marks, mean", of: ({ false_marks: lies }) => lies, write: rounded },
  { name: "a clue tells at most, bits", of: ({ capacity }) => capacity, write: rounded }, { name: "noise in it, bits", of: (one) => one.noise_entropy, write: rounded }];

/** What each mechanism does, for clues of so many marks, and with what follows its name. */
const MEANINGS = {
  randomized_response: (length) => ["letter by letter: a true mark is e", el("sup", {}, `ε/${length}`), " times as likely as each false one"],
  whole_clue: () => ["the true clue is e", el("sup", {}, "ε"), " times as likely as any other"],
  ball: (_, radius) => [`clues with at most ${counted(Number(radius), "false mark")} are e`, el("sup", {}, "ε"), " times as likely as others"],
  fibble: (_, lies = 1) => [`exactly ${counted(Number(lies), "mark is", "marks are")} false`],
  levels: (_, weights) => [`a clue with 0, 1, 2, … false marks has the weight ${weights.split(",").join(", ")}`],
};

export async function show(root, state) {
  state.expect({ channel: nonempty(100), guess: nonempty(60), answer: nonempty(60), other: nonempty(60), epsilon: anyEpsilon, asks: wholeFrom(1, MOST_ASKS),
    seed: wholeFrom(0, SEEDS - 1) });
  const view = new ChannelView(state);
  const linked = Object.keys(WORDS).filter((name) => state.get(name));
  view.follow(linked[0] ?? "guess", linked);
  await view.read();
  root.append(...view.parts);
}

class ChannelView {
  constructor(state) {
    this.state = state;
    this.read = latest((signal) => this.readNow(signal), state.signal);
    this.epsilon = state.get("epsilon", START.epsilon);
    this.seed = state.get("seed", START.seed);
    this.saySoon = debounced(() => this.say(), 500);
    this.rest = el("p", { className: "fault", hidden: true });
    this.play = el("a", { "data-link": "" }, "Play a game with it");
    const slider = epsilonSlider("Epsilon", this.epsilon, (epsilon) => {
      this.epsilon = epsilon;
      this.change();
    });
    slider.lastChild.hidden = true; // what it means for marks that are noised one by one
    this.fields = Object.fromEntries(Object.entries(BOXES).map(([name, label]) => [name, field(label,
      retyped(name, wordBox(state.get(name, START[name]), { size: name === "channel" ? 24 : 10, maxLength: name === "channel" ? 100 : 60,
        oninput: debounced(() => this.change(name), 250) })))]));
    const { channel, guess, answer, other } = this.fields;
    this.asks = select("Clues in all", upTo(MOST_ASKS), state.get("asks", START.asks), () => this.change());
    this.at = Object.fromEntries(["sent", "odds"].map((name) => [name, el("div")]));
    Object.assign(this.at, { compared: sheet("Mechanisms side by side"), bits: figure("What a clue can tell"), beliefs: figure("What it promises"), all: sheet("What all clues together promise") });
    this.parts = [
      el("section", { className: "panel" }, el("h2", {}, "One epsilon, several mechanisms"),
        el("p", {}, "A mechanism, or channel, makes a clue noisy. See what each sends in place of the true clue."),
        el("div", { className: "row slider" }, guess, answer, other, slider), this.at.sent,
        el("button", { type: "button", onclick: () => {
          this.seed = (this.seed + 1) % SEEDS;
          this.change();
        } }, "Draw again")),
      el("div", { className: "row" }, channel,
        el("span", { className: "note" }, "One of the names above, or another to set beside them: ball:2, fibble, fibble:3, levels:9,3,1,1,1,1"), this.play),
      this.rest,
      el("section", { className: "panel" }, el("h2", {}, "Side by side"), this.at.compared),
      el("div", { className: "columns" },
        el("section", { className: "panel" }, el("h2", {}, "What a clue can tell"), this.at.bits),
        el("section", { className: "panel" }, el("h2", {}, "What it promises"),
          el("p", {}, "However you guess, a clue changes the odds of one answer against another at most by the factor e",
            el("sup", {}, "ε"), ", up or down."),
          this.at.odds, this.at.beliefs)),
      el("section", { className: "panel" }, el("h2", {}, "All clues together"), el("div", { className: "row" }, this.asks), this.at.all)];
  }

  /** What is chosen, by the names that the server and the address have for it. */
  get chosen() {
    const typed = Object.entries(this.fields).map(([name, { control }]) => [name, control.value.trim()]);
    return { ...Object.fromEntries(typed), epsilon: this.epsilon, asks: this.asks.control.value, seed: this.seed };
  }

  async change(typed = "guess") {
    this.follow(typed);
    if (await this.read()) this.saySoon();
  }

  /** The words to begin with follow the length of the one that is typed; others that were typed, or `linked` by the address, do not. */
  follow(typed, linked = [typed]) {
    const word = this.fields[typed].control.value.trim();
    const place = /^\p{L}+$/u.test(word) ? lengthOf(word) - 3 : -1;
    for (const [name, words] of Object.entries(WORDS)) {
      const { control } = this.fields[name];
      if (!linked.includes(name) && typed !== "channel" && words[place] && words.includes(control.value)) control.value = words[place];
    }
  }

  readNow(signal) {
    const { chosen } = this;
    for (const box of Object.values(this.fields)) box.fault(null);
    return attempt(async () => {
      const answer = await get("/api/channel", chosen, { signal });
      const { clue: { length }, channel, fixed } = answer;
      if (this.capacities?.length !== length || !(fixed || channel in this.capacities.bits)) {
        this.capacities = { length, ...await get("/api/channel/capacity", { length, channel }, { signal }) };
      }
      // All at once: what is said of an answer is read from what was filled with it.
      Object.assign(this, { answer, words: chosen });
      this.fill();
    }, this.fields, this.rest);
  }

  /** Put what is shown into the address, and say what it means, once the sliders rest. */
  say() {
    this.state.set(Object.fromEntries(Object.entries(this.words).map(([name, value]) =>
      [name, String(value) === String(START[name]) ? null : value])));
    announce(`${this.at.odds.textContent} ${this.at.beliefs.firstChild.textContent}`);
  }

  fill() {
    const { at, words } = this;
    const { channel, fixed, clue, mechanisms, promise, privacy } = this.answer;
    this.play.href = withQuery("/play", { kind: fixed ? "fibble" : null, channel });
    at.sent.replaceChildren(
      el("p", {}, el("span", { className: "note" }, "true clue"), el("br"), tiles(words.guess, clue, { small: true })),
      el("div", { className: "columns" }, this.sent(mechanisms)));
    at.compared.put([...COLUMNS, ...[...clue, ""].map((_, n) => ({ name: `${n} false`, of: ({ flipped }) => flipped[n], write: percent }))], mechanisms);
    at.odds.replaceChildren(this.odds(promise));
    at.all.put(promises(privacy).map(([name, value, digits]) => ({ name, of: () => value, write: (one) => shown(one, digits) })), [{}]);
    at.beliefs.draw(beliefPicture(promise, words.answer));
    at.bits.draw(this.capacityPicture(mechanisms));
  }

  /** What each mechanism sends. A press on its name makes it the one that the rest of the page is about. */
  sent(mechanisms) {
    const { channel: chosen, clue } = this.answer;
    const choose = async (name) => {
      this.fields.channel.control.value = name;
      await this.change();
      this.at.sent.querySelector("[aria-pressed=true]")?.focus(); // the button that was pressed is made anew
    };
    return mechanisms.map(({ channel, noisy }) => el("div", {},
      el("p", {}, el("button", { className: channel === chosen ? "pick main" : "pick", "aria-pressed": String(channel === chosen),
        onclick: () => choose(channel) }, channel)),
      el("p", {}, tiles(this.words.guess, noisy, { flipped: clue, small: true })),
      el("p", { className: "note" }, MEANINGS[channel.split(":")[0]]?.(clue.length, ...channel.split(":").slice(1)))));
  }

  odds({ factor, most, differing }) {
    const { answer, other } = this.words;
    return el("p", {}, `The true clues to ${answer} and ${other} differ in ${differing} of ${this.answer.clue.length} marks. `
      + `The clue that was seen multiplies the odds of ${answer} by ${shown(factor ?? Infinity, 3)}; `
      + (most === null || most >= 1e9 ? "at this epsilon next to nothing is promised." : `the promise is at most ${shown(most, 3)}, and at least 1/${shown(most, 3)}.`));
  }

  capacityPicture(mechanisms) {
    const { epsilons, bits } = this.capacities;
    const point = (channel, x, y) => ({ x, y, title: `${channel} at epsilon ${shown(x, 3)}: ${shown(y, 3)} bits` });
    const here = mechanisms.filter(({ epsilon }) => epsilon !== "inf")
      .map(({ channel, epsilon, capacity }) => point(channel, epsilon, capacity));
    return {
      label: `At most, a clue tells ${mechanisms.map(({ channel, epsilon, capacity }) => `${shown(capacity, 3)} bits by ${channel} at epsilon ${shown(epsilon)}`).join(", ")}.`,
      x: { label: "epsilon", log: true, range: [0.1, 100], ticks: [0.1, 0.3, 1, 3, 10, 30, 100] },
      y: { label: "bits", range: [0, 1.05 * Math.max(...Object.values(bits).flat())] },
      series: [...mechanisms.filter(({ channel }) => channel in bits).map(({ channel }, i) => ({ label: channel, named: true, look: { name: `series-${i + 1}`, dash: ["solid", "dash", "dot", "dashdot"][i] }, kind: "line",
        points: epsilons.map((epsilon, at) => point(channel, epsilon, bits[channel][at])) })),
      { label: "at this epsilon", look: { name: "wrong" }, kind: "points", points: here }],
    };
  }
}

/** What all clues together promise: names, values, and with how many digits they are shown. */
const promises = ({ epsilon, deltas, renyi }) => [["epsilon in all", epsilon === "inf" ? Infinity : epsilon, 6], ...deltas.map(([at, delta]) => [`at ε = ${shown(at)}, δ`, delta, 3]),
  ...renyi.map(([order, nats]) => [`Rényi divergence of order ${order}, nats`, nats ?? Infinity])];

function beliefPicture({ curve }, answer) {
  return {
    label: `If ${answer} is at 50%, this clue brings it to ${percent(curve[49].posterior)}. No clue brings it below ${percent(curve[49].low)} or above ${percent(curve[49].high)}.`,
    x: { label: `probability of ${answer} before`, range: [0, 1], format: "percent" },
    y: { label: "after", range: [-0.02, 1.02], format: "percent" },
    series: [
      { label: "any clue", named: true, look: 0, kind: "band", points: curve.map(({ prior: x, low, high }) => ({ x, y: null, low, high })) },
      { label: "this clue", named: true, look: 1, kind: "line", points: curve.map(({ prior: x, posterior: y, low, high }) =>
        ({ x, y, title: `before ${percent(x)}, after ${percent(y)}; any clue: ${percent(low)} to ${percent(high)}` })) },
    ],
  };
}

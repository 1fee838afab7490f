/** Calls of the server. Each returns its answer, or throws an error with a sentence for the user, `field` and `status`. */

const RETRIES = 4;
const POLL_MS = 2000;
const failure = (message, field, status) => Object.assign(new Error(message), { field, status });
export const get = async (path, query = {}, { signal } = {}) => (await request(withQuery(path, query), { signal })).json();
export const post = async (path, body = {}, { signal } = {}) => (await request(path,
  { method: "POST", signal, headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) })).json();

/** `path` with a query string; undefined and null are left out. */
export function withQuery(path, query) {
  const pairs = Object.entries(query).flatMap(([name, value]) => [value].flat().map((item) => [name, item]));
  const text = new URLSearchParams(pairs.filter(([, item]) => item !== undefined && item !== null && item !== "")).toString();
  return text ? `${path}?${text}` : path;
}

/**
 * One request as fetch makes it. It is made again while there is too much work, at most `retries` times, and when a server
 * that has gone away is back; without `retries` it is made once.
 */
export async function request(path, { retries = RETRIES, ...options } = {}) {
  for (let attempt = 0; ;) {
    let response = null;
    try {
      response = await fetch(path, options);
    } catch (error) {
      if (error.name === "AbortError") throw error;
    }
    heard(Boolean(response));
    if (!response) {
      if (!retries) throw failure("The server does not answer. Try again when it is back.", null, 0);
      await until("server", options.signal);
    } else if ([429, 503].includes(response.status) && attempt < retries) {
      attempt += 1;
      const seconds = Number(response.headers.get("Retry-After")) || 1;
      await pause(seconds * 1000 * (0.5 + Math.random()), options.signal);
    } else if (response.ok) return response;
    else throw await problemOf(response);
  }
}

async function problemOf(response) {
  try {
    const { error } = await response.json();
    return failure(sentence(error.message), error.field, response.status);
  } catch (error) {
    if (error.name === "AbortError") return error;
    return failure(`The server answered with status ${response.status}.`, null, response.status);
  }
}

/** A message of the command line as a sentence: a capital, and a full stop. */
export function sentence(message) {
  const text = message.charAt(0).toUpperCase() + message.slice(1);
  return /[.?!]$/.test(text) ? text : `${text}.`;
}

/** A promise that `begin(done)` fulfils, and that is rejected with an AbortError once `signal` is aborted. */
const waiting = (begin, signal) => new Promise((resolve, reject) => {
  begin(resolve);
  signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
});
export const pause = (milliseconds, signal) => waiting((done) => setTimeout(done, milliseconds), signal);
const until = (event, signal) => waiting((done) => addEventListener(event, done, { once: true }), signal);

let there = true;

/** Say that the server has gone or is back, if that is new; while it is gone, ask for it now and then. */
function heard(answers) {
  if (answers === there) return;
  there = answers;
  dispatchEvent(new CustomEvent("server", { detail: there ? "back" : "gone" }));
  if (there) return;
  const timer = setInterval(async () => {
    if (!await fetch("/api/health", { cache: "no-store" }).catch(() => null)) return;
    clearInterval(timer);
    heard(true);
  }, POLL_MS);
}

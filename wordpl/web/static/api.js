/** Calls of the server. Each returns its answer, or throws an error with a sentence for the user, `field` and `status`. */

const RETRIES = 4;
const WAIT = [429, 502, 503, 504]; // too much work, or a proxy whose server has gone away
const POLL_MS = 2000;
const PATIENCE_MS = 10_000; // a server that compiles, or a machine that is busy, has not gone away
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

/** One request as fetch makes it; again, at most `RETRIES` times, while there is too much work or no server. */
export async function request(path, options = {}) {
  for (let attempt = 0; ; attempt += 1) {
    const response = await fetch(path, options).catch(nothing);
    heard(!response || [502, 504].includes(response.status) ? "gone" : news === "gone" ? "back" : news);
    const again = attempt < RETRIES;
    if (response?.ok) return response;
    const compiling = response?.status === 503 && news === "compiling";
    if ((!response || compiling) && again) await new Promise((back) => { addEventListener("server", back, { once: true }); });
    else if (!response) throw failure("The server does not answer. Try again when it is back.", null, 0);
    else if (again && WAIT.includes(response.status)) {
      const seconds = Number(response.headers.get("Retry-After")) || 1;
      await new Promise((done) => { setTimeout(done, seconds * 1000 * (0.5 + Math.random())); });
    } else throw await problemOf(response);
  }
}

async function problemOf(response) {
  const { error } = await response.json().catch(nothing) ?? {};
  const message = error ? sentence(error.message) : `The server cannot answer this now (status ${response.status}). Try again later.`;
  return failure(message, error?.field, response.status);
}

/** What there is of an answer that failed, unless it was given up. */
function nothing(error) {
  if (error.name === "AbortError") throw error;
  return null;
}

/** A message of the command line as a sentence: a capital, and a full stop. */
export function sentence(message) {
  const text = message.charAt(0).toUpperCase() + message.slice(1);
  return /[.?!]$/.test(text) ? text : `${text}.`;
}

let news = "back"; // of the server: it is "back", "gone", or "compiling"

/** Say what has become of the server, if that is new; until all is well, ask for it now and then. */
function heard(newest) {
  if (newest === news) return;
  const known = news !== "back";
  news = newest;
  dispatchEvent(new CustomEvent("server", { detail: news }));
  if (known) return;
  const again = () => answers().then(() => news !== "back" && setTimeout(again, POLL_MS));
  setTimeout(again, POLL_MS);
}

/** Ask the server whether it is there, and say what is new. */
export async function answers() {
  const health = await fetch("/api/health", { cache: "no-store", signal: AbortSignal.timeout(PATIENCE_MS) })
    .then((response) => (response.ok ? response.json() : null)).catch(() => null);
  heard(!health ? "gone" : health.compiled ? "back" : "compiling");
  return Boolean(health);
}

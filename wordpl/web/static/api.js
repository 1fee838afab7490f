/** Calls of the server. Each returns what the server answered, or throws an ApiError with a sentence for the user. */

const RETRIES = 4;
const POLL_MS = 2000;

export class ApiError extends Error {
  constructor(message, field, status) {
    super(message);
    this.name = "ApiError";
    this.field = field;
    this.status = status;
  }
}

export const get = (path, query = {}, options = {}) => call("GET", withQuery(path, query), undefined, options);
export const post = (path, body = {}, options = {}) => call("POST", path, body, options);

/** `path` with a query string; undefined and null are left out. */
export function withQuery(path, query) {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== "");
  const text = new URLSearchParams(given.flatMap(([name, value]) =>
    (Array.isArray(value) ? value.map((one) => [name, one]) : [[name, value]]))).toString();
  return text ? `${path}?${text}` : path;
}

/**
 * One request as fetch makes it: waits and asks again while the server is busy, at most `retries` times, and says so if
 * it has gone away.
 */
export async function request(path, { retries = RETRIES, ...options } = {}) {
  for (let attempt = 0; ; attempt += 1) {
    let response;
    try {
      response = await fetch(path, options);
    } catch (error) {
      if (error.name === "AbortError") throw error;
      lost();
      throw new ApiError("The server does not answer. The page goes on when it is back.", null, 0);
    }
    found();
    if (response.status === 503 && attempt < retries) {
      const seconds = Number(response.headers.get("Retry-After")) || 1;
      await pause(seconds * 1000 * (0.5 + Math.random()), options.signal);
      continue;
    }
    if (response.ok) return response;
    throw await problemOf(response);
  }
}

async function call(method, path, body, { signal } = {}) {
  const options = { method, signal, headers: { Accept: "application/json" } };
  if (body !== undefined) {
    options.body = JSON.stringify(body);
    options.headers["Content-Type"] = "application/json";
  }
  return (await request(path, options)).json();
}

async function problemOf(response) {
  try {
    const { error } = await response.json();
    return new ApiError(sentence(error.message), error.field, response.status);
  } catch {
    return new ApiError(`The server answered with status ${response.status}.`, null, response.status);
  }
}

/** A message of the command line as a sentence: a capital, and a full stop. */
export function sentence(message) {
  const text = message.charAt(0).toUpperCase() + message.slice(1);
  return /[.?!]$/.test(text) ? text : `${text}.`;
}

/** Wait; throws an AbortError once `signal` is aborted. */
export function pause(milliseconds, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal?.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(new DOMException("given up", "AbortError"));
    }, { once: true });
  });
}

// Whether the server is there

let gone = false;

function lost() {
  if (gone) return;
  gone = true;
  dispatchEvent(new CustomEvent("server", { detail: "gone" }));
  const timer = setInterval(async () => {
    try {
      await fetch("/api/health", { cache: "no-store" });
    } catch {
      return;
    }
    clearInterval(timer);
    found();
  }, POLL_MS);
}

function found() {
  if (!gone) return;
  gone = false;
  dispatchEvent(new CustomEvent("server", { detail: "back" }));
}

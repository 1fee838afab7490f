/** The server's side of uploads: the token, sending a file, and following what becomes of it. */

import { ApiError, pause, request, withQuery } from "../api.js";

const KEPT = "contest-token";
const LONGEST_EVENT = 1 << 20;
const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 30_000;
const POLL_MS = 3000;

let held = "";

/** What `work` does with the storage of the browser's tab; null where storage is off. */
function stored(work) {
  try { return work(sessionStorage); } catch { return null; }
}

/** The token that is kept until the browser's tab is closed, or null. */
export const kept = () => stored((storage) => storage.getItem(KEPT));

/** The token of this visitor, or an empty text. */
export const token = () => held || kept() || "";

/** Hold a token while the page is open; with `keep` until the browser's tab is closed. */
export function hold(given, keep) {
  held = given;
  stored((storage) => (keep ? storage.setItem(KEPT, given) : storage.removeItem(KEPT)));
}

const authorised = (more = {}) => ({ Authorization: `Bearer ${token()}`, ...more });
const address = (id) => `/api/contest/submissions/${encodeURIComponent(id)}`;

/** Send a file. `fields` has call, author, link, show_source and nonce. Returns the submission. */
export async function send(file, fields, signal) {
  const type = file.name.toLowerCase().endsWith(".zip") ? "application/zip" : "text/x-python";
  const path = withQuery("/api/contest/submissions", { file: file.name, ...fields });
  const options = { method: "POST", body: file, headers: authorised({ "Content-Type": type }), signal, retries: 0 };
  return (await request(path, options)).json();
}

/** The submissions of the token, newest first. */
export const mine = async (signal) =>
  (await (await request("/api/contest/submissions", { headers: authorised(), signal })).json()).submissions;

/** One submission. */
const one = async (id, signal) => (await request(address(id), { headers: authorised(), signal })).json();

/** Take back a submission that waits. */
export const withdraw = (id) => request(address(id), { method: "DELETE", headers: authorised() });

export const isOver = ({ state }) => state === "done" || state === "refused";

/**
 * Call `onchange(submission)` at once and at every change until it is over. A connection that breaks is made again after
 * a while; where the server has no room for another stream, it is asked now and then. Throws what no waiting mends.
 */
export async function follow(id, onchange, signal) {
  for (let wait = FIRST_WAIT_MS; ;) {
    let newest = null;
    try {
      newest = await streamed(id, (submission) => {
        wait = FIRST_WAIT_MS;
        onchange(submission);
      }, signal);
    } catch (error) {
      if (signal.aborted || isFinal(error)) throw error;
      if (error.status === 503) {
        newest = await one(id, signal);
        wait = POLL_MS;
        onchange(newest);
      }
    }
    if (newest && isOver(newest)) return;
    await pause(wait * (0.75 + Math.random() / 2), signal);
    wait = Math.min(2 * wait, LONGEST_WAIT_MS);
  }
}

const isFinal = ({ status }) => status >= 400 && status < 500;

/** Read the stream of events to its end; returns the last submission. */
async function streamed(id, onchange, signal) {
  const options = { headers: authorised({ Accept: "text/event-stream" }), signal, retries: 0 };
  const response = await request(`${address(id)}/events`, options);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  let newest = null;
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return newest;
    rest = (rest + value).replaceAll("\r\n", "\n");
    if (rest.length > LONGEST_EVENT) throw new ApiError("The server sends events that are too long.", null, 500);
    const events = rest.split("\n\n");
    rest = events.pop();
    for (const submission of events.map(dataOf).filter(Boolean)) {
      newest = submission;
      onchange(newest);
    }
    if (newest && isOver(newest)) {
      reader.cancel();
      return newest;
    }
  }
}

/** The submission of an event, null for a comment or another kind of event. */
function dataOf(event) {
  const lines = event.split("\n");
  if (!lines.includes("event: submission")) return null;
  const data = lines.filter((line) => line.startsWith("data:")).map((line) => line.slice(5).trimStart());
  return JSON.parse(data.join("\n"));
}

/** Requests of which only the last one counts. */

/**
 * A function that gives up what it was doing whenever it is called again, and once `signal` is aborted.
 * `work(signal, …)` gets a signal of its own to hand to its requests.
 */
export function latest(work, signal) {
  let running = new AbortController();
  return (...given) => {
    running.abort();
    running = new AbortController();
    return work(AbortSignal.any([signal, running.signal]), ...given);
  };
}

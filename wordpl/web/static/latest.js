/** Requests of which only the last one counts, and those that are made again and again. */

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

/** Call `work` now and then while the page is to be seen, until it returns true or `signal` is aborted. */
export function every(milliseconds, work, signal) {
  const timer = setInterval(async () => {
    if (!document.hidden && await work()) clearInterval(timer);
  }, milliseconds);
  signal.addEventListener("abort", () => clearInterval(timer), { once: true });
}

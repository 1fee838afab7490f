/** Requests of which only the last one counts, and those that are made again and again. */

/** A function that gives up its last call when it is called again or `signal` is aborted. `work(signal, …)` gets a signal of its own. */
export function latest(work, signal) {
  let running = new AbortController();
  return (...values) => {
    running.abort();
    running = new AbortController();
    return work(AbortSignal.any([signal, running.signal]), ...values);
  };
}

/** Call `work` now and then while the page is to be seen, until it returns true or `signal` is aborted. */
export async function every(milliseconds, work, signal) {
  for (let over = false; !over;) {
    await new Promise((done) => { setTimeout(done, milliseconds); });
    over = signal.aborted || (!document.hidden && await work());
  }
}

import {performance} from 'node:perf_hooks';

/**
 * Notices that a loop of requests makes no progress, with one timer for the whole loop and nothing to do per request: it
 * looks now and then whether the count has moved.
 */
export class Watchdog {
  /** @param {number} timeoutMs a request may take this long; noticed at most an eighth later */
  constructor(timeoutMs) {
    this.timeoutMs = timeoutMs;
    this.lookEveryMs = Math.max(1, Math.min(1000, timeoutMs / 8));
  }

  /**
   * @param {Promise<void>} work
   * @param {() => number} progress grows with every finished request
   * @param {AbortSignal} signal
   * @returns {Promise<{finished: boolean, waitedMs: number}>} finished: false when a request outlived the timeout, with how
   *   long it was seen to wait; the work is then left to the caller to abandon
   * @throws what the work rejects with, or the signal's reason
   */
  async guard(work, progress, signal) {
    /** @type {NodeJS.Timeout | undefined} */
    let timer;
    let onAbort = () => {};
    const stalled = new Promise((resolve, reject) => {
      let seen = progress();
      let since = performance.now();
      timer = setInterval(() => {
        const now = performance.now();
        if (progress() !== seen) {
          seen = progress();
          since = now;
        } else if (now - since >= this.timeoutMs) {
          resolve({finished: false, waitedMs: now - since});
        }
      }, this.lookEveryMs);
      onAbort = () => reject(signal.reason);
      signal.addEventListener('abort', onAbort, {once: true});
      if (signal.aborted) onAbort();
    });
    try {
      return await Promise.race([work.then(() => ({finished: true, waitedMs: 0})), stalled]);
    } finally {
      clearInterval(timer);
      signal.removeEventListener('abort', onAbort);
      work.catch(() => {});
      stalled.catch(() => {});
    }
  }
}

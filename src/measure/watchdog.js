import {performance} from 'node:perf_hooks';

/**
 * Detects that a loop of requests makes no progress. One timer serves the whole loop and checks periodically whether the count
 * has changed, so there is no work per request.
 */
export class Watchdog {
  /** @param {number} timeoutMs of a request; detected at most an eighth of it later */
  constructor(timeoutMs) {
    this.timeoutMs = timeoutMs;
    this.intervalMs = Math.max(1, Math.min(1000, timeoutMs / 8));
  }

  /**
   * @param {Promise<void>} work
   * @param {() => number} progress grows with every finished request
   * @param {AbortSignal} signal
   * @returns {Promise<{finished: boolean, waitedMs: number}>} finished: false when a request exceeded the timeout;
   *   waitedMs: its observed wait. The caller must then abandon the work
   * @throws the work's error, or the signal's reason
   */
  async guard(work, progress, signal) {
    /** @type {NodeJS.Timeout | undefined} */
    let timer;
    let onAbort = () => {};
    const stalled = new Promise((resolve, reject) => {
      let lastProgress = progress();
      let since = performance.now();
      timer = setInterval(() => {
        const now = performance.now();
        if (progress() !== lastProgress) {
          lastProgress = progress();
          since = now;
        } else if (now - since >= this.timeoutMs) {
          resolve({finished: false, waitedMs: now - since});
        }
      }, this.intervalMs);
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

const firstDelayMs = 25;
const maxDelayMs = 500;

/**
 * The waits before new attempts. They double up to a bound, with jitter, so that clients that lost the same server do not reconnect at the same moment
 * (https://aws.amazon.com/builders-library/timeouts-retries-and-backoff-with-jitter).
 */
export class BackOff {
  #delayMs = firstDelayMs;

  /** @returns {number} the wait before the next attempt */
  nextMs() {
    const delayMs = this.#delayMs;
    this.#delayMs = Math.min(maxDelayMs, delayMs * 2);
    return delayMs * (0.5 + Math.random());
  }

  reset() {
    this.#delayMs = firstDelayMs;
  }
}

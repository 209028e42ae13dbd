/** The clock of retransmissions, in ms. */
export const now = () => performance.now();

/**
 * Calls at a time that moves often. A timer that is set for an earlier time than needed is left as it is: setting it anew for every datagram would
 * cost more than a call too early.
 */
export class Alarm {
  /**
   * @param {() => number} now
   * @param {() => void} onTime may come too early; it calls `at` again
   */
  constructor(now, onTime) {
    this.now = now;
    this.onTime = onTime;
    this.setFor = Number.POSITIVE_INFINITY;
    /** @type {NodeJS.Timeout | undefined} */
    this.timer = undefined;
    this.ring = () => {
      this.setFor = Number.POSITIVE_INFINITY;
      this.onTime();
    };
  }

  /** @param {number} ms by `now`; infinite: never */
  at(ms) {
    if (ms >= this.setFor) return;
    clearTimeout(this.timer);
    this.setFor = ms;
    this.timer = setTimeout(this.ring, Math.max(1, Math.ceil(ms - this.now())));
  }

  clear() {
    clearTimeout(this.timer);
    this.setFor = Number.POSITIVE_INFINITY;
  }
}

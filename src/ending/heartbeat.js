/** Each end of a line sends a message at this interval, even if it has nothing else to send. */
export const heartbeatEveryMs = 1000;
/** After this long without a line, the other end is gone, or the network is cut. */
export const heartbeatTimeoutMs = 5000;

/** Notices that the other end of a line has fallen silent. */
export class HeartbeatTimeout {
  #heardAt = performance.now();
  #checkedAt = performance.now();

  /** @param {() => void} onSilent is called again each second, until the end */
  constructor(onSilent) {
    this.timer = setInterval(() => this.#check(onSilent), heartbeatEveryMs);
  }

  /** A line has arrived. */
  heard() {
    this.#heardAt = performance.now();
  }

  end() {
    clearInterval(this.timer);
  }

  /** @param {() => void} onSilent */
  #check(onSilent) {
    const now = performance.now();
    // This process was itself stopped, for example by Ctrl-Z, and could not read.
    if (now - this.#checkedAt >= heartbeatTimeoutMs) this.#heardAt = now;
    this.#checkedAt = now;
    if (now - this.#heardAt >= heartbeatTimeoutMs) onSilent();
  }
}

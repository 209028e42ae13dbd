/** Each end of a connection sends a message at least at this interval. */
export const heartbeatEveryMs = 1000;
/** After this time without a message, the other end has ended, or the network is cut. */
export const heartbeatTimeoutMs = 5000;

/** Notices that the other end of a connection sends no messages. */
export class HeartbeatTimeout {
  #heardAt = performance.now();
  #checkedAt = performance.now();

  /** @param {() => void} onSilent is called each second from the timeout until `end` */
  constructor(onSilent) {
    this.timer = setInterval(() => this.#check(onSilent), heartbeatEveryMs);
  }

  /** Notes that a message has arrived. */
  heard() {
    this.#heardAt = performance.now();
  }

  end() {
    clearInterval(this.timer);
  }

  /** @param {() => void} onSilent */
  #check(onSilent) {
    const now = performance.now();
    // This process itself was stopped, for example by Ctrl-Z or a fault, and could not read.
    if (now - this.#checkedAt >= 2 * heartbeatEveryMs) this.#heardAt = now;
    this.#checkedAt = now;
    if (now - this.#heardAt >= heartbeatTimeoutMs) onSilent();
  }
}

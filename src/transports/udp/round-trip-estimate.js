/** A receiver may wait this long before it sends an acknowledgement alone: a reply usually carries it. */
export const acknowledgeWithinMs = 2;

/** Until something was measured. RFC 6298 has 1 s, for the whole Internet; within a data centre, no round trip takes this long. */
const initialMs = 200;
/**
 * RFC 6298 has 1 s, and allows less. Vasudevan et al., "Safe and effective fine-grained TCP retransmissions for datacenter communication"
 * (SIGCOMM 2009), show that timeouts near the round-trip time are safe in local networks. A process that collects garbage or compiles is silent for
 * some milliseconds, so a still lower bound would send again what is not lost.
 */
const minMs = 10;
/** Ten attempts fit into the time after which the other end is given up, and an end that was stopped and continues is noticed soon. */
const maxMs = 500;
/** The clock granularity G of RFC 6298. */
const granularityMs = 1;

/**
 * When a datagram counts as lost: RFC 6298, section 2. The delay of an acknowledgement is added, as in RFC 9002, section 6.2.1.
 */
export class RoundTripEstimate {
  constructor() {
    this.smoothedMs = -1;
    this.variationMs = 0;
    this.timeoutMs = initialMs;
  }

  /** @param {number} ms of a datagram that was sent once (Karn's algorithm) */
  add(ms) {
    if (this.smoothedMs < 0) {
      this.smoothedMs = ms;
      this.variationMs = ms / 2;
    } else {
      this.variationMs = 0.75 * this.variationMs + 0.25 * Math.abs(this.smoothedMs - ms);
      this.smoothedMs = 0.875 * this.smoothedMs + 0.125 * ms;
    }
  }

  /**
   * After an acknowledgement of something new. As in Linux, also if it was sent again: otherwise a lossy network, where few datagrams are sent
   * only once, would be waited for as if it were slow.
   */
  reset() {
    if (this.smoothedMs < 0) {
      this.timeoutMs = initialMs;
      return;
    }
    const timeoutMs = this.smoothedMs + Math.max(granularityMs, 4 * this.variationMs) + acknowledgeWithinMs;
    this.timeoutMs = Math.min(maxMs, Math.max(minMs, timeoutMs));
  }

  /** After a timeout. */
  backOff() {
    this.timeoutMs = Math.min(maxMs, 2 * this.timeoutMs);
  }
}

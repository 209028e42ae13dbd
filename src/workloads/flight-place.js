/** @import {Flight} from './flight.js' */

/** One place in the window of a flight. It is itself what waits for its reply, so that a request costs no object. */
export class Place {
  onChunk = null;
  /** Whether its request was given up: what happens to it is nobody's any more. */
  #isGivenUp = false;

  /**
   * @param {Flight} flight
   * @param {number} index
   */
  constructor(flight, index) {
    this.flight = flight;
    this.index = index;
    /** The payload of the request that is in flight: every place has some of its own. */
    this.slot = -1;
    this.sequence = 0;
    /** When the request that is in flight was sent; 0: none is. */
    this.since = 0;
    /** Time and number of its earlier attempts. */
    this.spentMs = 0;
    this.attempts = 0;
    /** What the transport knows the reply by, where it can abandon one. @type {Promise<any> | null} */
    this.reply = null;
  }

  /**
   * The next payload of those that are this place's.
   * @param {number} places
   * @param {number} slots
   */
  turnSlot(places, slots) {
    this.slot = this.slot >= 0 && this.slot + places < slots ? this.slot + places : this.index;
  }

  /** @param {any} reply */
  resolve(reply) {
    if (!this.#isGivenUp) this.flight.take(this, reply);
  }

  /** @param {Error} error */
  reject(error) {
    if (!this.#isGivenUp) this.flight.fail(error);
  }

  /** @returns {Place} that stands where this one stood */
  giveUp() {
    this.#isGivenUp = true;
    this.reply = null;
    const heir = new Place(this.flight, this.index);
    heir.slot = this.slot;
    return heir;
  }
}

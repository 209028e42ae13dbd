import {WindowedPublisher} from '../windowed-publisher.js';
import {refusalOf} from './outgoing.js';

/**
 * @import {Outgoing} from './outgoing.js'
 * @import {PutOutcome} from '../transport.js'
 * @import {Packet} from 'mqtt'
 */

/** Publishes one-way messages to a topic. With QoS 1 or 2, a window bounds those that the broker has not acknowledged; otherwise the socket does. */
export class TopicPublisher extends WindowedPublisher {
  /**
   * @param {Outgoing} outgoing
   * @param {{topic: string, marks: string, window: number | undefined, closed: Promise<void>}} options
   */
  constructor(outgoing, {topic, marks, window = 1, closed}) {
    const isConfirmed = outgoing.qos > 0;
    super({window: isConfirmed ? window : Number.POSITIVE_INFINITY, closed});
    this.outgoing = outgoing;
    this.topic = topic;
    this.marks = marks;
    this.isConfirmed = isConfirmed;
    this.onAcknowledged = this.#onAcknowledged();
  }

  /**
   * @param {Buffer} payload
   * @param {PutOutcome} [outcome] is called only with QoS 1 or 2
   * @returns {boolean} false: wait for `drained`
   */
  publish(payload, outcome) {
    if (this.isConfirmed) this.unconfirmed += 1;
    const isAsked = this.isConfirmed && outcome !== undefined;
    const onAcknowledged = isAsked ? this.#onAcknowledged(outcome) : this.onAcknowledged;
    this.outgoing.publish(this.topic, payload, undefined, onAcknowledged);
    return this.hasRoom && this.outgoing.hasRoom;
  }

  /** @param {PutOutcome} [outcome] */
  #onAcknowledged(outcome) {
    return (/** @type {Error | null} */ error, /** @type {Packet | undefined} */ packet) =>
      this.settleWith(refusalOf(error, packet), outcome);
  }

  /** @override @throws what ended the connection, or a message that the broker refused */
  async drained() {
    await super.drained();
    await this.outgoing.drained();
  }

  /**
   * Resolves when the broker has everything. With QoS 0 it confirms nothing: it has read everything.
   * @override
   * @returns {Promise<{confirmed: number | null}>}
   */
  async flushed() {
    const confirmed = await super.flushed();
    if (this.isConfirmed) return confirmed;
    await this.outgoing.marked(this.marks);
    return {confirmed: null};
  }
}

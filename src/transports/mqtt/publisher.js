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
    this.onAcknowledged = (/** @type {Error | null} */ error, /** @type {Packet | undefined} */ packet) => {
      const refusal = refusalOf(error, packet);
      if (refusal) this.fail(refusal);
      this.settle(refusal === null);
    };
  }

  /** @param {Buffer} payload @returns {boolean} false: wait for `drained` */
  publish(payload) {
    if (this.isConfirmed) this.unconfirmed += 1;
    this.outgoing.publish(this.topic, payload, undefined, this.onAcknowledged);
    return this.hasRoom && this.outgoing.hasRoom;
  }

  /**
   * The same for a message whose outcome is asked for.
   * @param {Buffer} payload
   * @param {PutOutcome} outcome is called only with QoS 1 or 2
   */
  publishFor(payload, outcome) {
    if (!this.isConfirmed) return this.publish(payload);
    this.unconfirmed += 1;
    this.outgoing.publish(this.topic, payload, undefined, (error, packet) => {
      const refusal = refusalOf(error, packet);
      if (refusal) outcome.refused();
      else outcome.confirmed();
      this.settle(refusal === null);
    });
    return this.hasRoom && this.outgoing.hasRoom;
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

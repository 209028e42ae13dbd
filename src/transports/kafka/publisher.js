import {WindowedPublisher} from '../windowed-publisher.js';
import {noHeaders} from './messages.js';
import {refusalOf, refuseTooLarge} from './topic.js';

/**
 * @import {PutOutcome} from '../transport.js'
 * @import {Sender} from './sender.js'
 */

/** Of messages that are not acknowledged; a large window of large messages would fill the memory. */
const maxUnconfirmedBytes = 32 * 1024 ** 2;
/** With acks=0, of messages that were not handed over. */
const windowWithoutAcks = 1000;

/** Publishes one-way messages to one partition. A window bounds those that the broker has not acknowledged. */
export class PartitionPublisher extends WindowedPublisher {
  /**
   * @param {Sender} sender
   * @param {{topic: string, partition: number}} to
   * @param {{window: number | undefined, isConfirmed: boolean, closed: Promise<void>}} options
   */
  constructor(sender, {topic, partition}, {window = 1, isConfirmed, closed}) {
    super({window: isConfirmed ? window : windowWithoutAcks, closed});
    this.sender = sender;
    this.topic = topic;
    this.partition = partition;
    this.isConfirmed = isConfirmed;
    this.unconfirmedBytes = 0;
  }

  get hasRoom() {
    return super.hasRoom && (this.failure !== null || this.unconfirmedBytes < maxUnconfirmedBytes);
  }

  /** @param {Buffer} payload @param {PutOutcome} [outcome] @returns {boolean} false: wait for `drained` */
  publish(payload, outcome) {
    refuseTooLarge(payload);
    this.unconfirmed += 1;
    this.unconfirmedBytes += payload.length;
    const {topic, partition} = this;
    const value = Buffer.from(payload);
    this.sender.post({topic, partition, value, headers: noHeaders}, (error) => {
      this.unconfirmedBytes -= payload.length;
      const refusal = error && refusalOf(error);
      // The loss of a connection is reported by itself.
      if (error && refusal === null) this.settle(false);
      else this.settleWith(refusal, outcome);
    });
    return this.hasRoom;
  }

  /** @returns {Promise<{confirmed: number | null}>} */
  async flushed() {
    const {confirmed} = await super.flushed();
    return {confirmed: this.isConfirmed ? confirmed : null};
  }
}

import {WindowedPublisher} from '../windowed-publisher.js';
import {refusalOf, refuseTooLarge} from './stream.js';

/**
 * @import {JetStreamClient} from '@nats-io/jetstream'
 * @import {PutOutcome} from '../transport.js'
 */

/** Publishes one-way messages to a stream. A window bounds those that the server has not acknowledged. */
export class StreamPublisher extends WindowedPublisher {
  /**
   * @param {JetStreamClient} js
   * @param {string} subject
   * @param {{window: number | undefined, closed: Promise<void>}} options window: of messages that are not acknowledged
   */
  constructor(js, subject, {window = 1, closed}) {
    super({window, closed});
    this.js = js;
    this.subject = subject;
    this.onAcknowledged = () => this.settle(true);
    this.onFailed = (/** @type {unknown} */ error) => {
      const refusal = refusalOf(error);
      if (refusal) this.fail(refusal);
      this.settle(false);
    };
  }

  /** @param {Buffer} payload @returns {boolean} false: wait for `drained` */
  publish(payload) {
    refuseTooLarge(payload);
    this.unconfirmed += 1;
    this.js.publish(this.subject, payload).then(this.onAcknowledged, this.onFailed);
    return this.hasRoom;
  }

  /**
   * The same for a message whose outcome is asked for.
   * @param {Buffer} payload
   * @param {PutOutcome} outcome
   */
  publishFor(payload, outcome) {
    refuseTooLarge(payload);
    this.unconfirmed += 1;
    this.js.publish(this.subject, payload).then(
      () => {
        outcome.confirmed();
        this.settle(true);
      },
      (error) => {
        if (refusalOf(error)) outcome.refused();
        this.settle(false);
      },
    );
    return this.hasRoom;
  }
}

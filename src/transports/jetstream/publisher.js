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
    this.onFailed = (/** @type {unknown} */ error) => this.#failed(error);
  }

  /** @param {Buffer} payload @param {PutOutcome} [outcome] of this message @returns {boolean} false: wait for `drained` */
  publish(payload, outcome) {
    refuseTooLarge(payload);
    this.unconfirmed += 1;
    const onAcknowledged = outcome ? () => this.settleWith(null, outcome) : this.onAcknowledged;
    const onFailed = outcome ? (/** @type {unknown} */ error) => this.#failed(error, outcome) : this.onFailed;
    this.js.publish(this.subject, payload).then(onAcknowledged, onFailed);
    return this.hasRoom;
  }

  /** The loss of the connection is reported by itself. @param {unknown} error @param {PutOutcome} [outcome] */
  #failed(error, outcome) {
    const refusal = refusalOf(error);
    if (refusal) this.settleWith(refusal, outcome);
    else this.settle(false);
  }
}

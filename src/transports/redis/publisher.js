import {RunError} from '../../errors.js';
import {WindowedPublisher} from '../windowed-publisher.js';

/**
 * @import {RoleConnections} from '../../brokers/redis/role-connections.js'
 * @import {PutOutcome} from '../transport.js'
 * @import {Medium} from './medium.js'
 */

/** Maximum number of bytes without an answer, because the library buffers unread messages without a bound. */
const maxUnansweredBytes = 4 * 1024 * 1024;
/** The approximate size of a message without its payload. */
const overheadBytes = 128;

/**
 * Posts messages with back-pressure. The server answers the commands in order. It then has the message, and with `appendfsync always` also
 * has it on disk.
 */
export class Publisher extends WindowedPublisher {
  /** The sizes of messages without an answer, the oldest first. */
  #sizes = new Queue(0);
  /** The outcome callbacks of messages without an answer. @type {Queue<PutOutcome | null>} */
  #outcomes = new Queue(/** @type {PutOutcome | null} */ (null));

  /**
   * @param {Pick<RoleConnections, 'writer' | 'closed' | 'lose'>} connections @param {Medium} medium
   * @param {{window?: number | undefined, toleratesNobody?: boolean}} [how] window: maximum number of messages without an answer; toleratesNobody: a
   *   message without a subscriber is no error
   */
  constructor({writer, closed, lose}, medium, {window, toleratesNobody = false} = {}) {
    super({window: window ?? Number.POSITIVE_INFINITY, closed});
    this.writer = writer;
    this.medium = medium;
    this.lose = lose;
    this.toleratesNobody = toleratesNobody;
    this.unansweredBytes = 0;
  }

  /** @param {string} key @param {string} header @param {Buffer} payload @returns {boolean} false: wait for `drained` */
  post(key, header, payload) {
    return this.#track(this.medium.post(this.writer, key, header, payload), payload.length, null);
  }

  /**
   * @param {string} key of a queue
   * @param {Buffer} payload @param {PutOutcome | null} outcome
   * @returns {boolean} false: wait for `drained`
   */
  put(key, payload, outcome) {
    return this.#track(this.medium.put(this.writer, key, payload), payload.length, outcome);
  }

  /** @override @returns {Promise<{confirmed: number | null}>} */
  async flushed() {
    const {confirmed} = await super.flushed();
    return {confirmed: this.medium.stores ? confirmed : null};
  }

  /** @override */
  get hasRoom() {
    const isFull = this.unconfirmed >= this.window || this.unansweredBytes >= maxUnansweredBytes;
    return this.failure !== null || !isFull;
  }

  /** @param {Promise<unknown>} answer @param {number} payloadBytes @param {PutOutcome | null} outcome */
  #track(answer, payloadBytes, outcome) {
    const bytes = payloadBytes + overheadBytes;
    this.unconfirmed += 1;
    this.unansweredBytes += bytes;
    this.#sizes.add(bytes);
    this.#outcomes.add(outcome);
    answer.then(this.#onAnswer, this.#onError);
    return this.hasRoom;
  }

  /** @param {unknown} answer */
  #onAnswer = (answer) => {
    const outcome = this.#take();
    if (!this.medium.isTaken(answer) && !this.toleratesNobody)
      this.#refuse(
        new RunError('No server subscribes to the channel of the requests any more.', {code: 'PB_RETURNED'}),
      );
    outcome?.confirmed();
    this.settle(true);
  };

  /** @param {Error} error */
  #onError = (error) => {
    const outcome = this.#take();
    // `closed` reports a lost connection, and the server may have the message.
    if (error.name === 'ReplyError') {
      if (outcome) outcome.refused();
      else
        this.#refuse(
          new RunError(`The Redis server refused a message: ${error.message}.`, {
            code: 'PB_NACK',
            cause: error,
          }),
        );
    }
    this.settle(false);
  };

  #take() {
    this.unansweredBytes -= this.#sizes.take();
    return this.#outcomes.take();
  }

  /** @param {RunError} error */
  #refuse(error) {
    this.fail(error);
    this.lose(error.message, error);
  }
}

/** A queue whose `take` does not move the remaining items. @template Item */
class Queue {
  /** @type {Item[]} */
  #items = [];
  #first = 0;

  /** @param {Item} blank replaces a taken item */
  constructor(blank) {
    this.blank = blank;
  }

  /** @param {Item} item */
  add(item) {
    this.#items.push(item);
  }

  take() {
    const item = this.#items[this.#first];
    this.#items[this.#first] = this.blank;
    this.#first += 1;
    if (this.#first === this.#items.length) {
      this.#items.length = 0;
      this.#first = 0;
    } else if (this.#first > 1024 && this.#first * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#first);
      this.#first = 0;
    }
    return item;
  }
}

/** @import {Channel, ConfirmChannel} from 'amqplib' */

/**
 * Class and method ids of the class tx of AMQP 0-9-1 (https://www.rabbitmq.com/amqp-0-9-1-reference#tx). amqplib encodes these methods, but
 * has no functions for them.
 */
const tx = {select: 0x5a000a, selectOk: 0x5a000b, commit: 0x5a0014, commitOk: 0x5a0015};

/** @typedef {ConfirmChannel & {rpc(method: number, fields: {}, expected: number): Promise<unknown>}} Asking amqplib's types do not declare `rpc` */

/** @typedef {{send: () => unknown, onCommit: ((error: any, ok: {}) => void) | undefined}} Command */

/**
 * The transactions of a channel. The broker holds messages and acknowledgements until a commit, and answers the commit when persistent
 * messages are on disk. It closes a connection that sends anything else on the channel before this answer. So later commands wait for the
 * answer, and `publish` returns false.
 */
export class Transactions {
  /** @type {Asking} */
  #channel;
  /** Commands that were sent and not committed. @type {Command[]} */
  #open = [];
  /** Commands that wait for the answer to a commit. @type {Command[]} */
  #waiting = [];
  #isCommitting = false;
  /** Settles when no command is open. @type {Promise<void> | null} */
  #settling = null;

  /**
   * Puts a channel into transactional mode. `publish` and `ack` then take part in successive transactions. As on a confirm channel,
   * `publish` calls back when the broker has a message.
   * @param {Channel} channel
   */
  static async select(channel) {
    const asking = /** @type {any} */ (channel);
    await asking.rpc(tx.select, {}, tx.selectOk);
    return new Transactions(asking);
  }

  /** @param {Asking} channel */
  constructor(channel) {
    this.#channel = channel;
    const {publish, ack} = channel;
    channel.publish = (exchange, key, payload, properties, onCommit) =>
      this.#add({send: () => publish.call(channel, exchange, key, payload, properties), onCommit});
    channel.ack = (message) => void this.#add({send: () => ack.call(channel, message), onCommit: undefined});
    for (const name of /** @type {const} */ (['cancel', 'checkQueue', 'deleteQueue', 'deleteExchange']))
      Object.assign(channel, {[name]: this.#between(channel[name])});
  }

  /** @returns {Promise<void>} resolves when all earlier commands are committed; rejects if the channel closes first */
  committed() {
    return new Promise((resolve, reject) => {
      const onCommit = (/** @type {Error | null} */ error) => (error ? reject(error) : resolve());
      this.#add({send: () => {}, onCommit});
    });
  }

  /** @param {Function} question a request of the channel that must wait between transactions */
  #between(question) {
    return async (/** @type {unknown[]} */ ...parameters) => {
      while (this.#settling) await this.#settling;
      return await question.apply(this.#channel, parameters);
    };
  }

  /** @param {Command} command @returns {boolean} false: wait for `drain` */
  #add(command) {
    if (this.#isCommitting) {
      this.#waiting.push(command);
      return false;
    }
    const hasRoom = command.send() !== false;
    this.#open.push(command);
    this.#settling ??= this.#settle();
    return hasRoom;
  }

  /** @param {Command} command whose errors go to its callback, because its caller no longer waits */
  #addLater(command) {
    try {
      return this.#add(command);
    } catch (error) {
      command.onCommit?.(error, {});
      return true;
    }
  }

  async #settle() {
    // Commands of the same turn are committed together.
    await null;
    while (this.#open.length > 0) {
      this.#isCommitting = true;
      const failure = await this.#commit();
      this.#isCommitting = false;
      const committed = this.#open;
      this.#open = [];
      const waiting = this.#waiting;
      this.#waiting = [];
      const haveRoom = waiting.map((command) => this.#addLater(command)).every(Boolean);
      for (const {onCommit} of committed) onCommit?.(failure, {});
      if (waiting.length > 0 && haveRoom) this.#channel.emit('drain');
    }
    this.#settling = null;
  }

  /** @returns {Promise<unknown>} why the commit failed; null: it succeeded */
  async #commit() {
    try {
      await this.#channel.rpc(tx.commit, {}, tx.commitOk);
      return null;
    } catch (error) {
      return error;
    }
  }
}

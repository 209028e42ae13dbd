import {RunError} from '../errors.js';
import {Life} from '../net/life.js';

/**
 * @import {Socket} from 'node:net'
 * @import {Client, PutOutcome, Store, Waiting} from './transport.js'
 *
 * @typedef {(refusal?: RunError | null) => void} OnOutcome is not called if the connection ends first
 */

/**
 * The error for a message that a transport cannot send.
 * @param {string} transport its name @param {Buffer} payload @param {number} maxBytes @param {string} [advice] follows --payload in the sentence
 */
export function tooLarge(transport, {length}, maxBytes, advice = '') {
  return new RunError(
    `The transport ${transport} takes messages of at most ${maxBytes} bytes; this one has ${length}. Use a smaller --payload${advice}.`,
    {code: 'PB_NACK'},
  );
}

/** The back-pressure of a connection, which ends with the connection. A subclass knows how much room there is. */
export class Bounded {
  /** @param {Promise<unknown>} closed rejects when the connection is lost */
  constructor(closed) {
    /** @type {Error | null} */
    this.failure = null;
    this.changes = new Changes();
    closed.catch((error) => this.fail(error));
  }

  /** Whether one more message may be sent. Also true after a failure, which `drained` then throws. @returns {boolean} */
  get hasRoom() {
    return true;
  }

  /** @throws what ended the connection, or a message that the other end refused */
  async drained() {
    while (!this.hasRoom) await this.changes.next();
    if (this.failure) throw this.failure;
  }

  /** @param {Error} error */
  fail(error) {
    this.failure ??= error;
    this.changes.announce();
  }
}

/** The messages of one connection, which the buffer of its socket bounds. */
export class SocketMessages extends Bounded {
  /** @param {{socket: Socket, closed: Promise<unknown>}} opened */
  constructor({socket, closed}) {
    super(closed);
    this.socket = socket;
    socket.on('drain', () => this.changes.announce());
  }

  get hasRoom() {
    return this.failure !== null || !this.socket.writableNeedDrain;
  }
}

/** The base of publishers. A window bounds the unconfirmed messages. A subclass may override `hasRoom` if a buffer bounds them, too. */
export class WindowedPublisher extends Bounded {
  /** @param {{window: number, closed: Promise<unknown>}} options closed: rejects when the connection is lost */
  constructor({window, closed}) {
    super(closed);
    this.window = window;
    this.unconfirmed = 0;
    this.confirmed = 0;
  }

  get hasRoom() {
    return this.failure !== null || this.unconfirmed < this.window;
  }

  /** Resolves when the other end has confirmed all messages. @returns {Promise<{confirmed: number | null}>} */
  async flushed() {
    while (this.unconfirmed > 0 && !this.failure) await this.changes.next();
    if (this.failure) throw this.failure;
    return {confirmed: this.confirmed};
  }

  /** Records the outcome of a message. @param {boolean} isConfirmed */
  settle(isConfirmed) {
    this.unconfirmed -= 1;
    if (isConfirmed) this.confirmed += 1;
    this.changes.announce();
  }

  /**
   * Records that the broker accepted or refused a message.
   * @param {Error | null | undefined} refusal
   * @param {PutOutcome} [outcome] the callbacks of this message; without them, a refusal ends the publisher
   */
  settleWith(refusal, outcome) {
    if (!refusal) outcome?.confirmed();
    else if (outcome) outcome.refused();
    else this.fail(refusal);
    this.settle(!refusal);
  }
}

/**
 * Publishes one-way messages through the buffer of a connection, which bounds them. If the broker confirms messages, a window also bounds
 * the unconfirmed messages.
 * @abstract
 */
export class BufferedPublisher extends WindowedPublisher {
  /** @param {Bounded} outgoing @param {{window: number | undefined, isConfirmed: boolean, closed: Promise<unknown>}} options */
  constructor(outgoing, {window = 1, isConfirmed, closed}) {
    super({window: isConfirmed ? window : Number.POSITIVE_INFINITY, closed});
    this.buffer = outgoing;
    this.isConfirmed = isConfirmed;
    /** @type {OnOutcome} */
    this.onOutcome = (refusal) => this.settleWith(refusal);
  }

  /** Sends a message. @abstract @param {Buffer} _payload @param {OnOutcome} _onOutcome is called if the broker confirms messages */
  post(_payload, _onOutcome) {}

  /** Resolves when the broker has all messages, although it confirms none. @abstract */
  async marked() {}

  /** @type {Store['put']} */
  publish(payload, outcome) {
    if (this.isConfirmed) this.unconfirmed += 1;
    this.post(payload, outcome ? (refusal) => this.settleWith(refusal, outcome) : this.onOutcome);
    return this.hasRoom && this.buffer.hasRoom;
  }

  async drained() {
    await super.drained();
    await this.buffer.drained();
  }

  async flushed() {
    const confirmed = await super.flushed();
    if (this.isConfirmed) return confirmed;
    await this.marked();
    return {confirmed: null};
  }
}

/** One-way messages over HTTP. Each message is a POST. The server confirms it with status 204. */
export class OneWayPosts extends WindowedPublisher {
  /** @param {Client['ask']} post @param {number} window */
  constructor(post, window) {
    const life = new Life();
    super({window, closed: life.lost});
    this.post = post;
    this.life = life;
    this.closed = life.lost;
    /** @type {Waiting} shared by all messages: one-way messages are never abandoned */
    this.waiting = {
      onChunk: null,
      resolve: () => this.settle(true),
      reject: (error) => {
        this.fail(error);
        this.settle(false);
      },
    };
  }

  /** @override @param {Error} error */
  fail(error) {
    super.fail(error);
    this.life.fail(error);
  }

  /** @param {Buffer} payload @returns {boolean} */
  send(payload) {
    this.unconfirmed += 1;
    this.post(payload, this.waiting);
    return this.hasRoom;
  }
}

/** Announces changes of a state to several waiters. Each waiter checks the state itself. */
export class Changes {
  /** @type {(() => void)[]} */
  #watchers = [];

  get isAwaited() {
    return this.#watchers.length > 0;
  }

  /** @returns {Promise<void>} resolves at the next change */
  next() {
    return new Promise((resolve) => {
      this.#watchers.push(resolve);
    });
  }

  announce() {
    if (this.#watchers.length === 0) return;
    for (const resolve of this.#watchers.splice(0)) resolve();
  }
}

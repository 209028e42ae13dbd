import {setTimeout as sleep} from 'node:timers/promises';
import {TLSSocket} from 'node:tls';

/**
 * @import {Connection, ConnectionPool} from '@platformatic/kafka'
 * @import {Socket} from 'node:net'
 */

/** Before a role is ready, a broker sends lists of its interfaces, brokers and topics. */
const maxGreetingBytes = 16 * 1024 ** 2;
/** The limit of a fetch, plus one message. */
const maxAnswerBytes = 80 * 1024 ** 2;

/** The broker has violated the protocol. */
export class KafkaProtocolError extends Error {}

/**
 * Watches the sockets of one role, or of a greeting. The library buffers an incomplete answer of up to 2 GB, and reports the
 * loss of a connection by an error that may have no listener.
 */
export class Guard {
  /** Why the guard has destroyed a connection. @type {Error | null} */
  refusal = null;
  /** @type {Set<Socket>} */
  #sockets = new Set();
  #maxBytes = maxGreetingBytes;
  #isOver = false;

  /** @param {{noDelay: boolean, onLost: (reason?: Error) => void}} options */
  constructor({noDelay, onLost}) {
    this.noDelay = noDelay;
    this.onLost = onLost;
  }

  /** Raises the limit after the greeting, because messages may follow. */
  admitMessages() {
    this.#maxBytes = maxAnswerBytes;
  }

  get socket() {
    return [...this.#sockets][0];
  }

  /**
   * @param {{connections: ConnectionPool}} client a client without open connections
   * @param {{isVital?: boolean}} [how] isVital: whether to report a lost connection; a broker closes a connection that was
   *   idle for ten minutes
   */
  watch({connections}, {isVital = true} = {}) {
    connections.on('connecting', ({connection}) => this.#watchConnection(connection, isVital));
  }

  /** Destroys all sockets, including those that connect now or later. */
  destroy() {
    this.#isOver = true;
    for (const socket of this.#sockets) {
      socket.on('error', () => {});
      socket.destroy();
    }
  }

  /** @param {Connection} connection @param {boolean} isVital */
  #watchConnection(connection, isVital) {
    // Without a listener, a second error would end the process.
    connection.on('error', () => {});
    // The library creates the socket immediately after this event.
    connection.once('connecting', () => queueMicrotask(() => this.#watchSocket(connection.socket, isVital)));
  }

  /** @param {Socket} socket @param {boolean} isVital */
  #watchSocket(socket, isVital) {
    if (this.#isOver) {
      socket.on('error', () => {});
      socket.destroy();
      return;
    }
    this.#sockets.add(socket);
    /** @type {Error | undefined} */
    let reason;
    const frames = new Frames();
    const begin = () => {
      socket.setNoDelay(this.noDelay);
      socket.prependListener('data', (chunk) => {
        const mistake = frames.mistakeIn(chunk, this.#maxBytes);
        if (mistake === null || this.refusal) return;
        this.refusal = new KafkaProtocolError(mistake);
        socket.destroy(this.refusal);
      });
    };
    socket.once(socket instanceof TLSSocket ? 'secureConnect' : 'connect', begin);
    socket.on('error', (error) => {
      reason ??= error;
    });
    socket.once('close', () => {
      this.#sockets.delete(socket);
      if (isVital || this.refusal) this.onLost(this.refusal ?? reason);
    });
  }
}

/** An answer begins with the number of its request, a 32-bit integer. */
const leastAnswerBytes = 4;

/** Follows the lengths that precede the answers of a broker (https://kafka.apache.org/protocol). */
export class Frames {
  /** The bytes of the current answer that have not arrived. */
  #left = 0;
  /** The value of the length bytes that have arrived. */
  #length = 0;
  #lengthBytes = 0;

  /**
   * @param {Buffer} chunk the next bytes
   * @param {number} maxBytes the limit for an answer
   * @returns {string | null} a violation of the protocol, as a phrase that follows "it"
   */
  mistakeIn(chunk, maxBytes) {
    let offset = 0;
    while (offset < chunk.length) {
      if (this.#left > 0) {
        const taken = Math.min(this.#left, chunk.length - offset);
        this.#left -= taken;
        offset += taken;
        continue;
      }
      this.#length = this.#length * 256 + chunk[offset];
      this.#lengthBytes += 1;
      offset += 1;
      if (this.#lengthBytes < 4) continue;
      if (this.#length > maxBytes || this.#length < leastAnswerBytes)
        return `announced an answer of ${this.#length} bytes; ${leastAnswerBytes} to ${maxBytes} are allowed`;
      this.#left = this.#length;
      this.#length = 0;
      this.#lengthBytes = 0;
    }
    return null;
  }
}

const maxDepth = 8;

/**
 * The protocol's name of an error answer.
 * @param {unknown} error an error of the library, which wraps errors
 * @param {number} [depth]
 * @returns {string | null} null: an error of another kind, such as a connection error
 */
export function answerOf(error, depth = 0) {
  if (!(error instanceof Error) || depth === maxDepth) return null;
  const {apiId, errors = [], cause} = /** @type {Error & {apiId?: string, errors?: unknown[]}} */ (error);
  if (typeof apiId === 'string') return apiId;
  for (const inner of [...errors, cause]) {
    const found = answerOf(inner, depth + 1);
    if (found !== null) return found;
  }
  return null;
}

const retryMs = 20;

/**
 * Repeats a question until the coordinator of the group is available. A broker creates the topic of offsets at the first
 * request for a group, and reads it when it starts. The wait has no time limit of its own.
 * @template Answer @param {() => Promise<Answer>} question
 */
export async function whenCoordinated(question) {
  for (;;) {
    try {
      return await question();
    } catch (error) {
      if (!/COORDINATOR/.test(answerOf(error) ?? '')) throw error;
      await sleep(retryMs);
    }
  }
}

import {setTimeout as sleep} from 'node:timers/promises';
import {TLSSocket} from 'node:tls';

/**
 * @import {Connection, ConnectionPool} from '@platformatic/kafka'
 * @import {Socket} from 'node:net'
 */

/**
 * The library keeps all that a broker sends until a whole answer is there, of up to 2 GB. It ends a connection with an error that nobody may be waiting
 * for. This watches its sockets.
 *
 */

/** Before a role is ready, a broker sends lists of its interfaces, brokers and topics. */
const maxGreetingBytes = 16 * 1024 ** 2;
/** What a fetch may bring, and one more message. */
const maxAnswerBytes = 80 * 1024 ** 2;

/** What is wrong with a broker that does not keep to the protocol. */
export class KafkaProtocolError extends Error {}

/** Watches the connections of the clients of one role, or of a greeting. */
export class Guard {
  /** Why one was ended. @type {Error | null} */
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

  /** The greeting is over: messages may come. */
  admitMessages() {
    this.#maxBytes = maxAnswerBytes;
  }

  /** One of the sockets. */
  get socket() {
    return [...this.#sockets][0];
  }

  /**
   * @param {{connections: ConnectionPool}} client of which no connection is open yet
   * @param {{isVital?: boolean}} [how] isVital: whether the loss of one of its connections is reported. A broker closes what was idle for ten minutes
   */
  watch({connections}, {isVital = true} = {}) {
    connections.on('connecting', (/** @type {{connection: Connection}} */ {connection}) =>
      this.#watchConnection(connection, isVital),
    );
  }

  /** Ends all connections, whether they are open or not, and those that something opens that still waits for an answer. */
  destroy() {
    this.#isOver = true;
    for (const socket of this.#sockets) {
      socket.on('error', () => {});
      socket.destroy();
    }
  }

  /** @param {Connection} connection @param {boolean} isVital */
  #watchConnection(connection, isVital) {
    // Otherwise an error that comes after the first ends the process.
    connection.on('error', () => {});
    // The library makes the socket right after this event.
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

/** The number of the request that it answers. */
const leastAnswerBytes = 4;

/** Follows the lengths that precede the answers of a broker (https://kafka.apache.org/protocol). */
export class Frames {
  /** What is left of the current answer. */
  #left = 0;
  /** The first bytes of a length that is not complete. */
  #length = 0;
  #lengthBytes = 0;

  /**
   * @param {Buffer} chunk what came next
   * @param {number} maxBytes of an answer
   * @returns {string | null} what is wrong with it, as it follows "it"
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
 * What the broker answered, by the name that the protocol gives it.
 * @param {unknown} error of the library, which wraps errors
 * @param {number} [depth]
 * @returns {string | null} null: it is an error of another kind, such as that of a connection
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
 * Asks what the coordinator of a group answers. A broker makes the topic of offsets when the first group is asked for, and reads it when it starts.
 * @template Answer
 * @param {() => Promise<Answer>} question
 * @returns {Promise<Answer>} the wait has no bound of its own
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

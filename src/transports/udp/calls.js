import {RunError} from '../../errors.js';
import {noReply} from './messages.js';

/**
 * @import {Correlation, Waiting} from '../transport.js'
 * @import {Session} from './session.js'
 */

/** Ids are numbers of 32 bits. By the time that they repeat, the requests that had them are over. */
const lastId = 2 ** 32 - 1;

/** The outstanding requests of one client, by the ids that its messages have. */
export class Calls {
  /**
   * @param {Pick<Session, 'write' | 'flush'>} session
   * @param {Correlation | null} correlation
   */
  constructor(session, correlation) {
    this.session = session;
    this.onStray = correlation?.onStray ?? (() => {});
    this.lastUsed = noReply;
    /** @type {Map<number, Waiting>} */
    this.waiting = new Map();
    /** @type {Error | null} */
    this.failure = null;
    /** @type {Promise<void>} rejects when the session ends */
    this.closed = new Promise((resolve, reject) => {
      this.resolveClosed = resolve;
      this.rejectClosed = reject;
    });
    this.closed.catch(() => {});
  }

  /**
   * @param {Buffer} payload
   * @param {Waiting} waiting
   */
  ask(payload, waiting) {
    if (this.failure) return waiting.reject(this.failure);
    this.lastUsed = this.lastUsed === lastId ? noReply + 1 : this.lastUsed + 1;
    this.waiting.set(this.lastUsed, waiting);
    this.session.write(this.lastUsed, payload);
    this.session.flush();
  }

  /** @param {number} id @param {Buffer} reply an empty one ends a reply in parts */
  take(id, reply) {
    const call = this.waiting.get(id);
    if (!call) return this.onStray();
    if (call.onChunk && reply.length > 0) return call.onChunk(reply);
    this.waiting.delete(id);
    call.resolve(reply);
  }

  /** @param {Error} error */
  fail(error) {
    if (this.failure) return;
    this.#end(error);
    this.rejectClosed?.(error);
  }

  /** For a session that the client closes. */
  finish() {
    if (this.failure) return;
    this.#end(new RunError('The connection was closed.', {code: 'PB_CLOSED'}));
    this.resolveClosed?.();
  }

  /** @param {Error} error */
  #end(error) {
    this.failure = error;
    const calls = [...this.waiting.values()];
    this.waiting.clear();
    for (const call of calls) call.reject(error);
  }
}

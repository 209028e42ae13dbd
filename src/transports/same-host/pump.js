/**
 * @import {End} from './end.js'
 * @import {Sender} from './sender.js'
 */

/** The event loop has a turn at least this often, for its timers, signals and the control channel. */
const maxWaitMs = 5;
/** A peer may wait for room as well. */
const maxWaitForRoomMs = 1;
/** The event loop has a turn after so many messages. */
const maxMessagesPerTurn = 64;

/**
 * @typedef {object} Conditions
 * @property {() => boolean} isNeeded whether something is expected
 * @property {() => boolean} mayWait whether this process has nothing else to do
 * @property {() => boolean} isForOne whether there is one peer
 * @property {(error: Error) => void} onError this end failed
 */

/**
 * Sends and receives in turns of the event loop. Node.js cannot be woken by what these transports use, so a turn waits inside the kernel where nothing
 * else is to be done, and asks without waiting where something is.
 */
export class Pump {
  /** @type {Set<Sender>} those with something that waits */
  #behind = new Set();

  /**
   * @param {End} end
   * @param {(peer: number, bytes: Buffer) => void} take
   * @param {Conditions} conditions
   */
  constructor(end, take, {isNeeded, mayWait, isForOne, onError}) {
    this.end = end;
    this.take = take;
    this.isNeeded = isNeeded;
    this.mayWait = mayWait;
    this.isForOne = isForOne;
    this.onError = onError;
    this.isRunning = false;
    this.isStopped = false;
    this.onTurn = () => this.#turn();
  }

  start() {
    if (this.isRunning || this.isStopped) return;
    this.isRunning = true;
    setImmediate(this.onTurn);
  }

  stop() {
    this.isStopped = true;
  }

  /** @param {Sender} sender with something that waits */
  flushLater(sender) {
    this.#behind.add(sender);
    this.start();
  }

  #turn() {
    this.isRunning = false;
    if (this.isStopped) return;
    try {
      if (this.#behind.size > 0) this.#sendAndReceive();
      else if (this.isNeeded()) this.#receive(this.mayWait() ? maxWaitMs : 0);
    } catch (error) {
      this.stop();
      return this.onError(/** @type {Error} */ (error));
    }
    if (this.#behind.size > 0 || this.isNeeded()) this.start();
  }

  #sendAndReceive() {
    let hasMoved = this.#receive(0);
    for (const sender of this.#behind) hasMoved = sender.flush(0) || hasMoved;
    if (!hasMoved && this.mayWait()) this.#waitForRoom();
    for (const sender of this.#behind) if (sender.waiting.length === 0) this.#behind.delete(sender);
  }

  /** Several peers must not wait for the one that does not read. */
  #waitForRoom() {
    if (!this.isForOne()) this.#receive(maxWaitForRoomMs);
    else for (const sender of this.#behind) sender.flush(maxWaitForRoomMs);
  }

  /** @param {number} waitMs @returns {boolean} whether something came */
  #receive(waitMs) {
    let count = 0;
    while (count < maxMessagesPerTurn && this.end.receive(count === 0 ? waitMs : 0, this.take)) {
      count += 1;
      if (this.isStopped || !this.isNeeded()) break;
    }
    return count > 0;
  }
}

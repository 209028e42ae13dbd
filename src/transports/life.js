import {PerfBattleError, RunError} from '../errors.js';

/** The state of a connection: a failure of any of its parts ends the whole connection. */
export class Life {
  isFinished = false;
  isLost = false;
  /** @type {(error: Error) => void} */
  #reject = () => {};

  /** @param {string} lostMessage without the final period */
  constructor(lostMessage) {
    /** Rejects with the first reason that is reported. @type {Promise<never>} */
    this.lost = new Promise((_, reject) => {
      this.#reject = reject;
    });
    /** @type {Promise<void>} */
    this.closed = this.lost.catch((error) => {
      if (error instanceof PerfBattleError) throw error;
      throw new RunError(`${lostMessage}: ${error.message}.`, {code: 'PB_CONNECTION_LOST', cause: error});
    });
    for (const promise of [this.lost, this.closed]) promise.catch(() => {});
  }

  /** @param {Error} error */
  fail(error) {
    if (this.isFinished) return;
    this.isLost = true;
    this.#reject(error);
  }
}

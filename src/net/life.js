import {PerfBattleError, RunError} from '../errors.js';

/** The state of a connection: a failure of any of its parts ends the whole connection. */
export class Life {
  isFinished = false;
  isLost = false;
  /** @type {(error: Error) => void} */
  #reject = () => {};

  /** @param {string} [lostMessage] of errors of other kinds, without the final period */
  constructor(lostMessage = 'The connection was lost') {
    /** Rejects with the first reason that is reported. @type {Promise<never>} */
    this.lost = new Promise((_, reject) => {
      this.#reject = reject;
    });
    /** @type {Promise<never>} */
    this.closed = this.lost.catch((error) => {
      if (error instanceof PerfBattleError) throw error;
      throw new RunError(`${lostMessage}: ${error.message}.`, {code: 'PB_CONNECTION_LOST', cause: error});
    });
    for (const promise of [this.lost, this.closed]) promise.catch(() => {});
  }

  /** Has no effect on a connection that this end finishes. @param {Error} error */
  fail = (error) => {
    if (this.isFinished) return;
    this.isLost = true;
    this.#reject(error);
  };

  /** Reports a loss that another part noticed. @param {string} what a sentence @param {unknown} [cause] */
  lose = (what, cause) => this.fail(new RunError(what, {code: 'PB_CONNECTION_LOST', cause}));
}

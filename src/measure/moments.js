import {originMs} from './clock.js';

/**
 * When a role had messages in its hands: the sums over messages of the points in time at which it began and ended, by the monotonic clock of its
 * host. A client begins when it sends and ends when it has the reply; a server begins when it has the request and ends when it gives the reply. Sums
 * of equally many messages give the means of the ways between the roles, without a record of each message.
 *
 * @typedef {{messages: number, beginsMs: number, endsMs: number}} Moments
 */

/** Adds up moments. Readings are of `performance.now()`, which is fast; the sums are by the clock that processes of a host share. */
export class MomentSums {
  messages = 0;
  begins = 0;
  ends = 0;

  /** @param {number} begin @param {number} end */
  add(begin, end) {
    this.messages += 1;
    this.begins += begin;
    this.ends += end;
  }

  reset() {
    this.messages = 0;
    this.begins = 0;
    this.ends = 0;
  }

  /** @returns {Moments} */
  sums() {
    const {messages, begins, ends} = this;
    const origins = messages * originMs;
    return {messages, beginsMs: begins + origins, endsMs: ends + origins};
  }
}

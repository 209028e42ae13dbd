/**
 * @import {Segment} from './packets.js'
 *
 * @typedef {object} Direction of a connection
 * @property {number} next the sequence number of the first byte that has not passed
 * @property {Segment[]} waiting for bytes before theirs
 */

/** More than a window has, so what is missing never comes: the capture lost it. */
const maxWaiting = 256;

/**
 * Puts the segments of each connection in order, with each byte once. A sender that waits for an acknowledgement sends segments again, also over the
 * loopback interface of a busy host: see RFC 8985, section 7.
 */
export class InOrder {
  /** By the ports of sender and receiver. @type {Map<string, Direction>} */
  #directions = new Map();

  /**
   * @param {Segment} segment
   * @returns {Generator<Segment>} what this one completes, at its time; nothing where its bytes have passed before
   */
  *add(segment) {
    const {fromPort, toPort, sequence, atMs} = segment;
    const key = `${fromPort} ${toPort}`;
    const direction = this.#directions.get(key) ?? {next: sequence, waiting: []};
    this.#directions.set(key, direction);
    direction.waiting.push(segment);
    if (direction.waiting.length > maxWaiting) direction.next = direction.waiting[0].sequence;
    for (let found = takeReady(direction); found; found = takeReady(direction)) {
      const passed = bytesBetween(found.sequence, direction.next);
      const bytes = found.bytes - passed;
      if (bytes <= 0) continue;
      yield {...found, atMs, sequence: direction.next, bytes, head: found.head.subarray(passed)};
      direction.next = (direction.next + bytes) >>> 0;
    }
  }
}

/** @param {Direction} direction @returns {Segment | null} */
function takeReady({next, waiting}) {
  const index = waiting.findIndex(({sequence}) => bytesBetween(sequence, next) >= 0);
  return index === -1 ? null : waiting.splice(index, 1)[0];
}

/** Sequence numbers begin again after 32 bits. @param {number} from @param {number} to @returns {number} negative where `to` is before `from` */
function bytesBetween(from, to) {
  return (to - from) | 0;
}

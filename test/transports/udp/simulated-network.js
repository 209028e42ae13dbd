import {firstSequenceOf, readHeader} from '../../../src/transports/udp/datagram.js';
import {Session} from '../../../src/transports/udp/session.js';

/** @import {Header} from '../../../src/transports/udp/datagram.js' */

/**
 * What happens to a datagram: after which times copies of it arrive; none: it is lost. number: of its direction, from 0
 * @typedef {(datagram: {header: Header, bytes: Buffer, from: 'client' | 'server', number: number}) => number[]} Fate
 *
 * @typedef {{id: number, payload: Buffer}} Message
 */

/** One way, in ms. */
export const travelMs = 0.05;

/** @type {Fate} */
export const nothingIsLost = () => [travelMs];

/**
 * The two ends of a session and the network between them. Time passes only by `run`, so nothing waits.
 */
export class SimulatedNetwork {
  /**
   * @param {{fate?: Fate, id?: number, window?: number, datagramBytes?: number, isBatching?: boolean, answer?: boolean}} [options] answer: whether the
   *   server sends each request back
   */
  constructor({
    fate = nothingIsLost,
    id = 0xfffffffe,
    window = 32,
    datagramBytes = 600,
    isBatching = true,
    answer = true,
  } = {}) {
    this.fate = fate;
    this.nowMs = 0;
    /** In the order of their arrival. @type {{atMs: number, to: 'client' | 'server', bytes: Buffer}[]} */
    this.travelling = [];
    /** All that were sent. @type {{from: 'client' | 'server', header: Header, bytes: Buffer}[]} */
    this.sent = [];
    this.counts = {client: 0, server: 0};
    /** @type {{client: Message[], server: Message[]}} what arrived there */
    this.received = {client: [], server: []};
    /** @type {{client: Error[], server: Error[]}} */
    this.ends = {client: [], server: []};
    const make = (/** @type {'client' | 'server'} */ side) =>
      new Session({
        ...{id, window, room: window, datagramBytes, isBatching},
        now: () => this.nowMs,
        transmit: (datagram, length) => this.#transmit(side, datagram.subarray(0, length)),
        onMessage: (request, payload, session) => {
          this.received[side].push({id: request, payload: Buffer.from(payload)});
          if (side === 'client' || request === 0 || !answer) return;
          session.write(request, payload);
          session.flush();
        },
        onEnd: (error) => this.ends[side].push(error),
        wakeAt: () => {},
      });
    this.client = make('client');
    this.server = make('server');
    this.first = firstSequenceOf(id);
  }

  /** Lets time pass until nothing travels and no timer is set, or for so long. */
  run(forMs = 600_000) {
    const until = this.nowMs + forMs;
    for (;;) {
      const arrival = this.travelling[0]?.atMs ?? Number.POSITIVE_INFINITY;
      const timer = Math.min(this.client.deadline, this.server.deadline);
      const next = Math.min(arrival, timer);
      if (next > until) break;
      this.nowMs = Math.max(this.nowMs, next);
      if (arrival <= timer) this.#arrive();
      else for (const session of [this.client, this.server]) session.tick();
    }
    if (Number.isFinite(until) && forMs < 600_000) this.nowMs = until;
  }

  /** Delivers bytes of anybody. @param {'client' | 'server'} to @param {Buffer} bytes */
  deliver(to, bytes) {
    const header = readHeader(bytes);
    if (header?.session === this[to].id) this[to].receive(header, bytes);
  }

  #arrive() {
    const {to, bytes} = /** @type {{to: 'client' | 'server', bytes: Buffer}} */ (this.travelling.shift());
    this.deliver(to, bytes);
  }

  /** @param {'client' | 'server'} from @param {Buffer} datagram */
  #transmit(from, datagram) {
    const bytes = Buffer.from(datagram);
    const header = /** @type {Header} */ (readHeader(bytes));
    this.sent.push({from, header, bytes});
    const number = this.counts[from];
    this.counts[from] += 1;
    const to = from === 'client' ? 'server' : 'client';
    for (const delayMs of this.fate({header, bytes, from, number}))
      this.travelling.push({atMs: this.nowMs + delayMs, to, bytes});
    this.travelling.sort((one, other) => one.atMs - other.atMs);
  }
}

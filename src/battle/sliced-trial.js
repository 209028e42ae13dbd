import {sum} from 'simple-statistics';
import {shareOfUsage} from '../measure/usage.js';
import {inPhase, named} from '../protocol.js';
import {measureClocks} from './clocks.js';
import {
  cpuBetween,
  foundBy,
  isRestarted,
  marksOf,
  ofTrial,
  outsideOf,
  prepareTrial,
  usedBy,
} from './measure-trial.js';
import {answersOf} from './roles.js';

/**
 * @import {ProcessTimes} from '../measure/types.js'
 * @import {ClientReady, Marked, Result, ServerReady, Slice} from '../messages.js'
 * @import {CpuTimes, MeasuredTrial} from '../results/types.js'
 * @import {RoleClocks, Roles, Sharing, Span, TrialContext, UsedInTurn} from './types.js'
 */

/**
 * A trial that is measured in slices. Between them its processes wait, while those of other trials are measured. What they use then does not count.
 */
export class SlicedTrial {
  /** @type {{clocks: RoleClocks, ready: readonly (ServerReady | ClientReady)[], typicalMs: number | null} | null} */
  #prepared = null;
  /** @type {Span[]} */
  #spans = [];
  /** The time in the slices that does not count. */
  #discardedMs = 0;
  /** What the broker used in each slice. @type {(CpuTimes | null)[]} */
  #brokerUsages = [];
  /** The first reading. @type {ProcessTimes | null} */
  #brokerBegan = null;
  /** The newest one. @type {ProcessTimes | null} */
  #brokerTimes = null;
  /** @type {{results: Result[], marks: Marked[], clocksAfter: RoleClocks} | null} */
  #ended = null;

  /** @param {TrialContext} context @param {Roles} roles */
  constructor(context, roles) {
    this.context = context;
    this.roles = roles;
  }

  /** Warms up. @param {AbortSignal} signal */
  async prepare(signal) {
    this.#prepared = await prepareTrial(this.context, this.roles, signal);
    for (const server of this.roles.servers) server.send({type: 'pause'});
  }

  /** From now on its usage, and that of its hosts, counts. @param {AbortSignal} signal */
  async begin(signal) {
    const {servers, clients} = this.roles;
    await marksOf(servers, signal);
    for (const client of clients) client.send({type: 'go', inSlices: true});
    await answersOf(clients, inPhase('measuring'), {what: 'begin to measure', signal});
    this.#brokerBegan = (await outsideOf(this.context)?.readTimes()) ?? null;
  }

  /** @param {Slice} slice @param {AbortSignal} signal */
  async measure(slice, signal) {
    const {servers, clients} = this.roles;
    const outside = outsideOf(this.context);
    const brokerBefore = (await outside?.readTimes()) ?? null;
    for (const server of servers) server.send({type: 'resume'});
    for (const client of clients) client.send({type: 'slice', slice});
    const awaited = {what: 'end its measurement', ms: ofTrial, signal};
    const measured = await answersOf(clients, inPhase('measured'), awaited);
    for (const server of servers) server.send({type: 'pause'});
    this.#brokerTimes = (await outside?.readTimes()) ?? null;
    this.#brokerUsages.push(cpuBetween(this.#brokerTimes, brokerBefore));
    this.#discardedMs += slice.discardMs;
    this.#spans.push({
      from: measured.map(({fromMs, atMs}) => fromMs ?? atMs),
      to: measured.map(({atMs}) => atMs),
    });
  }

  /** @param {AbortSignal} signal */
  async end(signal) {
    const {servers, clients} = this.roles;
    for (const client of clients) client.send({type: 'end'});
    const marks = await marksOf(servers, signal);
    const results = await answersOf(clients, named('result'), {what: 'send its result', signal});
    this.#brokerTimes = (await outsideOf(this.context)?.readTimes()) ?? null;
    this.#ended = {marks, results, clocksAfter: await measureClocks(this.roles, signal)};
  }

  /** @returns {number | null} the median of the round trips of the warm-up */
  get typicalMs() {
    return this.#prepared?.typicalMs ?? null;
  }

  /** The results of the clients, after `end`. */
  get results() {
    return this.#outcome.results;
  }

  /** What it used of the hosts, in its slices. @returns {UsedInTurn} */
  get used() {
    const {results, marks} = this.#outcome;
    const {hosts} = this.context;
    const outside = outsideOf(this.context);
    return {
      hosts,
      ofBroker: outside && {
        broker: outside,
        hosts: outside.hosts,
        usage: cpuBetween(this.#brokerTimes, this.#brokerBegan),
      },
      used: usedBy(outside, {results, marks, brokerUsage: this.#brokerUsage}),
      wallMs: this.#countedMs,
    };
  }

  get #countedMs() {
    return sum(this.#spans.map(({from, to}) => Math.max(...to) - Math.min(...from)));
  }

  /** @param {Sharing} sharing of the hosts with the other trials @returns {MeasuredTrial} */
  found(sharing) {
    const {results, marks, clocks, clocksAfter, ready} = this.#outcome;
    const {broker} = this.context;
    const received = sum(results.map(({counts}) => counts.received));
    const served = sum(marks.map((mark) => mark.served));
    const share = shareThatCounts({
      received,
      served,
      countedMs: this.#countedMs,
      discardedMs: this.#discardedMs,
    });
    const part = {
      ...{spans: this.#spans, results, sharing},
      marks: marks.map((mark) => countedPart(mark, share)),
      brokerUsage: this.#brokerUsage && shareOfUsage(this.#brokerUsage, share),
      brokerRestarted: isRestarted(broker, this.#brokerTimes),
    };
    return {...foundBy(this.context, part, {clocks, clocksAfter, ready}), slices: this.#spans.length};
  }

  get #outcome() {
    if (!this.#prepared || !this.#ended) throw new TypeError('The trial has not ended.');
    return {...this.#prepared, ...this.#ended};
  }

  /** @returns {CpuTimes | null} */
  get #brokerUsage() {
    const known = this.#brokerUsages.filter((usage) => usage !== null);
    if (known.length === 0 || known.length < this.#brokerUsages.length) return null;
    const peaks = known.flatMap(({maxRssBytes}) => maxRssBytes ?? []);
    return {
      userMs: sum(known.map(({userMs}) => userMs)),
      systemMs: sum(known.map(({systemMs}) => systemMs)),
      maxRssBytes: peaks.length > 0 ? Math.max(...peaks) : null,
    };
  }
}

/**
 * Returns the share of a server's or a broker's work that counts: by numbers of requests, or by time if no server served any. That is so where a broker
 * copies messages itself, and where a server was already there.
 * @param {{received: number, served: number, countedMs: number, discardedMs: number}} trial received, countedMs: in the parts of slices that count
 */
export function shareThatCounts({received, served, countedMs, discardedMs}) {
  return served > 0 ? Math.min(1, received / served) : countedMs / (countedMs + discardedMs);
}

/**
 * Servers and brokers work for the requests at the begin of a slice, too, which do not count: their CPU time is shared out.
 * @param {Marked} mark
 * @param {number} share of the requests that count
 * @returns {Marked}
 */
function countedPart(mark, share) {
  return {...mark, served: Math.round(mark.served * share), usage: shareOfUsage(mark.usage, share)};
}

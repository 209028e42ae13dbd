import {performance} from 'node:perf_hooks';
import {RunError} from '../errors.js';
import {untilAborted} from '../measure/until-aborted.js';
import {ReplyTally} from './check-tally.js';
import {Place} from './flight-place.js';

/**
 * @import {Recorder} from '../measure/recorder.js'
 * @import {Client} from '../transports/index.js'
 * @import {Counts, WorkloadContext} from './index.js'
 * @import {Until} from './load.js'
 */

/** So many windows of requests without a single reply between them, and the server is given up. */
const mostTimeoutsInARow = 3;

const noFailures = {lost: 0, retried: 0, timedOut: 0};

/**
 * Requests in flight, up to a window of them: as soon as a reply is in the next request goes from its place. One watch over all places
 * notices what outlives the timeout.
 */
export class Flight {
  /**
   * @param {Pick<WorkloadContext, 'ring' | 'options' | 'signal'> & {connection: {client: FlightClient}}} context
   * @param {number} window
   * @param {{recorder: Recorder, check: ReplyCheck}} means
   */
  constructor({connection, ring, options, signal}, window, {recorder, check}) {
    this.ring = ring;
    this.options = options;
    this.signal = signal;
    this.client = connection.client;
    this.recorder = recorder;
    this.check = check;
    this.places = Array.from({length: window}, (_, index) => new Place(this, index));
    this.isAhead = window > 1;
    // Bounds of the run, on the flight itself and not integers at first: with objects of another shape for the warm-up V8 would give up the
    // hot path's code when the measured part begins.
    this.most = Number.POSITIVE_INFINITY;
    this.endMs = Number.NEGATIVE_INFINITY;
    this.started = 0;
    this.unanswered = 0;
    this.active = 0;
    this.tally = new ReplyTally(check);
    this.failed = {...noFailures};
  }

  /** Forgets what was counted. @param {Recorder} recorder takes the latencies from now on */
  restart(recorder) {
    this.recorder = recorder;
    this.tally = new ReplyTally(this.check);
    this.failed = {...noFailures};
  }

  /** @returns {Pick<Counts, 'sent' | 'received' | 'lost' | 'verified' | 'reordered' | 'corrupted' | 'retried' | 'timedOut'>} */
  get counts() {
    const {counts} = this.tally;
    return {...counts, ...this.failed, sent: counts.received + this.failed.lost};
  }

  /**
   * Keeps the window full until the end, then waits for what is in flight.
   * @param {Until} until counts requests of this call
   * @throws {RunError} PB_NO_REPLY, or what the transport rejects with when its connection dies
   */
  async run(until) {
    this.started = 0;
    this.unanswered = 0;
    this.most = until.samples;
    this.endMs = until.atMs;
    this.active = this.places.length;
    const done = new Promise((resolve, reject) => {
      this.finish = resolve;
      this.fail = reject;
    });
    const watch = this.#watch();
    try {
      for (const place of this.places) this.#begin(place);
      await untilAborted(done, this.signal);
    } finally {
      clearInterval(watch);
      // What is still in flight when a run fails is nobody's.
      this.places = this.places.map((place) => (place.since > 0 ? place.giveUp() : place));
    }
  }

  /** Ends the run. @type {(value?: unknown) => void} */
  finish = () => {};

  /** Ends the run with an error. @type {(error: unknown) => void} */
  fail = () => {};

  /**
   * The hot path. With one request in flight the reply is looked at before the next goes; with several, where there is no moment at which
   * nothing is timed, the next goes first.
   * @param {Place} place
   * @param {any} reply
   */
  take(place, reply) {
    const now = performance.now();
    const {sequence, slot} = place;
    const elapsedMs = now - place.since + place.spentMs;
    const goesOn = this.#mayStart(now);
    if (goesOn && this.isAhead) this.#send(place, now, 0, 0);
    this.recorder.record(elapsedMs);
    this.unanswered = 0;
    this.tally.take(reply, sequence, slot);
    if (!goesOn) this.#leave(place);
    else if (!this.isAhead) this.#send(place, performance.now(), 0, 0);
  }

  /** @param {Place} place */
  #begin(place) {
    const now = performance.now();
    if (this.#mayStart(now)) this.#send(place, now, 0, 0);
    else this.#leave(place);
  }

  /** @param {Place} place that has nothing more to do */
  #leave(place) {
    place.since = 0;
    this.active -= 1;
    if (this.active === 0) this.finish();
  }

  /** @param {number} now @returns {boolean} whether one more may be started, which then counts as started */
  #mayStart(now) {
    if (now >= this.endMs || this.started >= this.most) return false;
    this.started += 1;
    return true;
  }

  /**
   * @param {Place} place
   * @param {number} now
   * @param {number} spentMs
   * @param {number} attempts that were made of this request
   */
  #send(place, now, spentMs, attempts) {
    const {client, ring} = this;
    place.sequence = ring.taken;
    place.turnSlot(this.places.length, ring.payloads.length);
    place.since = now;
    place.spentMs = spentMs;
    place.attempts = attempts;
    const request = ring.take(place.slot);
    if (client.ask) {
      client.ask(request, place);
      return;
    }
    const reply = client.request(request);
    // A promise that is kept keeps its reply, and that the whole chunk which it came in.
    if (client.abandon) place.reply = reply;
    reply.then(
      (message) => place.resolve(message),
      (error) => place.reject(error),
    );
  }

  #watch() {
    const {timeoutMs} = this.options;
    return setInterval(
      () => {
        const now = performance.now();
        for (const place of this.places) {
          if (place.since > 0 && now - place.since >= timeoutMs) this.#timeOut(place, now);
        }
      },
      Math.max(1, Math.min(1000, timeoutMs / 8)),
    );
  }

  /**
   * A request has outlived the timeout: it is sent again, or lost. A reply that comes late names a request that nobody waits for.
   * @param {Place} place
   * @param {number} now
   */
  #timeOut(place, now) {
    const {failed, client} = this;
    const {retries, timeoutMs} = this.options;
    failed.timedOut += 1;
    this.unanswered += 1;
    const spentMs = place.spentMs + now - place.since;
    const {attempts} = place;
    if (place.reply) client.abandon?.(place.reply);
    const heir = place.giveUp();
    this.places[place.index] = heir;
    if (this.unanswered >= mostTimeoutsInARow * this.places.length * (1 + retries)) {
      const message = `${this.unanswered} requests in a row had no reply within ${timeoutMs} ms (--timeout).`;
      return this.fail(new RunError(message, {code: 'PB_NO_REPLY'}));
    }
    if (attempts < retries) {
      failed.retried += 1;
      this.#send(heir, now, spentMs, attempts + 1);
    } else {
      failed.lost += 1;
      this.recorder.record(spentMs);
      this.#begin(heir);
    }
  }
}

/**
 * @typedef {object} FlightClient what a flight sees of a client; replies are messages, or what is made of them
 * @property {(request: Buffer) => Promise<any>} request
 * @property {Client['ask']} [ask]
 * @property {(reply: Promise<any>) => void} [abandon]
 *
 * @typedef {{check(reply: any, sequence: number, content?: number): boolean}} ReplyCheck
 */

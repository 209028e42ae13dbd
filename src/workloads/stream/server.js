import {performance} from 'node:perf_hooks';
import {originMs} from '../../measure/clock.js';
import {Recorder} from '../../measure/recorder.js';
import {readPayloadFile} from '../../payload/bytes.js';
import {MessageCheck, SequenceTracker} from '../../payload/message-check.js';
import {makeTemplates, PayloadRing} from '../../payload/ring.js';
import {
  clientOf,
  intendedTimeOf,
  isClosingCall,
  minNumberedBytes,
  minTimedBytes,
  sentTimeOf,
  sequenceOf,
  timedBytes,
} from '../../payload/stamp.js';
import {CheckTally} from '../check-tally.js';
import {describeReport, quietMs} from '../describe-report.js';
import {samplesKept} from '../load.js';

/**
 * @import {Report, ServerSettings} from '../../messages.js'
 * @import {MakeHandler} from '../workload.js'
 */

/** @typedef {Omit<ServerSettings, 'workload' | 'timeoutMs' | 'noDelay' | 'listenAddress'> & {rate: number | null, verify: number}} ReceiveSettings */

/**
 * Receives one-way messages. It counts them exactly, times them from the first to the last, and compares their contents.
 * @type {MakeHandler<ReceiveSettings>}
 */
export async function makeStreamHandler({options}) {
  const check = await makeCheck(options);
  const begin = () => new Burst(check, options.rate !== null, options.clockAhead);
  let receiver = begin();
  const restart = () => {
    receiver = begin();
  };
  return {
    onRequest(message, reply) {
      if (isClosingCall(message)) return reply.end(message);
      if (receiver.isReported && !receiver.continuesWith(message)) restart();
      receiver.take(message);
      reply.end();
    },
    reset: restart,
    report: () => receiver.report(),
    received: () => receiver.distinct,
    // At a low rate, later reports repeat the earlier messages.
    reportByHand(print) {
      if (receiver.count === 0 || receiver.isReported || performance.now() - receiver.lastAt < quietMs)
        return;
      const report = receiver.report();
      print(describeReport(report, receiver.missing), report);
      receiver.isReported = true;
    },
  };
}

/**
 * In a battle the receiver knows the expected contents, because they follow from the seed. By hand it does not know them.
 * @param {ReceiveSettings} settings
 */
export async function makeCheck({payloadBytes, payloadFile, seed, verify, knownPayload, rate}) {
  if (!knownPayload) return null;
  const content = payloadFile ? readPayloadFile(payloadFile) : undefined;
  const templates = makeTemplates({payloadBytes, seed}, content);
  const check = new MessageCheck(new PayloadRing(templates), {
    answer: 'echo',
    every: verify,
    anyClient: true,
  });
  if (rate !== null && payloadBytes >= minTimedBytes) check.from = timedBytes;
  return check;
}

const nothingCompared = {verified: 0, corrupted: 0, mismatch: null};

/** The messages since the start of the measured part; by hand, the messages of one client run. */
class Burst {
  /**
   * @param {MessageCheck | null} check @param {boolean} isTimed whether messages contain their send times
   * @param {readonly number[]} [clockAhead] how far this host's clock is ahead of each client's, in ms
   */
  constructor(check, isTimed, clockAhead = []) {
    this.clockAhead = clockAhead;
    this.tally = check && new CheckTally(check);
    this.clockOffsetMs = originMs;
    /** Whether a report by hand includes all messages so far. */
    this.isReported = false;
    this.count = 0;
    this.bytes = 0;
    this.unnumbered = 0;
    this.lowest = Number.POSITIVE_INFINITY;
    this.firstAt = 0;
    this.lastAt = 0;
    /** By client. @type {Map<number, SequenceTracker>} */
    this.trackers = new Map();
    this.response = isTimed ? new Recorder(samplesKept) : null;
    this.service = isTimed ? new Recorder(samplesKept) : null;
  }

  /** @param {Buffer} message */
  take(message) {
    const now = performance.now();
    if (this.count === 0) this.firstAt = now;
    this.lastAt = now;
    this.isReported = false;
    this.count += 1;
    this.bytes += message.length;
    const sequence = this.#track(message);
    if (this.response && message.length >= minTimedBytes) this.#time(message, now + this.clockOffsetMs);
    if (sequence !== null) this.tally?.take(message, sequence);
  }

  /** A new client run starts with number 0 again. @param {Buffer} message */
  continuesWith(message) {
    if (message.length < minNumberedBytes) return false;
    const tracker = this.trackers.get(clientOf(message));
    return tracker !== undefined && sequenceOf(message) > tracker.highest;
  }

  /** Number of distinct messages, as far as they can be distinguished. */
  get distinct() {
    return this.unnumbered + this.#total((tracker) => tracker.distinct);
  }

  /** @returns {Report} */
  report() {
    const {count, bytes, tally, lowest, firstAt, lastAt, clockOffsetMs} = this;
    const {verified, corrupted, mismatch} = tally ?? nothingCompared;
    return {
      ...{messages: count, bytes, distinct: this.distinct, verified, corrupted, mismatch},
      lowestMs: Number.isFinite(lowest) ? lowest : null,
      duplicated: this.#total((tracker) => tracker.duplicated),
      reordered: this.#total((tracker) => tracker.reordered),
      firstMs: firstAt + clockOffsetMs,
      lastMs: lastAt + clockOffsetMs,
      response: encodeSome(this.response),
      service: encodeSome(this.service),
    };
  }

  /** Number of missing messages with lower numbers than the highest received number. */
  get missing() {
    return this.#total((tracker) => tracker.highest + 1 - tracker.distinct);
  }

  /** @param {Buffer} message @returns {number | null} its number; null if it is too short for a number */
  #track(message) {
    if (message.length < minNumberedBytes) {
      this.unnumbered += 1;
      return null;
    }
    const client = clientOf(message);
    let tracker = this.trackers.get(client);
    if (!tracker) {
      tracker = new SequenceTracker();
      this.trackers.set(client, tracker);
    }
    const sequence = sequenceOf(message);
    tracker.add(sequence);
    return sequence;
  }

  /** @param {Buffer} message @param {number} nowMs by the clock that both ends share */
  #time(message, nowMs) {
    const sameClockMs = nowMs - (this.clockAhead[clientOf(message)] ?? 0);
    const service = sameClockMs - sentTimeOf(message);
    if (service < this.lowest) this.lowest = service;
    // A negative time within the error of the clocks counts as zero. The battle rejects lower times, and withholds times of this size.
    this.response?.record(Math.max(0, sameClockMs - intendedTimeOf(message)));
    this.service?.record(Math.max(0, service));
  }

  /** @param {(tracker: SequenceTracker) => number} figureOf */
  #total(figureOf) {
    let total = 0;
    for (const tracker of this.trackers.values()) total += figureOf(tracker);
    return total;
  }
}

/** @param {Recorder | null} recorder */
function encodeSome(recorder) {
  return recorder && recorder.count > 0 ? recorder.finish().encode() : null;
}

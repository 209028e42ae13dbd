import {outcomes} from '../measure/message-log.js';

/**
 * @import {Log} from '../measure/message-log.js'
 * @import {Account, Outage, Timeline} from './found.js'
 */

/**
 * @param {Pick<Log, 'messages' | 'startMs' | 'sentMs' | 'settledMs' | 'outcomes' | 'retried'>} log the log of the sender
 * @param {Seen | null} seen the numbers of the messages that came out of the queue; null for requests, whose replies show that they were received
 * @param {{sentMs: number, settledMs: number}} [until] counts only messages sent, and outcomes known, by these times of the host's monotonic clock
 * @returns {Account}
 *
 * @typedef {{received: ReadonlySet<number>, acknowledged: ReadonlySet<number> | null}} Seen acknowledged: by the consumer; null if unknown
 */
export function accountOf(log, seen, until) {
  const sentBy = until ? until.sentMs - log.startMs : Number.POSITIVE_INFINITY;
  const settledBy = until ? until.settledMs - log.startMs : Number.POSITIVE_INFINITY;
  const account = {
    ...{sent: 0, confirmed: 0, refused: 0, open: 0, retried: 0},
    ...{received: 0, lost: 0, confirmedLost: 0, unconfirmedReceived: 0},
    acknowledged: seen?.acknowledged ? 0 : null,
  };
  for (let sequence = 0; sequence < log.messages; sequence += 1) {
    if (log.sentMs[sequence] > sentBy) continue;
    const isSettled = log.settledMs[sequence] <= settledBy;
    const outcome = isSettled ? log.outcomes[sequence] : outcomes.open;
    const isConfirmed = outcome === outcomes.taken;
    const isReceived = seen === null ? isConfirmed : seen.received.has(sequence);
    account.sent += 1;
    if (log.retried.has(sequence)) account.retried += 1;
    if (isConfirmed) account.confirmed += 1;
    else if (outcome === outcomes.refused) account.refused += 1;
    else account.open += 1;
    if (isReceived) account.received += 1;
    else account.lost += 1;
    // A corrupted message may have been acknowledged, too, but it does not count as received.
    if (account.acknowledged !== null && isReceived && seen?.acknowledged?.has(sequence))
      account.acknowledged += 1;
    if (isConfirmed && !isReceived) account.confirmedLost += 1;
    if (!isConfirmed && isReceived) account.unconfirmedReceived += 1;
  }
  return account;
}

/** A message sent with a longer delay is not on time. */
const onTimeMs = 50;

/**
 * The outage around a fault is the longest time without a good reply (a confirm, or the right reply) that overlaps the fault. If nothing is
 * confirmed, sends count instead of replies.
 * @param {Log} log
 * @param {{fromMs: number, untilMs: number | null, servedMs?: number | null, endMs: number}} fault by the host's monotonic clock. fromMs: the beginning of
 *   the fault; untilMs: the return of its target, null if the target stayed down; servedMs: the return of the servers that ended with the target, by
 *   default that of the target; endMs: the end of the counted part of the log
 * @returns {Outage}
 */
export function outageOf(log, {fromMs, untilMs, servedMs = untilMs, endMs}) {
  const [from, end] = [fromMs, endMs].map((ms) => ms - log.startMs);
  const goodAt = goodTimes(log);
  if (untilMs === null) return outageWithoutRestart(log, goodAt, {from, end});
  const until = untilMs - log.startMs;
  const served = (servedMs ?? untilMs) - log.startMs;
  const gap = longestGap(goodAt, {from, until: served, end});
  const restartMs = until - from;
  const backAt = firstOnTime(log, until, end);
  return {
    ms: gap && gap.to - gap.from,
    restartMs,
    recoveryMs: gap && Math.max(0, gap.to - until),
    rateBackMs: backAt === null ? null : backAt - until,
    worstMs: worstResponse(log, from, end),
  };
}

/** A pause of a busy host can be this long. */
const pauseMs = 500;

/**
 * The outage if the target stays down and others take over. The outage has no end if the time without a good reply at the end of the log is the
 * longest since the fault, and longer than a pause.
 * @param {Log} log @param {Float32Array} goodAt @param {{from: number, end: number}} fault
 */
function outageWithoutRestart(log, goodAt, {from, end}) {
  const gap = longestGap(goodAt, {from, until: end, end, isDown: true});
  const last = goodAt.findLast((time) => time <= end) ?? 0;
  const hasEnd = gap !== null && end - last <= Math.max(pauseMs, gap.to - gap.from);
  return {
    ...{ms: hasEnd ? gap.to - gap.from : null, restartMs: null, recoveryMs: null, rateBackMs: null},
    worstMs: worstResponse(log, from, end),
  };
}

/** @param {Log} log @returns {Float32Array} in ascending order */
function goodTimes({messages, settles, outcomes: all, sentMs, settledMs}) {
  const isTaken = (/** @type {number} */ _, /** @type {number} */ sequence) =>
    all[sequence] === outcomes.taken;
  const replies = settledMs.subarray(0, messages).filter(isTaken);
  return (settles ? replies : sentMs.slice(0, messages)).sort();
}

/**
 * @param {Float32Array} times ascending
 * @param {{from: number, until: number, end: number, isDown?: boolean}} fault isDown: the target stays down
 * @returns {{from: number, to: number} | null} null without a good reply after the fault
 */
function longestGap(times, {from, until, end, isDown = false}) {
  /** @type {{from: number, to: number} | null} */
  let longest = null;
  for (let index = 0; index < times.length && times[index] <= end; index += 1) {
    const to = times[index];
    const since = index === 0 ? 0 : times[index - 1];
    if (to <= from || since > until) continue;
    if (longest === null || to - since > longest.to - longest.from) longest = {from: since, to};
  }
  const last = times.findLast((time) => time <= end) ?? 0;
  // A reply that arrives before the target returns may have been on its way at the time of the fault.
  const hasReturned = isDown || last > until;
  return hasReturned ? longest : null;
}

/** @param {Log} log @param {number} after @param {number} end */
function firstOnTime(log, after, end) {
  for (let sequence = 0; sequence < log.messages; sequence += 1) {
    const at = log.sentMs[sequence];
    if (at > end) return null;
    if (at >= after && at - dueMs(log, sequence) <= onTimeMs) return at;
  }
  return null;
}

/** The time at which a message was due. @param {Log} log @param {number} sequence @returns {number} ms since the start */
function dueMs({rate, sentMs}, sequence) {
  return rate === null ? sentMs[sequence] : (sequence * 1000) / rate;
}

/** @param {Log} log @param {number} from @param {number} end */
function worstResponse(log, from, end) {
  const {messages, outcomes: all, settledMs} = log;
  let worst = null;
  for (let sequence = 0; sequence < messages; sequence += 1) {
    if (all[sequence] !== outcomes.taken) continue;
    const at = settledMs[sequence];
    if (at < from || at > end) continue;
    worst = Math.max(worst ?? 0, at - dueMs(log, sequence));
  }
  return worst;
}

/**
 * How late a load was when a fault first hit it: the time since the next message was due. A load that its target does not sustain falls behind.
 * @param {Log} log @param {readonly {fromMs: number}[]} strikes by the host's monotonic clock
 */
function behindMs(log, [first]) {
  if (log.rate === null || first === undefined) return null;
  const from = first.fromMs - log.startMs;
  const sent = log.sentMs.subarray(0, log.messages).filter((at) => at <= from).length;
  return Math.max(0, from - dueMs(log, sent));
}

const partsAtMost = 60;
const leastPartMs = 100;

/** @param {Log} log @param {readonly {fromMs: number, untilMs: number}[]} strikes by the host's monotonic clock @returns {Timeline} */
export function timelineOf(log, strikes) {
  const {messages, startMs, settles: isConfirmed, outcomes: all, sentMs, settledMs} = log;
  // Nothing is sent while the target is absent, so the timeline lasts at least until its return.
  const goneMs = strikes.reduce((last, {untilMs}) => Math.max(last, untilMs - startMs), 0);
  const lastMs = sentMs.subarray(0, messages).reduce((last, at) => Math.max(last, at), goneMs);
  const partMs = Math.max(leastPartMs, Math.ceil(lastMs / partsAtMost / leastPartMs) * leastPartMs);
  // The last part, which is incomplete, is omitted.
  const parts = Math.max(1, Math.floor(lastMs / partMs));
  const counts = new Array(parts).fill(0);
  /** @type {(number | null)[]} */
  const worstMs = new Array(parts).fill(null);
  for (let sequence = 0; sequence < messages; sequence += 1) {
    if (isConfirmed && all[sequence] !== outcomes.taken) continue;
    const at = isConfirmed ? settledMs[sequence] : sentMs[sequence];
    const part = Math.floor(at / partMs);
    if (part >= parts) continue;
    counts[part] += 1;
    if (isConfirmed) worstMs[part] = Math.max(worstMs[part] ?? 0, at - dueMs(log, sequence));
  }
  return {
    partMs,
    isConfirmed,
    rate: log.rate,
    behindMs: behindMs(log, strikes),
    goodPerSecond: counts.map((count) => (count * 1000) / partMs),
    worstMs,
    faults: strikes.map(({fromMs, untilMs}) => ({fromMs: fromMs - startMs, untilMs: untilMs - startMs})),
  };
}

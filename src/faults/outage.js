import {outcomes} from '../measure/message-log.js';

/**
 * @import {Log} from '../measure/message-log.js'
 */

/**
 * How long a load was interrupted. All in ms.
 * @typedef {object} Outage
 * @property {number | null} ms from the last good reply before to the first one after; null: none came after
 * @property {number} restartMs of it, until what was hit was there again
 * @property {number | null} recoveryMs from then until the first good reply
 * @property {number | null} rateBackMs from when it was there again until messages were sent on time again; null: not before the end
 * @property {number | null} worstMs the longest time from when a message was due to its reply
 */

/** A message is sent on time if it is at most so late. */
const onTimeMs = 50;

/**
 * The outage around a fault: the longest time without a good reply (a confirm, or the right reply) that touches the time of the fault. Where nothing is
 * confirmed, the sends take the place of the replies.
 * @param {Log} log
 * @param {{fromMs: number, untilMs: number, endMs: number}} fault when it was done, when what it hit was there again, and until when the log counts; by the monotonic
 *   clock of the host
 * @returns {Outage}
 */
export function outageOf(log, {fromMs, untilMs, endMs}) {
  const [from, until, end] = [fromMs, untilMs, endMs].map((ms) => ms - log.startMs);
  const goodAt = goodTimes(log);
  const gap = longestGap(goodAt, {from, until, end});
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

/** @param {Log} log @returns {Float32Array} in ascending order */
function goodTimes({messages, settles, outcomes: all, sentMs, settledMs}) {
  const isTaken = (/** @type {number} */ _, /** @type {number} */ sequence) =>
    all[sequence] === outcomes.taken;
  const replies = settledMs.subarray(0, messages).filter(isTaken);
  return (settles ? replies : sentMs.slice(0, messages)).sort();
}

/**
 * @param {Float32Array} times ascending
 * @param {{from: number, until: number, end: number}} fault
 * @returns {{from: number, to: number} | null} null: no good reply after the fault
 */
function longestGap(times, {from, until, end}) {
  /** @type {{from: number, to: number} | null} */
  let longest = null;
  for (let index = 0; index < times.length && times[index] <= end; index += 1) {
    const to = times[index];
    const since = index === 0 ? 0 : times[index - 1];
    if (to <= from || since > until) continue;
    if (longest === null || to - since > longest.to - longest.from) longest = {from: since, to};
  }
  const last = times.findLast((time) => time <= end) ?? 0;
  // What was on its way at the moment of the fault may still have come.
  const hasReturned = last > until;
  return hasReturned ? longest : null;
}

/** @param {Log} log @param {number} after @param {number} end */
function firstOnTime({messages, sentMs, rate}, after, end) {
  for (let sequence = 0; sequence < messages; sequence += 1) {
    const at = sentMs[sequence];
    if (at > end) return null;
    if (at >= after && at - (sequence * 1000) / rate <= onTimeMs) return at;
  }
  return null;
}

/** @param {Log} log @param {number} from @param {number} end */
function worstResponse({messages, outcomes: all, settledMs, rate}, from, end) {
  let worst = null;
  for (let sequence = 0; sequence < messages; sequence += 1) {
    if (all[sequence] !== outcomes.taken) continue;
    const at = settledMs[sequence];
    if (at < from || at > end) continue;
    worst = Math.max(worst ?? 0, at - (sequence * 1000) / rate);
  }
  return worst;
}

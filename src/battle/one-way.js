import {RunError} from '../errors.js';

/**
 * One-way latencies compare the clocks of two hosts, so they are known only as far as the clocks are.
 *
 * @import {Marked} from '../protocol.js'
 */

/**
 * What a server received, by our clock.
 * @param {Marked} mark
 * @param {number} offsetMs how far the server's clock is ahead of ours
 * @returns {Marked}
 */
export function onOurClock(mark, offsetMs) {
  const {report} = mark;
  if (!report) return mark;
  const {firstMs, lastMs} = report;
  return {...mark, report: {...report, firstMs: firstMs - offsetMs, lastMs: lastMs - offsetMs}};
}

/**
 * How far the clocks of a trial with one-way latencies may be apart.
 * @param {readonly Marked[]} marks
 * @param {number} clockBoundMs 0 on one host
 * @returns {{clockBoundMs: number} | null} null where there are no such latencies, or no doubt of them
 * @throws {RunError} PB_NEGATIVE_LATENCY when a latency is below zero by more than the bound: then the bound is wrong
 */
export function oneWayOf(marks, clockBoundMs) {
  const reports = marks.flatMap(({report}) => report ?? []);
  const lowest = Math.min(...reports.map(({lowestMs = null}) => lowestMs ?? Number.POSITIVE_INFINITY));
  if (lowest < -clockBoundMs) throw negativeLatency(lowest, clockBoundMs);
  const areTimed = reports.some(({response}) => response !== null);
  return areTimed && clockBoundMs > 0 ? {clockBoundMs} : null;
}

/** @param {number} lowestMs @param {number} clockBoundMs */
function negativeLatency(lowestMs, clockBoundMs) {
  const bound =
    clockBoundMs === 0 ? 'on one host' : `with clocks at most ${clockBoundMs.toFixed(4)} ms apart`;
  return new RunError(
    `A message arrived ${(-lowestMs).toFixed(4)} ms before it was sent, ${bound}: the clocks of sender and receiver differ, so no latency can be measured.`,
    {code: 'PB_NEGATIVE_LATENCY'},
  );
}

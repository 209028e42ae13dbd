/** @import {Report} from '../messages.js' */

/** A server by hand reports one-way messages when no message has arrived for this time, in ms. */
export const quietMs = 500;

/**
 * Describes the messages that a server by hand has received.
 * @param {Report} report
 * @param {number | null} missing messages that should have come before the last one; null if unknown
 * @returns {string} two lines
 */
export function describeReport(
  {messages, bytes, distinct, duplicated, reordered, firstMs, lastMs},
  missing = null,
) {
  const seconds = (lastMs - firstMs) / 1000;
  const rate = messages > 1 ? `${roundRate((messages - 1) / seconds)} messages/s` : 'no rate of one message';
  const gaps = missing === null ? '' : `${missing} missing before the last, `;
  return [
    `received ${messages} ${messages === 1 ? 'message' : 'messages'}, ${bytes} bytes, in ${seconds.toFixed(3)} s: ${rate}`,
    `  ${distinct} distinct, ${gaps}${duplicated} duplicated, ${reordered} out of order`,
  ].join('\n');
}

/** Rounds a rate for the output by hand: to a whole number, or a low rate to three digits. @param {number} perSecond */
export function roundRate(perSecond) {
  return perSecond < 100 ? Number(perSecond.toPrecision(3)) : Math.round(perSecond);
}

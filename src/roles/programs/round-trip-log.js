import {MessageLog, outcomes} from '../../measure/message-log.js';
import {notAllowed} from './contract.js';

/**
 * @import {EncodedLog} from '../../measure/types.js'
 * @import {ProgramResult} from './contract.js'
 */

/**
 * Makes the log of a steady load from the round trips of a program, one after another. A program reports the time of each round trip, but not the
 * time between two of them, which is divided equally.
 * @param {Pick<ProgramResult, 'samplesNs' | 'received'>} result
 * @param {{startMs: number, wallMs: number}} part startMs: by the host's monotonic clock; wallMs: from the first request to the last reply
 * @returns {EncodedLog}
 * @throws {RunError} PB_ADAPTER if the result has no samples
 */
export function logOfRoundTrips({samplesNs, received = 0}, {startMs, wallMs}) {
  if (samplesNs === undefined)
    throw notAllowed('The program of the client wrote a result without samplesNs, which faults account for.');
  const times = samplesNs.map((ns) => ns / 1e6);
  const sumMs = times.reduce((sum, ms) => sum + ms, 0);
  const betweenMs = Math.max(0, wallMs - sumMs) / times.length;
  // The time of a lost request is its timeout, and so longer than the time of any reply.
  const longestReplyMs = times.toSorted((one, other) => one - other)[received - 1] ?? 0;
  const log = new MessageLog({startMs, rate: null, settles: true});
  let nowMs = 0;
  for (const ms of times) {
    const sequence = log.send(nowMs);
    if (ms <= longestReplyMs) log.settle(sequence, outcomes.taken, nowMs + ms);
    nowMs += ms + betweenMs;
  }
  return log.encode();
}

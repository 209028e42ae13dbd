import {setTimeout as sleep} from 'node:timers/promises';
import {MessageCheck} from '../../payload/message-check.js';
import {waitForStraysMs} from '../load.js';
import {measureWindow} from '../measure-window.js';

/**
 * @import {Answer} from '../../payload/message-check.js'
 * @import {RunError} from '../../errors.js'
 * @import {PayloadRing} from '../../payload/ring.js'
 * @import {WorkloadContext, WorkloadResult} from '../workload.js'
 */

/**
 * Keeps a window of requests in flight. The latency of a request is the time of its request call. The rate counts all requests, from the
 * first send to the last reply.
 * @param {WorkloadContext<{window: number, answer: Answer, verify: number, retries: number}>} context
 * @returns {Promise<WorkloadResult>}
 * @throws {RunError} PB_NO_REPLY, or the error of the transport when its connection is lost
 */
export async function measurePipeline(context) {
  const {options, connection} = context;
  const checkOf = (/** @type {PayloadRing} */ ring) =>
    new MessageCheck(ring, {answer: options.answer, every: options.verify});
  const {recorder, window, ms, ...rest} = await measureWindow(context, {client: connection.client, checkOf});
  await sleep(waitForStraysMs);
  const {counts, tally} = window;
  return {
    ...rest,
    latency: recorder.finish(),
    windows: recorder.windows(),
    timed: {messages: counts.received, ms},
    counts: {...counts, duplicated: context.takeStrays()},
    mismatch: tally.mismatch,
  };
}

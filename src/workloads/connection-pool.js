import {Recorder} from '../measure/recorder.js';
import {MessageCheck} from '../payload/message-check.js';
import {RequestWindow} from './request-window.js';
import {maxAtOnce} from './schedule.js';

/**
 * @import {Answer} from '../payload/message-check.js'
 * @import {WorkloadContext} from './workload.js'
 */

/** The mean number in flight is exceeded now and then. */
const reserve = 2;

/**
 * How many connections an open loop needs whose requests in flight have one each: a multiple of the mean number in flight, which is the rate
 * times the service time (Little's law), and at least as many as a sender that is behind sends at once.
 * @param {{rate: number, serviceMs: number, limit: number}} load rate: messages per second of this client; limit: of its window
 */
export function connectionsNeeded({rate, serviceMs, limit}) {
  const inFlight = (rate * serviceMs) / 1000;
  return Math.min(limit, Math.max(maxAtOnce, Math.ceil(reserve * inFlight)));
}

/**
 * Opens connections before anything is measured: each request in flight needs its own.
 * @param {WorkloadContext<{answer: Answer, retries: number}>} context
 * @param {number} count
 * @returns {Promise<number>} the requests that were sent
 */
export async function openConnections(context, count) {
  const {ring, options} = context;
  const check = new MessageCheck(ring, {answer: options.answer, every: 1});
  const recorder = new Recorder(count + 1);
  await new RequestWindow(context, count, {recorder, check}).run({
    samples: count,
    atMs: Number.POSITIVE_INFINITY,
  });
  return recorder.count;
}

import {setTimeout as sleep} from 'node:timers/promises';
import {Recorder} from '../../measure/recorder.js';
import {readUsage, usageSince} from '../../measure/usage.js';
import {MessageCheck} from '../../payload/message-check.js';
import {connectionsNeeded, openConnections} from '../connection-pool.js';
import {samplesKept, waitForStraysMs} from '../load.js';
import {loadOfOpenPart, partsOf, warmUpWindow} from '../measure-window.js';
import {distanceMs, rateOfAll, sendOnSchedule, timeUntil} from '../schedule.js';
import {isOpenLoop} from './index.js';
import {Requests} from './requests.js';

/**
 * @import {RunError} from '../../errors.js'
 * @import {OpenLoopDistributions, OpenLoopNotes} from '../../results/trial.js'
 * @import {Histogram} from '../../stats/histogram.js'
 * @import {LoadSettings, WorkloadContext, WorkloadResult} from '../workload.js'
 * @import {OpenLoopSettings} from './requests.js'
 */

/** @typedef {LoadSettings & OpenLoopSettings & {rate: number}} Load rate: messages per second of all clients together */

/**
 * Requests at times fixed beforehand. The response time counts from the intended time of a request, so that it includes waiting for a busy
 * transport (Gil Tene, "How NOT to Measure Latency"). The service time counts from the actual send. The send lag is the difference.
 *
 * @param {WorkloadContext<OpenLoopSettings & {rate: number | null}>} context
 * @returns {Promise<WorkloadResult<{beside: OpenLoopDistributions<Histogram>, notes: OpenLoopNotes}>>}
 * @throws {RunError} PB_NO_REPLY, or what the transport rejects with when its connection dies
 */
export async function measureResponseTimes(context) {
  const {options} = context;
  if (!isOpenLoop(options)) throw new TypeError('Response times need a rate.');
  const warmUp = await warmUpForRate(context);
  await context.warmedUp();
  const opened = context.connection.client.connections;
  const openedBefore = opened?.() ?? 0;
  const result = await requestAtRate(context, options);
  context.onMeasured();
  const askedPerSecond = rateOfAll([result.schedule]);
  const notes = {askedPerSecond, ...(opened && {connectionsOpened: opened() - openedBefore})};
  return {...result, notes, warmUp};
}

/**
 * The requests of one rate, from the first send until the last is answered or given up.
 * @param {WorkloadContext<OpenLoopSettings>} context
 * @param {Load} load
 */
export async function requestAtRate(context, load) {
  const check = new MessageCheck(context.ring, {answer: load.answer, every: load.verify});
  const requests = new Requests(context, check, samplesToKeep(load));
  const before = readUsage();
  try {
    const send = (/** @type {number} */ intended, /** @type {number} */ now) => requests.send(intended, now);
    const sending = sendOnSchedule(load, {send, signal: context.signal});
    const {schedule, nextAt} = await Promise.race([sending, requests.failed]);
    await Promise.race([requests.settled(), requests.failed]);
    const usage = usageSince(before);
    await sleep(waitForStraysMs);
    const result = requests.result();
    const timed = {messages: result.counts.received, ms: timeUntil(requests.lastAt, {schedule, nextAt})};
    return {...result, timed, usage, schedule};
  } finally {
    requests.close();
  }
}

/** The rate of the closed part is computed from this many samples, the newest ones, because they are the warmest. */
const newestSamples = 1000;

/**
 * Warms up with a closed loop first, then with an open one. In between, a client that opens connections as they are needed opens all that the
 * open loop will need: opening them while requests are due would delay these.
 * @param {WorkloadContext<OpenLoopSettings & {rate?: number | null}>} context
 * @returns {Promise<WorkloadResult['warmUp']>}
 */
export async function warmUpForRate(context) {
  const {options, connection} = context;
  const {free, open} = partsOf(options.warmUp);
  const recorder = new Recorder();
  const {warmUp} = await warmUpWindow({...context, options: {...options, warmUp: free}}, 1, {
    ...{client: connection.client, recorder},
    checkOf: (ring) => new MessageCheck(ring, {answer: options.answer, every: 1}),
  });
  if (recorder.count === 0 || open.samples === 0) return warmUp;
  const serviceMs = recorder.medianSince(recorder.count - newestSamples);
  const opening = connection.client.connections ? await openForLoad(context, open.samples, serviceMs) : 0;
  const samples = open.samples === null ? null : open.samples - opening;
  const load = loadOfOpenPart(options, {...open, samples}, serviceMs);
  const sent = samples === 0 ? 0 : (await requestAtRate(context, load)).counts.sent;
  return {...warmUp, discarded: warmUp.discarded + opening + sent};
}

/**
 * @param {WorkloadContext<OpenLoopSettings & {rate?: number | null}>} context
 * @param {number | null} samples at most
 * @param {number} serviceMs
 * @returns {Promise<number>} the requests that opened connections
 */
function openForLoad(context, samples, serviceMs) {
  const {rate, clients = 1} = context.options;
  const limit = Math.min(samples ?? Number.POSITIVE_INFINITY, context.ring.payloads.length);
  // Without a rate, one is searched: what a closed loop reaches is of its order.
  const own = rate ? rate / clients : 1000 / serviceMs;
  return openConnections(context, connectionsNeeded({rate: own, serviceMs, limit}));
}

/**
 * How many samples to keep: the expected number and some more, because Poisson arrivals vary. Allocating memory for very many triggers a
 * garbage collection while the first messages are in flight.
 * @param {Load} load
 */
function samplesToKeep(load) {
  const {samples, durationMs} = load;
  const ofDuration = (durationMs ?? Number.POSITIVE_INFINITY) / distanceMs(load);
  const expected = Math.min(samples ?? Number.POSITIVE_INFINITY, ofDuration);
  return Math.min(samplesKept, Math.ceil(1.1 * expected) + 4096);
}

import {performance} from 'node:perf_hooks';
import {Recorder} from '../measure/recorder.js';
import {pauseUsage, readUsage, resumeUsage, shareOfUsage, usageSince} from '../measure/usage.js';
import {boundsOf, samplesKept, warmUpBy} from './load.js';
import {RequestWindow} from './request-window.js';

/**
 * @import {RunError} from '../errors.js'
 * @import {Reading, WarmUp} from '../measure/types.js'
 * @import {PayloadRing} from '../payload/ring.js'
 * @import {WindowClient} from './request-window.js'
 * @import {ReplyCheck, SliceContext, WorkloadContext, WorkloadResult} from './workload.js'
 */

/**
 * Allocating memory for many samples triggers a garbage collection. If it happens before the warm-up, all code compiled afterwards is slower, by
 * about 4 % of the client's CPU time with small messages. So the warm-up keeps few samples, and moves older ones into the histogram, as a long
 * measurement does.
 */
const warmUpSamplesKept = 2 ** 10;

/**
 * Runs a client that keeps a window of requests in flight: the warm-up, the wait for the other clients, and the measured part.
 * @param {WorkloadContext<{window: number, retries: number}>} context
 * @param {WindowDeps & {onWarm?: () => void}} deps onWarm: called when the measured part begins
 * @returns {Promise<{recorder: Recorder, window: RequestWindow, ms: number} & Pick<WorkloadResult, 'warmUp' | 'usage'>>}
 *   ms: from the first send to the last reply
 * @throws {RunError} PB_NO_REPLY, or the error of the transport when its connection is lost
 */
export async function measureWindow(context, {onWarm = () => {}, ...deps}) {
  const {options} = context;
  const ofWarmUp = new Recorder(warmUpSamplesKept);
  const {window, warmUp} = await warmUpWindow(context, options.window, {...deps, recorder: ofWarmUp});
  const recorder = new Recorder(samplesKept);
  await context.warmedUp(0, ofWarmUp.count > 0 ? ofWarmUp.medianSince(0) : null);
  window.restart(recorder);
  onWarm();
  const unseen = window.unseen.count;

  const before = readUsage();
  const slices = context.slices?.() ?? null;
  const ms = slices ? await runSlices(slices, before, window) : await runInOnePiece(window, options);
  const usage = usageSince(before);
  context.onMeasured();
  const discarded = window.unseen.count - unseen;
  // The client's CPU time is divided in proportion to the numbers of requests, as is the server's.
  const share = discarded === 0 ? 1 : recorder.count / (recorder.count + discarded);
  return {
    ...{recorder, window, ms, warmUp: {discarded: warmUp.discarded + discarded}},
    usage: shareOfUsage(usage, share),
  };
}

/** @param {RequestWindow} window @param {WorkloadContext['options']} options */
async function runInOnePiece(window, options) {
  const begin = performance.now();
  await window.run(boundsOf(options));
  return performance.now() - begin;
}

/**
 * Between slices, no request is in flight.
 * @param {AsyncIterable<SliceContext>} slices
 * @param {Reading} reading of the usage in the slices, including their discarded parts
 * @param {RequestWindow} window @returns {Promise<number>} ms that count
 */
async function runSlices(slices, reading, window) {
  pauseUsage(reading);
  for await (const slice of slices) {
    // A reading takes some 0.2 ms, so it precedes the slice. At the start of the counted part, requests are in flight.
    resumeUsage(reading);
    const {fromMs, toMs} = await window.runSlice(slice);
    if (Number.isFinite(fromMs)) slice.counted(fromMs, toMs);
    pauseUsage(reading);
  }
  return window.countedMs;
}

/** A new pair begins with this many slices. Otherwise V8 would discard the hot path, compiled before the first slice, when the first slices begin and end. */
const slicesOfPair = 4;

/** @typedef {{client: WindowClient, checkOf: (ring: PayloadRing) => ReplyCheck}} WindowDeps checkOf: for replies to the payloads of a ring */

/**
 * @param {WorkloadContext<{retries: number}>} context @param {number} size of the window
 * @param {WindowDeps & {recorder: Recorder}} deps
 * @returns {Promise<{window: RequestWindow} & Pick<WorkloadResult, 'warmUp'>>} window: for the measured payloads
 */
export async function warmUpWindow(context, size, {client, checkOf, recorder}) {
  const windowOf = (/** @type {PayloadRing} */ ring) =>
    new RequestWindow({...context, ring, connection: {client}}, size, {recorder, check: checkOf(ring)});
  const window = windowOf(context.ring);
  const warmUp = await warmUpBy(context, async (ring, until, isOfPair) => {
    recorder.reset();
    const warmed = ring === context.ring ? window : windowOf(ring);
    for (let slices = 0; isOfPair && slices < slicesOfPair; slices += 1)
      await warmed.runSlice({discardMs: 1, ms: 2});
    await warmed.run(until);
    return recorder.count;
  });
  return {window, warmUp};
}

/** The open part of a warm-up takes at most this long, and at most this share of a warm-up by duration. */
const openMs = 300;
const openShare = 0.3;
/** Limits the rate of the open part to this share of the free part's rate, which does not overload the server. */
const openRateShare = 0.5;
/** The minimum rate of the open part within this share, in messages per second, so that its code is compiled. */
const minOpenRate = 200;

/**
 * Returns the two parts of a warm-up before an open loop. The free part sends as fast as possible, because warming up at a low rate would take
 * long. The open part follows a schedule, so that its code is compiled, too. Without it, the first measured messages were late by some
 * milliseconds.
 * @param {WarmUp} warmUp
 * @returns {{free: WarmUp, open: {samples: number | null, durationMs: number | null}}} together as
 *   long, or as many messages, as requested. The open part follows an automatic warm-up in addition
 */
export function partsOf(warmUp) {
  if (warmUp.kind === 'count') {
    const samples = Math.floor(openShare * warmUp.count);
    return {free: {...warmUp, count: warmUp.count - samples}, open: {samples, durationMs: null}};
  }
  if (warmUp.kind === 'auto') return {free: warmUp, open: {samples: null, durationMs: openMs}};
  const durationMs = Math.min(openMs, openShare * warmUp.durationMs);
  return {
    free: {...warmUp, durationMs: warmUp.durationMs - durationMs},
    open: {samples: null, durationMs},
  };
}

/**
 * Returns the load of the open part for this client alone: the rate of the measured part, if the server can sustain it.
 * @template {{rate?: number | null, clients?: number}} Settings
 * @param {Settings} options @param {{samples: number | null, durationMs: number | null}} open
 * @param {number} freeMs time per message in the free part
 */
export function loadOfOpenPart(options, open, freeMs) {
  const arrivals = /** @type {const} */ ('constant');
  const {rate: asked = null, clients = 1} = options;
  const bearable = (openRateShare * 1000) / freeMs;
  const rate = asked === null ? bearable : Math.min(bearable, Math.max(minOpenRate, asked / clients));
  return {...options, ...open, rate, arrivals, client: 0, clients: 1};
}

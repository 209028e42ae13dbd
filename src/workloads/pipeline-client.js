import {performance} from 'node:perf_hooks';
import {setTimeout as sleep} from 'node:timers/promises';
import {Recorder} from '../measure/recorder.js';
import {readUsage, usageSince} from '../measure/usage.js';
import {warmUpBy} from '../measure/warm-up.js';
import {MessageCheck} from '../payload/message-check.js';
import {Flight} from './flight.js';
import {boundsOf} from './load.js';

/** What a server answers twice comes by then. */
const waitForStraysMs = 30;
/** Samples that are kept before any has to be moved while requests are in flight: 8 MiB. */
const samplesKept = 2 ** 20;

/**
 * A window of requests in flight. The latency of each is that of its request call; the rate is that of all, from the first send to the
 * last reply.
 *
 * @param {import('./index.js').WorkloadContext} context
 * @returns {Promise<import('./index.js').WorkloadResult>}
 * @throws {import('../errors.js').RunError} PB_NO_REPLY, or what the transport rejects with when its connection dies
 */
export async function measurePipeline(context) {
  const {options, ring} = context;
  const recorder = new Recorder(samplesKept);
  const check = new MessageCheck(ring, {answer: options.answer, every: options.verify});
  const flight = new Flight(context, options.window, {recorder, check});
  const warmUp = await warmUpBy(options.warmUp, recorder, (until) =>
    flight.run({...until, samples: until.samples - recorder.count}),
  );
  await context.warmedUp();
  recorder.reset();
  flight.restart();

  const before = readUsage();
  const begin = performance.now();
  await flight.run(boundsOf(options));
  const ms = performance.now() - begin;
  const usage = usageSince(before);
  context.onPhase('measured');

  await sleep(waitForStraysMs);
  const {counts, mismatch} = flight;
  const latency = recorder.finish();
  return {
    latency,
    timed: {messages: counts.received, ms},
    counts: {...counts, sent: counts.received + counts.lost, duplicated: context.takeStrays()},
    mismatch,
    warmUp,
    usage,
  };
}

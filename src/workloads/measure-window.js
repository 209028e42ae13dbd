import {performance} from 'node:perf_hooks';
import {Recorder} from '../measure/recorder.js';
import {readUsage, usageSince} from '../measure/usage.js';
import {warmUpBy} from '../measure/warm-up.js';
import {boundsOf, samplesKept} from './load.js';
import {RequestWindow} from './request-window.js';

/**
 * @import {RunError} from '../errors.js'
 * @import {WindowClient, ReplyCheck} from './request-window.js'
 * @import {LoadSettings, WorkloadContext, WorkloadResult} from './workload.js'
 */

/**
 * Allocating memory for many samples triggers a garbage collection. If that happens before the warm-up, all code compiled afterwards is
 * slower: by about 4 % of the client's CPU time with small messages. So the warm-up keeps few samples.
 */
const warmUpSamplesKept = 2 ** 15;

/**
 * Runs a client that keeps a window of requests in window: warm-up, the wait for the other clients, the measured part.
 *
 * @param {WorkloadContext<{window: number, retries: number}>} context
 * @param {{client: WindowClient, check: ReplyCheck, onWarm?: () => void}} deps onWarm: called when the measured part begins
 * @returns {Promise<{recorder: Recorder, window: RequestWindow, ms: number} & Pick<WorkloadResult, 'warmUp' | 'usage'>>}
 *   ms: from the first send to the last reply
 * @throws {RunError} PB_NO_REPLY, or what the transport rejects with when its connection dies
 */
export async function measureWindow(context, {client, check, onWarm = () => {}}) {
  const {options} = context;
  const deps = {recorder: new Recorder(warmUpSamplesKept), check};
  const window = new RequestWindow({...context, connection: {client}}, options.window, deps);
  const warmUp = await warmUpWindow(window, options);
  const recorder = new Recorder(samplesKept);
  await context.warmedUp();
  window.restart(recorder);
  onWarm();

  const before = readUsage();
  const begin = performance.now();
  await window.run(boundsOf(options));
  const ms = performance.now() - begin;
  const usage = usageSince(before);
  context.onMeasured();
  return {recorder, window, ms, warmUp, usage};
}

/**
 * @param {RequestWindow} window
 * @param {Pick<LoadSettings, 'warmUp'>} options
 */
export function warmUpWindow(window, {warmUp}) {
  const {recorder} = window;
  // A run counts only its own requests; the warm-up counts those of all runs.
  return warmUpBy(warmUp, recorder, (until) =>
    window.run({...until, samples: until.samples - recorder.count}),
  );
}

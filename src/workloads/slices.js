import {performance} from 'node:perf_hooks';
import {pauseUsage, resumeUsage} from '../measure/usage.js';
import {boundsOf} from './load.js';

/**
 * @import {Recorder} from '../measure/recorder.js'
 * @import {Reading} from '../measure/types.js'
 * @import {Until, WorkloadContext} from './workload.js'
 */

/** @typedef {{timedOut: number, retried: number, lost: number}} Failed */

/**
 * Measures a cell in one piece, or in slices between which its processes wait. The messages of the first part of each slice do not count.
 * @param {Pick<WorkloadContext, 'slices' | 'options'>} context
 * @param {Reading} reading of the usage in the parts that count
 * @param {object} parts
 * @param {Recorder} parts.recorder gets the samples that count
 * @param {Recorder} parts.unseen gets the other samples
 * @param {(until: Until) => Promise<Failed>} parts.measure
 * @param {(until: Until) => Promise<unknown>} parts.discard
 * @returns {Promise<{failed: Failed, discarded: number}>}
 */
export async function measureParts({slices, options}, reading, {recorder, unseen, measure, discard}) {
  const list = slices?.() ?? null;
  if (list === null) return {failed: await measure(boundsOf(options)), discarded: 0};
  const failed = {timedOut: 0, retried: 0, lost: 0};
  let discarded = 0;
  pauseUsage(reading);
  for await (const {discardMs, ms, samples, counted} of list) {
    if (discardMs > 0) {
      const before = unseen.count;
      await discard({samples: Number.POSITIVE_INFINITY, atMs: performance.now() + discardMs, least: 0});
      discarded += unseen.count - before;
    }
    resumeUsage(reading);
    const fromMs = performance.now();
    counted(fromMs);
    const least = recorder.count + samples;
    const part = await measure({samples: Number.POSITIVE_INFINITY, atMs: fromMs + ms, least});
    pauseUsage(reading);
    for (const key of /** @type {const} */ (['timedOut', 'retried', 'lost'])) failed[key] += part[key];
  }
  return {failed, discarded};
}

import {performance} from 'node:perf_hooks';
import {phasesOf} from '../measure/warm-up.js';

/**
 * @import {PayloadRing} from '../payload/ring.js'
 * @import {Until} from './load.js'
 * @import {WorkloadContext} from './workload.js'
 */

/**
 * Sends the messages of a warm-up, one phase after the other.
 * @param {Pick<WorkloadContext, 'ring' | 'warmUpRing'> & {options: Pick<WorkloadContext['options'], 'warmUp'>}} context
 * @param {(ring: PayloadRing, until: Until, isOfPair: boolean) => Promise<number>} send sends payloads of the ring until the end is reached,
 *   and returns their number; isOfPair: the requests are the first of a new pair
 * @returns {Promise<{discarded: number}>} the number of all
 */
export async function warmUpBy({ring, warmUpRing = null, options}, send) {
  const isNewPair = warmUpRing !== null;
  let discarded = 0;
  for (const phase of phasesOf(options.warmUp, {payloadBytes: ring.payloadBytes, isNewPair})) {
    const {isOfPair, samples, durationMs} = phase;
    const until = {samples, atMs: performance.now() + durationMs};
    discarded += await send(isOfPair && warmUpRing ? warmUpRing : ring, until, isOfPair);
  }
  return {discarded};
}

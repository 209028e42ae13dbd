/** @import {WarmUp} from '../measure/warm-up.js' */

/** Fewer samples give no useful figure. */
const minSamples = 10;

/**
 * A shorter trial of the same shape: the number of samples, and of warm-up messages, times the scale. At least 10 samples,
 * but never more than without the scale.
 *
 * @template {{samples: number | null, warmUp: WarmUp}} Length
 * @param {Length} length
 * @param {number} scale from 0 to 1
 * @returns {Length}
 */
export function scaleLength(length, scale) {
  const {samples, warmUp} = length;
  return {
    ...length,
    samples: samples === null ? null : Math.min(samples, Math.max(minSamples, Math.round(samples * scale))),
    warmUp: warmUp.kind === 'count' ? {...warmUp, count: scaleCount(warmUp.count, scale)} : warmUp,
  };
}

/** @param {number} count @param {number} scale */
function scaleCount(count, scale) {
  return Math.min(count, Math.round(count * scale));
}

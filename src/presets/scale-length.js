/** @import {WarmUp} from '../measure/warm-up.js' */

/** With fewer samples a figure says nothing at all. */
const fewestSamples = 10;

/**
 * A shorter trial of the same shape: samples, and a warm-up that is a number of messages, times the scale. At least 10 samples,
 * but never more than unscaled.
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
    samples:
      samples === null ? null : Math.min(samples, Math.max(fewestSamples, Math.round(samples * scale))),
    warmUp: warmUp.kind === 'count' ? {...warmUp, count: scaleCount(warmUp.count, scale)} : warmUp,
  };
}

/** @param {number} count @param {number} scale */
function scaleCount(count, scale) {
  return Math.min(count, Math.round(count * scale));
}

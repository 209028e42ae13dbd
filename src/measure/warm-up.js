/** @import {AutomaticWarmUp, WarmUp} from './types.js' */

/** The default warm-up. @satisfies {AutomaticWarmUp} */
export const automaticWarmUp = {
  kind: /** @type {const} */ ('auto'),
  requests: 6000,
  maximumMs: 6000,
  sizeMs: 100,
  largeSizeMs: 150,
  turnMs: 100,
  mediumTurnMs: 300,
};

/** @param {WarmUp} warmUp @param {number} payloadBytes @returns {number} ms at the beginning of the first slice that are warm-up */
export function turnMsOf(warmUp, payloadBytes) {
  if (warmUp.kind !== 'auto') return 0;
  const {turnMs, mediumTurnMs} = {...automaticWarmUp, ...warmUp};
  return payloadBytes >= minLargeBytes && payloadBytes < minFillingBytes ? mediumTurnMs : turnMs;
}

/** @param {WarmUp} warmUp @returns {boolean} whether it sends nothing */
export function isEmpty(warmUp) {
  if (warmUp.kind === 'count') return warmUp.count === 0;
  return warmUp.kind === 'duration' && warmUp.durationMs === 0;
}

/** The size of a small request, or of the cell's payload if that is smaller. */
export const smallRequestBytes = 1024;
/** From this size on, buffers also take time to settle. */
const minLargeBytes = 102_400;
/** From this size on, few messages fill the memory that a pair uses. Of smaller large messages, a pair sends many until its times no longer fall. */
const minFillingBytes = 512_000;

/**
 * Returns the phases of a warm-up. The sub-windows of the trials show later whether the warm-up was long enough.
 * @param {WarmUp} warmUp
 * @param {{payloadBytes: number, isNewPair: boolean}} cell isNewPair: whether its processes have measured nothing yet
 * @returns {WarmUpPhase[]}
 *
 * @typedef {object} WarmUpPhase
 * @property {boolean} isOfPair whether the phase sends small requests
 * @property {number} samples
 * @property {number} durationMs the phase ends at `samples` or `durationMs`, whichever is reached first
 */
export function phasesOf(warmUp, {payloadBytes, isNewPair}) {
  const unbounded = Number.POSITIVE_INFINITY;
  if (warmUp.kind === 'count')
    return warmUp.count > 0 ? [{isOfPair: false, samples: warmUp.count, durationMs: unbounded}] : [];
  if (warmUp.kind === 'duration')
    return [{isOfPair: false, samples: unbounded, durationMs: warmUp.durationMs}];
  const {requests, maximumMs, sizeMs, largeSizeMs} = {...automaticWarmUp, ...warmUp};
  const ofPair = {isOfPair: true, samples: requests, durationMs: maximumMs};
  const ofSize = {
    isOfPair: false,
    samples: unbounded,
    durationMs: payloadBytes >= minLargeBytes ? largeSizeMs : sizeMs,
  };
  return isNewPair ? [ofPair, ofSize] : [ofSize];
}

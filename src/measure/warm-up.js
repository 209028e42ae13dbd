/** @import {AutomaticWarmUp, WarmUp} from './types.js' */

/** The default. These numbers, and those below, are all that the plan consists of. @satisfies {AutomaticWarmUp} */
export const automaticWarmUp = {
  kind: /** @type {const} */ ('auto'),
  requests: 6000,
  maximumMs: 3000,
  sizeMs: 200,
  largeSizeMs: 500,
  turnMs: 100,
};

/** With --quick: compilers see as many requests, and the time at each size is shorter. @satisfies {AutomaticWarmUp} */
export const quickWarmUp = {...automaticWarmUp, sizeMs: 100, largeSizeMs: 150};

/** How long the begin of the first slice is warm-up. @param {WarmUp} warmUp @returns {number} ms */
export function turnMsOf(warmUp) {
  return warmUp.kind === 'auto' ? {...automaticWarmUp, ...warmUp}.turnMs : 0;
}

/** A small request has this size, or that of the cell if it is smaller. */
export const smallRequestBytes = 1024;
/** From this size on the buffers take time to settle, too. */
const minLargeBytes = 102_400;

/**
 * The phases of a warm-up. Whether they were enough is judged afterwards, from the sub-windows of the trials.
 * @param {WarmUp} warmUp
 * @param {{payloadBytes: number, isNewPair: boolean}} cell isNewPair: its processes have measured nothing yet
 * @returns {WarmUpPhase[]}
 *
 * @typedef {object} WarmUpPhase
 * @property {boolean} isOfPair whether its requests are the small ones
 * @property {number} samples
 * @property {number} durationMs it ends at its number of samples or its duration, whichever comes first
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

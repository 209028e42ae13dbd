/** @import {WarmUp} from '../measure/warm-up.js' */

/** The open part of a warm-up takes at most this long, and at most this share of all of it. */
const openMs = 300;
const openShare = 0.3;
/** It goes at this share of the rate that the free part reached, which does not overload. */
const openRateShare = 0.5;

/**
 * What is measured at a rate is warmed up as fast as it goes, for a low rate would take long to do it, and then, for its own code, at
 * a rate: else that code is compiled while the first messages that count are on their way, some ms late.
 *
 * @param {WarmUp} warmUp
 * @returns {{free: WarmUp, open: {samples: number | null, durationMs: number | null}}} as long together,
 *   or as many, as asked for
 */
export function partsOf(warmUp) {
  if (warmUp.kind === 'count') {
    const samples = Math.floor(openShare * warmUp.count);
    return {free: {...warmUp, count: warmUp.count - samples}, open: {samples, durationMs: null}};
  }
  const wholeMs = warmUp.kind === 'duration' ? warmUp.durationMs : warmUp.maximumMs;
  const durationMs = Math.min(openMs, openShare * wholeMs);
  const open = {samples: null, durationMs};
  return warmUp.kind === 'duration'
    ? {free: {...warmUp, durationMs: wholeMs - durationMs}, open}
    : {free: {...warmUp, maximumMs: wholeMs - durationMs}, open};
}

/**
 * The load of the open part: of this client alone, at a rate that does not overload.
 * @template {object} Settings
 * @param {Settings} options
 * @param {{samples: number | null, durationMs: number | null}} open
 * @param {number} freeMs time of a message when it went as fast as it could
 */
export function loadOfOpenPart(options, open, freeMs) {
  const arrivals = /** @type {const} */ ('constant');
  return {...options, ...open, rate: (openRateShare * 1000) / freeMs, arrivals, client: 0, clients: 1};
}

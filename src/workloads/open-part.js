/** @import {WarmUp} from '../measure/warm-up.js' */

/** The open part of a warm-up takes at most this long, and at most this share of a warm-up by duration. */
const openMs = 300;
const openShare = 0.3;
/** The open part sends at most at this share of the rate that the free part reached, which does not overload the server. */
const openRateShare = 0.5;
/** And at least this often, if that share allows it, so that its code is compiled. In messages per second. */
const minOpenRate = 200;

/**
 * The two parts of a warm-up before an open loop. The free part sends as fast as possible, because warming up at a low rate would take long.
 * The open part keeps to a schedule, so that the code for that is compiled too: otherwise the first measured messages were late by some
 * milliseconds.
 *
 * @param {WarmUp} warmUp
 * @returns {{free: WarmUp, open: {samples: number | null, durationMs: number | null}}} together as
 *   long, or as many messages, as requested. An automatic warm-up is followed by the open part
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
 * The load of the open part, for this client alone: the rate that is measured next, if the server can sustain it.
 * @template {{rate?: number | null, clients?: number}} Settings
 * @param {Settings} options
 * @param {{samples: number | null, durationMs: number | null}} open
 * @param {number} freeMs the time per message in the free part
 */
export function loadOfOpenPart(options, open, freeMs) {
  const arrivals = /** @type {const} */ ('constant');
  const {rate: asked = null, clients = 1} = options;
  const bearable = (openRateShare * 1000) / freeMs;
  const rate = asked === null ? bearable : Math.min(bearable, Math.max(minOpenRate, asked / clients));
  return {...options, ...open, rate, arrivals, client: 0, clients: 1};
}

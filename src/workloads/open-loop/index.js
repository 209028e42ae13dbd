/** @import {Arrivals} from '../schedule.js' */

/** What every workload has that knows an open loop: without a rate it is a closed one. */
export const openLoopDimensions = {rate: [null], arrivals: [/** @type {Arrivals} */ ('constant')]};

/**
 * Requests are sent at times fixed beforehand, so a window only bounds the memory; one that is ever full shows as send lag.
 */
export const usualOpenWindow = 1000;

/**
 * Whether messages go at times fixed beforehand.
 * @template {{rate: number | null}} Own
 * @param {Own} settings
 * @returns {settings is Own & {rate: number}}
 */
export function isOpenLoop(settings) {
  return settings.rate !== null;
}

/** @param {{rate: number | null}} settings @returns {number | null} messages per second; null for a closed loop */
export function offeredRate({rate}) {
  return rate ?? null;
}

/**
 * Without a rate there are no arrivals, and nothing of an open loop's to name.
 * @template {{rate: number | null, arrivals: Arrivals}} Own
 * @param {Own} variant
 * @returns {Omit<Own, 'arrivals'> & Partial<Pick<Own, 'arrivals'>>}
 */
export function completeOpenLoop(variant) {
  if (isOpenLoop(variant)) return variant;
  const {arrivals: _arrivals, ...closed} = variant;
  return closed;
}

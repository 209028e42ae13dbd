/** @import {Arrivals} from '../workload.js' */

/** The dimensions of each workload with an open loop. Without a rate, the loop is closed. */
export const openLoopDimensions = {rate: [null], arrivals: [/** @type {Arrivals} */ ('constant')]};

/** An open loop sends at fixed times, so a window only bounds the memory. A full window shows as send lag. */
export const defaultOpenWindow = 1000;

/**
 * Returns whether messages are sent at fixed times.
 * @template {{rate: number | null}} Own
 * @param {Own} settings @returns {settings is Own & {rate: number}}
 */
export function isOpenLoop(settings) {
  return settings.rate !== null;
}

/** @param {{rate: number | null}} settings @returns {number | null} messages per second; null for a closed loop */
export function offeredRate({rate}) {
  return rate ?? null;
}

/**
 * Leaves out the arrivals of a closed loop.
 * @template {{rate: number | null, arrivals: Arrivals}} Own
 * @param {Own} variant @returns {Omit<Own, 'arrivals'> & Partial<Pick<Own, 'arrivals'>>}
 */
export function completeOpenLoop(variant) {
  if (isOpenLoop(variant)) return variant;
  const {arrivals: _arrivals, ...closed} = variant;
  return closed;
}

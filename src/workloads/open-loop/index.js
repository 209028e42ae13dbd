/** What every workload has that knows an open loop: without a rate it is a closed one. */
export const openLoopDimensions = {rate: [null], arrivals: ['constant']};

/**
 * Requests are sent at times fixed beforehand, so a window only bounds the memory; one that is ever full shows as send lag.
 */
export const usualOpenWindow = 1000;

/** @param {Record<string, any>} options @returns {boolean} whether messages go at times fixed beforehand */
export function isOpenLoop({rate}) {
  return rate !== null;
}

/** @param {Record<string, any>} variant @returns {number | null} messages per second; null for a closed loop */
export function offeredRate({rate}) {
  return rate ?? null;
}

/**
 * Without a rate there are no arrivals, and nothing of an open loop's to name.
 * @param {Record<string, any>} variant
 */
export function completeOpenLoop(variant) {
  if (isOpenLoop(variant)) return variant;
  const {arrivals: _arrivals, ...closed} = variant;
  return closed;
}

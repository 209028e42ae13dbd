/**
 * What every workload has that knows an open loop: without a rate it is a closed one. Messages are sent at times fixed beforehand,
 * so a window only bounds the memory; one that is ever full shows as send lag.
 */
export const openLoopDimensions = {rate: [null], arrivals: ['constant'], window: [1000]};

/**
 * Without a rate there are no arrivals, and nothing of an open loop's to name.
 * @param {Record<string, any>} variant
 */
export function completeOpenLoop(variant) {
  if (variant.rate !== null) return variant;
  const {arrivals: _arrivals, ...closed} = variant;
  return closed;
}

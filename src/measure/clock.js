import {performance} from 'node:perf_hooks';

/**
 * The system's monotonic clock in ms, which all processes of a host share. `performance.now()` is read much faster, but starts at zero in
 * each process: the distance between the two is measured once.
 * @returns {number} ms since some point that is the same for all processes of this host until it starts anew
 */
export function monotonicMs() {
  return performance.now() + originMs;
}

/**
 * What is added to `performance.now()`: the closest of several readings, for one in which the process was interrupted between the two clocks is
 * far off.
 */
export const originMs = measureOrigin(32);

/** @param {number} readings */
function measureOrigin(readings) {
  let narrowest = Number.POSITIVE_INFINITY;
  let origin = 0;
  for (let reading = 0; reading < readings; reading += 1) {
    const before = performance.now();
    const shared = Number(process.hrtime.bigint()) / 1e6;
    const after = performance.now();
    if (after - before >= narrowest) continue;
    narrowest = after - before;
    origin = shared - (before + after) / 2;
  }
  return origin;
}

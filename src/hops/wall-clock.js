import {monotonicMs} from '../measure/clock.js';

const maxTicks = 50;
/** Two readings without an interruption between them are less than this apart. */
const narrowMs = 0.002;

/**
 * By how much the system's wall clock, with which the kernel stamps packets, is ahead of the monotonic clock. Node.js reads the wall clock in whole
 * ms, so the point in time counts at which a ms begins. On an idle host it takes a
 * ms of CPU time, and on a busy one up to 50.
 * @returns {number} in ms, within about 1 µs, unless each of many ms began while this process was interrupted
 */
export function wallClockAheadMs() {
  let narrowest = {gapMs: Number.POSITIVE_INFINITY, aheadMs: 0};
  for (let tick = 0; tick < maxTicks && narrowest.gapMs > narrowMs; tick += 1) {
    const found = nextTick();
    if (found.gapMs < narrowest.gapMs) narrowest = found;
  }
  return narrowest.aheadMs;
}

/** gapMs: between the readings of the monotonic clock that surround the last one of the old ms and the first one of the new ms. */
function nextTick() {
  let before = monotonicMs();
  const last = Date.now();
  let between = monotonicMs();
  for (;;) {
    const now = Date.now();
    const after = monotonicMs();
    if (now !== last) return {gapMs: after - before, aheadMs: now - (before + after) / 2};
    before = between;
    between = after;
  }
}

import {median} from 'simple-statistics';
import {monotonicMs} from '../measure/clock.js';

const ticks = 5;

/**
 * By how much the system's wall clock, with which the kernel stamps packets, is ahead of the monotonic clock. Node.js reads the wall clock in whole
 * ms, so the point in time counts at which a ms begins. It takes some 5 ms of CPU time.
 * @returns {number} in ms, within about 1 µs
 */
export function wallClockAheadMs() {
  return median(Array.from({length: ticks}, aheadAtTick));
}

function aheadAtTick() {
  const before = Date.now();
  for (;;) {
    const at = monotonicMs();
    const now = Date.now();
    if (now !== before) return now - at;
  }
}

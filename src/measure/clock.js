import {performance} from 'node:perf_hooks';

/** @import {Moments} from './types.js' */

/**
 * Reads the system's monotonic clock. `performance.now()` is much faster but starts at zero in each process, so the offset between the two
 * clocks is measured once.
 * @returns {number} ms since a point in time that all processes of this host share until it reboots
 */
export function monotonicMs() {
  return performance.now() + originMs;
}

/**
 * The offset of the system's clock from `performance.now()`. It comes from the fastest of several readings, because an interruption between the
 * two clocks makes a reading wrong.
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

const batches = 50;
const readsPerBatch = 200;

/**
 * Measures the time of one reading of `performance.now()`, which depends on the clock source of the kernel and on the hypervisor. The fastest of
 * several batches counts, because interruptions and uncompiled code only add time.
 * @returns {number} ns
 */
export function clockReadNanos() {
  let fastestMs = Number.POSITIVE_INFINITY;
  for (let batch = 0; batch < batches; batch += 1) {
    const before = performance.now();
    let last = before;
    for (let read = 0; read < readsPerBatch; read += 1) last = performance.now();
    fastestMs = Math.min(fastestMs, last - before);
  }
  return (fastestMs * 1e6) / readsPerBatch;
}

/** Adds up moments. `add` takes readings of `performance.now()`, which is fast; `sums` returns sums by the clock that all processes of a host share. */
export class MomentSums {
  messages = 0;
  begins = 0;
  ends = 0;

  /** @param {number} begin @param {number} end */
  add(begin, end) {
    this.messages += 1;
    this.begins += begin;
    this.ends += end;
  }

  reset() {
    this.messages = 0;
    this.begins = 0;
    this.ends = 0;
  }

  /** @returns {Moments} */
  sums() {
    const {messages, begins, ends} = this;
    const origins = messages * originMs;
    return {messages, beginsMs: begins + origins, endsMs: ends + origins};
  }
}

const maxTicks = 50;
/** The distance of two readings without an interruption between them is less than this. */
const narrowMs = 0.002;

/**
 * Measures how far the system's wall clock, by which the kernel stamps packets, is ahead of the monotonic clock. Node.js reads the wall clock in whole
 * ms, so the function waits for the beginning of a ms. It takes 1 ms of CPU time on an idle host, and up to 50 ms on a busy host.
 * @returns {number} ms, accurate to about 1 µs, unless this process was interrupted at the beginning of every observed ms
 */
export function wallClockAheadMs() {
  let narrowest = {gapMs: Number.POSITIVE_INFINITY, aheadMs: 0};
  for (let tick = 0; tick < maxTicks && narrowest.gapMs > narrowMs; tick += 1) {
    const found = nextTick();
    if (found.gapMs < narrowest.gapMs) narrowest = found;
  }
  return narrowest.aheadMs;
}

/** gapMs: the time between the readings of the monotonic clock before the last reading of the old ms and after the first reading of the new ms. */
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

import {performance} from 'node:perf_hooks';

/** @import {Moments} from './types.js' */

/**
 * The system's monotonic clock in ms, which all processes of a host share. `performance.now()` is much faster, but starts at zero in each
 * process. The offset between the two clocks is measured once.
 * @returns {number} ms since a point in time that is the same for all processes of this host until it reboots
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
 * The time that one reading of `performance.now()` takes. It depends on the clock source of the kernel, and on how the hypervisor provides it.
 * The fastest of several batches counts: interruptions and code that is not yet compiled only add.
 * @returns {number} in ns
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

/** Adds up moments. Readings are of `performance.now()`, which is fast; the sums are by the clock that processes of a host share. */
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

import {PerformanceObserver, performance} from 'node:perf_hooks';

/** @import {Pauses} from './types.js' */

/** The interval of event loop checks. A shorter stall may be missed. */
const checkEveryMs = 50;

/** Only Node.js reports garbage collections. Deno claims to report them, but does not. */
const reportsCollections =
  /** @type {any} */ (PerformanceObserver).supportedEntryTypes.includes('gc') && !('Deno' in globalThis);

/** @type {Set<Pauses>} pauses that are counted now or on hold */
const counted = new Set();

/** @type {{dueMs: number, timer: NodeJS.Timeout | undefined} | null} the next check of the event loop; null before `observePauses` */
let loop = null;

/**
 * Begins to observe the garbage collections and the event loop of this process. The entries of garbage collections are summed and dropped in
 * the next turn of the event loop, so the memory of long runs does not grow. An entry costs about 40 µs. With 2 collections per 1000 messages of
 * 1 KB, or 61 per 1000 messages of 1000 KB, the observation takes 0.2 % of the CPU time.
 */
export function observePauses() {
  if (loop) return;
  loop = {dueMs: 0, timer: undefined};
  if (!reportsCollections) return;
  new PerformanceObserver((list) => list.getEntries().forEach(addCollection)).observe({entryTypes: ['gc']});
}

/** @returns {Pauses | null} pauses that are counted until `stopCounting`; null before `observePauses` */
export function countPauses() {
  if (!loop) return null;
  const pauses = {sinceMs: 0, untilMs: 0, gcMs: reportsCollections ? 0 : null, loopDelayMaxMs: 0};
  counted.add(pauses);
  countAgain(pauses);
  return pauses;
}

/** @param {Pauses | null} pauses */
export function stopCounting(pauses) {
  addLoopDelay();
  if (pauses) counted.delete(pauses);
  checkWhileCounting();
}

/** Stops counting until `countAgain`. Entries of earlier collections may still arrive. @param {Pauses | null} pauses */
export function holdCounting(pauses) {
  addLoopDelay();
  if (pauses) pauses.untilMs = performance.now();
  checkWhileCounting();
}

/** @param {Pauses | null} pauses */
export function countAgain(pauses) {
  if (pauses) Object.assign(pauses, {sinceMs: performance.now(), untilMs: Number.POSITIVE_INFINITY});
  checkWhileCounting();
}

/** Runs the timer only while pauses are counted, because the timer wakes the process. */
function checkWhileCounting() {
  if (!loop) return;
  const isCounting = [...counted].some(({untilMs}) => untilMs === Number.POSITIVE_INFINITY);
  if (isCounting === (loop.timer !== undefined)) return;
  clearInterval(loop.timer);
  loop.timer = isCounting ? setInterval(checkLoop, checkEveryMs).unref() : undefined;
  loop.dueMs = performance.now() + checkEveryMs;
}

function checkLoop() {
  addLoopDelay();
  if (loop) loop.dueMs = performance.now() + checkEveryMs;
}

/** @param {{startTime: number, duration: number}} entry may arrive after a reading that follows the collection */
function addCollection({startTime, duration}) {
  for (const pauses of counted)
    if (startTime >= pauses.sinceMs && startTime < pauses.untilMs)
      pauses.gcMs = (pauses.gcMs ?? 0) + duration;
}

/** A stall that lasts until now counts, too. */
function addLoopDelay() {
  if (!loop?.timer) return;
  const now = performance.now();
  for (const pauses of counted) {
    const delayMs = now - Math.max(loop.dueMs, pauses.sinceMs);
    if (now < pauses.untilMs && delayMs > pauses.loopDelayMaxMs) pauses.loopDelayMaxMs = delayMs;
  }
}

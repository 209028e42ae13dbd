/** A p99 needs ten samples above it. */
const minSamples = 1000;
const defaultStepMs = 1000;
/** A step lasts at most this long, even if it then has too few samples for its p99. */
const maxStepMs = 5000;
/** The confirmation run is longer than a step, because its latencies and counts are the result. */
const confirmationSteps = 2;

/**
 * Returns how long a step of a search sends.
 * @param {number} rate
 * @param {{durationMs: number | null, confirms: boolean}} step durationMs: of the cell, or null
 * @returns {number} ms
 */
export function stepMs(rate, {durationMs, confirms}) {
  const times = confirms ? confirmationSteps : 1;
  const neededMs = (times * minSamples * 1000) / rate;
  return Math.max(times * (durationMs ?? defaultStepMs), Math.min(maxStepMs, neededMs));
}

/**
 * A search takes about the time of this many steps in addition to the confirmation, including second tries of failed rates. Six searches on a
 * two-core virtual machine took 24 to 35; simulated searches without disturbances take 13 to 22.
 */
const stepsOfSearch = 28;
/** A search ends after the time of this many steps: at the earliest after `minSearchMs`, and after `longSearchMs` unless steps are long. */
const maxStepsOfSearch = 70;
const minSearchMs = 30_000;
const longSearchMs = 60_000;
/** The wait of a step for its last replies. */
const betweenStepsMs = 100;
/**
 * The parts of a round trip that limit the rate: the share that several messages in flight divide, and the share of the bytes. With a bound on
 * the p99, fewer messages are in flight than in a pipeline.
 */
const shareInFlight = 1 / 4;
const shareOfBytes = 2 / 3;

/**
 * Returns the time after which a search ends with the highest rate that held.
 * @param {number} firstRate of the warm-up @param {number | null} durationMs of the cell
 */
export function maxSearchMs(firstRate, durationMs) {
  const step = stepMs(firstRate, {durationMs, confirms: false}) + betweenStepsMs;
  const longestMs = Math.max(longSearchMs, maxStepsOfSearch * (durationMs ?? 0));
  return Math.min(longestMs, Math.max(minSearchMs, maxStepsOfSearch * step));
}

/**
 * Estimates the time of a search on an idle host.
 * @param {{durationMs: number | null, payloadBytes: number}} cell
 * @param {(payloadBytes: number) => number} roundTripMs @returns {number} ms
 */
export function estimateSearchMs({durationMs, payloadBytes}, roundTripMs) {
  const emptyMs = roundTripMs(0);
  const messageMs = emptyMs * shareInFlight + (roundTripMs(payloadBytes) - emptyMs) * shareOfBytes;
  const rate = 1000 / messageMs;
  const step = stepMs(rate, {durationMs, confirms: false}) + betweenStepsMs;
  return stepsOfSearch * step + stepMs(rate, {durationMs, confirms: true});
}

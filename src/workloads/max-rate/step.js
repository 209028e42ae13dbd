/** A p99 needs ten samples above it. */
const minSamples = 1000;
const defaultStepMs = 1000;
/** A step is at most this long, even if it then has too few samples for its p99. */
const maxStepMs = 5000;
/** The confirmation run is longer than a step, because its latencies and counts are the result. */
const confirmationSteps = 2;

/**
 * How long a step of a search sends.
 * @param {number} rate
 * @param {{durationMs: number | null, confirms: boolean}} step durationMs: of the cell; null: it has none
 * @returns {number} ms
 */
export function stepMs(rate, {durationMs, confirms}) {
  const times = confirms ? confirmationSteps : 1;
  const neededMs = (times * minSamples * 1000) / rate;
  return Math.max(times * (durationMs ?? defaultStepMs), Math.min(maxStepMs, neededMs));
}

/**
 * A search takes about the time of this many steps besides the confirmation: second tries of rates that fail are included. Six searches on a
 * two-core virtual machine took 24 to 35; simulated ones take 13 to 22 where nothing disturbs a step.
 */
const stepsOfSearch = 28;
/** A search that takes this many times the length of a step ends with what it has: no earlier than this, and no later unless steps are long. */
const maxStepsOfSearch = 70;
const minSearchMs = 30_000;
const longSearchMs = 60_000;
/** A step waits for its last replies. */
const betweenStepsMs = 100;
/**
 * The shares of the parts of a round trip that limit the rate: the one that several messages in flight share, and that of its bytes. Within a
 * bound of the p99, fewer are in flight than a pipeline has.
 */
const shareInFlight = 1 / 4;
const shareOfBytes = 2 / 3;

/**
 * After which time a search ends with the highest rate that held.
 * @param {number} firstRate of the warm-up
 * @param {number | null} durationMs of the cell
 */
export function maxSearchMs(firstRate, durationMs) {
  const step = stepMs(firstRate, {durationMs, confirms: false}) + betweenStepsMs;
  const longestMs = Math.max(longSearchMs, maxStepsOfSearch * (durationMs ?? 0));
  return Math.min(longestMs, Math.max(minSearchMs, maxStepsOfSearch * step));
}

/**
 * About how long a search takes on an idle host.
 * @param {{durationMs: number | null, payloadBytes: number}} cell
 * @param {(payloadBytes: number) => number} roundTripMs
 * @returns {number} ms
 */
export function estimateSearchMs({durationMs, payloadBytes}, roundTripMs) {
  const emptyMs = roundTripMs(0);
  const messageMs = emptyMs * shareInFlight + (roundTripMs(payloadBytes) - emptyMs) * shareOfBytes;
  const rate = 1000 / messageMs;
  const step = stepMs(rate, {durationMs, confirms: false}) + betweenStepsMs;
  return stepsOfSearch * step + stepMs(rate, {durationMs, confirms: true});
}

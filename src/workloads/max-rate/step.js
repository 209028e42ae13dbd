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
 * An undisturbed search has about this many steps, the second tries of rates that fail included, and those that are longer because the
 * transport cannot keep up. Simulated searches took 12 to 15 steps and 14 to 17 times the length of one, the confirmation included.
 */
const stepsOfSearch = 15;
/** A step waits for its last replies. */
const betweenStepsMs = 100;
/** The shares of the parts of a round trip that limit the rate: the one that many messages in flight share, and that of its bytes. */
const shareInFlight = 1 / 8;
const shareOfBytes = 2 / 3;

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

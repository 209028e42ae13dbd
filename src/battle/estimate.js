/** Starting and ending both processes of a trial took about this long on two cores. */
const overheadMs = 600;
/** How long it takes when only a number of samples is given can but be guessed. */
const guessedRoundTripMs = 1;

/**
 * About how long one trial will take, before any has run.
 * @param {Record<string, any>} values settings
 * @returns {number} in ms
 */
export function estimateTrialMs({durationMs, samples, warmUp}) {
  const bySamples = samples === null ? Number.POSITIVE_INFINITY : samples * guessedRoundTripMs;
  return overheadMs + warmUpMs(warmUp) + Math.min(bySamples, durationMs ?? Number.POSITIVE_INFINITY);
}

/** @param {import('../options/common.js').WarmUp} warmUp */
function warmUpMs(warmUp) {
  if (warmUp.kind === 'duration') return warmUp.durationMs;
  return warmUp.kind === 'count' ? warmUp.count * guessedRoundTripMs : Math.min(400, warmUp.maximumMs);
}

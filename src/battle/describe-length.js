import {phasesOf} from '../measure/warm-up.js';

/** @import {Cell, Length} from './cell.js' */

/**
 * How long a trial is measured, and the warm-up before it.
 * @param {Pick<Cell, 'length' | 'payloadBytes'>} cell
 * @returns {string} such as: 1 s after 200 ms
 */
export function describeLength({length: {samples, durationMs, isOpen, warmUp}, payloadBytes}) {
  const [phase] = phasesOf(warmUp, {payloadBytes, isNewPair: false});
  const measured = describePart({
    samples: samples ?? Number.POSITIVE_INFINITY,
    durationMs: durationMs ?? Number.POSITIVE_INFINITY,
  });
  const whole = isOpen ? `${measured}, then as decided,` : measured;
  return phase ? `${whole} after ${describePart(phase)}` : whole;
}

/**
 * What the first cell of a pair of processes begins with.
 * @param {readonly Pick<Cell, 'length' | 'payloadBytes'>[]} cells
 * @returns {string | null} null if there is no such part in any of them
 */
export function describePairWarmUp(cells) {
  const parts = cells.flatMap(({length: {warmUp}, payloadBytes}) =>
    phasesOf(warmUp, {payloadBytes, isNewPair: true}).filter(({isOfPair}) => isOfPair),
  );
  return parts.length > 0 ? describePart(parts[0]) : null;
}

/** @param {{samples: number, durationMs: number}} part it ends at whichever comes first */
function describePart({samples, durationMs}) {
  const count = Number.isFinite(samples) ? `${samples} messages` : null;
  const time = durationMs >= 1000 ? `${durationMs / 1000} s` : `${durationMs} ms`;
  if (!Number.isFinite(durationMs)) return count ?? 'as long as the workload determines';
  return count ? `${count}, at most ${time}` : time;
}

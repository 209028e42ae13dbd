import {verdictOfRatio} from '../stats/difference.js';
import {floorOf, meanMsOf, ratioOfCells} from './compare-cells.js';

/**
 * @import {Evidence} from './evidence.js'
 * @import {WarningDeclaration} from './warning.js'
 */

/** @type {WarningDeclaration} */
export const belowFloor = {
  code: 'below-floor',
  level: 'suspect',
  condition:
    'the mean is below the raw TCP floor of the same payload: the interval of their ratio, paired by round, is below 1',
  advice: 'No transport over TCP can be faster than TCP itself. Look for different settings, or for drift.',
  sentence: (cell, cells) => {
    const floor = floorOf(cell, cells);
    if (!floor || floor === cell || cell.mayBeatFloor || !isFaster(cell, floor)) return null;
    return `Its time per message is below the raw TCP floor (${meanMsOf(floor).toFixed(4)} ms).`;
  },
};

/** @type {WarningDeclaration} */
export const fallsWithSize = {
  code: 'falls-with-size',
  level: 'suspect',
  condition:
    'the mean is below that of a smaller payload: the interval of their ratio, paired by round, is below 1',
  advice: 'A larger payload cannot take less time. Look for Nagle, delayed acknowledgements, or drift.',
  sentence: (cell, cells) => {
    const smaller = cells.find(
      (other) => sameVariant(other, cell) && other.payloadBytes < cell.payloadBytes && isFaster(cell, other),
    );
    return smaller
      ? `Its time per message is below that of ${smaller.payloadBytes} bytes (${meanMsOf(smaller).toFixed(4)} ms).`
      : null;
  },
};

/** @param {Evidence} one @param {Evidence} other */
function isFaster(one, other) {
  const ratio = ratioOfCells(one, other);
  return ratio !== null && verdictOfRatio(ratio) === 'faster';
}

/** @param {Evidence} one @param {Evidence} other */
function sameVariant(one, other) {
  return (
    one.transport === other.transport &&
    one.workload === other.workload &&
    JSON.stringify(one.variant) === JSON.stringify(other.variant)
  );
}

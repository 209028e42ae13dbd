import {
  belowFloor,
  corrupted,
  drift,
  duplicated,
  fallsWithSize,
  fewSamples,
  lost,
  notWarm,
  wide,
} from './cell-warnings.js';
import {
  brokerRestarted,
  garbageCollection,
  generatorBehind,
  littlesLaw,
  notKeepingUp,
  runDelay,
  saturated,
  slowClock,
  stalled,
} from './host-warnings.js';

/** @import {Evidence, Verdict, WarningDeclaration} from './warning.js' */

/** All warnings, in their order in a record. @type {readonly WarningDeclaration[]} */
export const warnings = [
  runDelay,
  brokerRestarted,
  saturated,
  stalled,
  garbageCollection,
  drift,
  fewSamples,
  notWarm,
  lost,
  corrupted,
  duplicated,
  generatorBehind,
  notKeepingUp,
  littlesLaw,
  slowClock,
  belowFloor,
  fallsWithSize,
  wide,
];

/** @param {string} code @returns {WarningDeclaration | undefined} undefined for a warning of another version */
export function warningNamed(code) {
  return warnings.find((warning) => warning.code === code);
}

/** @param {readonly Evidence[]} cells all completed cells of one battle @returns {Map<string, Verdict>} by cell id */
export function judge(cells) {
  return new Map(cells.map((cell) => [cell.id, verdictOn(cell, cells)]));
}

/** @param {Evidence} cell @param {readonly Evidence[]} cells @returns {Verdict} */
function verdictOn(cell, cells) {
  const found = warnings.flatMap(({code, level, sentence, advice: general, adviceFor}) => {
    const message = sentence(cell, cells);
    if (message === null) return [];
    return [{level, warning: {code, message, advice: adviceFor?.(cell) ?? general}}];
  });
  const levels = found.map(({level}) => level);
  const status = levels.includes('suspect') ? 'suspect' : (levels[0] ?? 'valid');
  return {status, warnings: found.map(({warning}) => warning)};
}

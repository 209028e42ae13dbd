import {warnings as declared} from './warnings.js';

/** @import {Evidence} from './warning.js' */

/**
 * The verdict on each completed cell of a battle.
 *
 * @param {readonly Evidence[]} cells all completed cells of one battle
 * @returns {Map<string, {status: 'valid' | 'wide' | 'suspect', warnings: Warning[]}>} by cell id
 *
 * @typedef {{code: string, message: string, advice: string}} Warning
 */
export function judge(cells) {
  return new Map(cells.map((cell) => [cell.id, verdictOn(cell, cells)]));
}

/** @param {Evidence} cell @param {readonly Evidence[]} cells */
function verdictOn(cell, cells) {
  const found = declared.flatMap(({code, level, sentence, advice: general, adviceFor}) => {
    const message = sentence(cell, cells);
    if (message === null) return [];
    return [{level, warning: {code, message, advice: adviceFor?.(cell) ?? general}}];
  });
  const levels = found.map(({level}) => level);
  const status = levels.includes('suspect') ? 'suspect' : (levels[0] ?? 'valid');
  return {status, warnings: found.map(({warning}) => warning)};
}

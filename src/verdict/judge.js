import {crossCellWarnings} from './cross-cell-warnings.js';
import {ownWarnings} from './own-warnings.js';

/**
 * @import {Fingerprint} from '../results/fingerprint.js'
 * @import {Figures} from '../results/record-schema.js'
 * @import {JournalTrial} from '../results/trial.js'
 * @import {Variant} from '../transports/transport.js'
 */

/**
 * The verdict on each completed cell of a battle: its own warnings, and those that only show beside other cells.
 *
 * @param {readonly Evidence[]} cells all completed cells of one battle
 * @returns {Map<string, {status: 'valid' | 'suspect', warnings: Warning[]}>} by cell id
 */
export function judge(cells) {
  return new Map(
    cells.map((cell) => {
      const own = ownWarnings.map((warning) => tell(warning, warning.applies(cell)));
      const cross = crossCellWarnings.map((warning) => tell(warning, warning.applies(cell, cells)));
      const warnings = [...own, ...cross].filter((warning) => warning !== null);
      return [cell.id, {status: warnings.length > 0 ? 'suspect' : 'valid', warnings}];
    }),
  );
}

/**
 * What a verdict is made from.
 * @typedef {object} Evidence
 * @property {string} id
 * @property {string} transport
 * @property {Variant} variant
 * @property {string} workload
 * @property {'latency' | 'rate'} comparedBy
 * @property {boolean} isFloor whether others are compared with its transport
 * @property {number} maxInFlight requests of each client
 * @property {readonly ('client' | 'server')[]} busyRoles whose event loops the workload keeps busy on purpose
 * @property {number} payloadBytes
 * @property {Fingerprint} host
 * @property {Omit<Figures, 'verdict'>} figures
 * @property {readonly JournalTrial[]} trials those that count
 *
 * @typedef {{code: string, message: string, advice: string}} Warning
 */

/** @param {{code: string, advice: string}} warning @param {string | null} message @returns {Warning | null} */
function tell({code, advice}, message) {
  return message === null ? null : {code, message, advice};
}

import {warnings as declared} from './warnings.js';

/**
 * @import {Fingerprint} from '../results/fingerprint.js'
 * @import {Figures} from '../results/record-schema.js'
 * @import {JournalTrial} from '../results/trial.js'
 * @import {Variant} from '../transports/transport.js'
 */

/**
 * The verdict on each completed cell of a battle.
 *
 * @param {readonly Evidence[]} cells all completed cells of one battle
 * @returns {Map<string, {status: 'valid' | 'suspect', warnings: Warning[]}>} by cell id
 */
export function judge(cells) {
  return new Map(
    cells.map((cell) => {
      const found = declared.flatMap(({code, level, sentence, advice}) => {
        const message = sentence(cell, cells);
        return message === null ? [] : [{level, warning: {code, message, advice}}];
      });
      const warnings = found.map(({warning}) => warning);
      return [cell.id, {status: found[0]?.level ?? 'valid', warnings}];
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

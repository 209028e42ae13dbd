/**
 * The lines of a journal, by their kind. Readers ignore other kinds.
 *
 * @import {CellRecord} from '../results/record-schema.js'
 * @import {JournalTrial} from '../results/trial.js'
 * @import {Cell} from './cell.js'
 * @import {BattleContext} from './make-records.js'
 * @import {TrialOutcome} from './role-pair.js'
 */

/**
 * @typedef {BattleEntry | TrialEntry | CellRecord | BrokerEntry | RowsEntry} JournalEntry
 *
 * @typedef {{kind: 'battle', id: string, cells: readonly Cell[], owner: Owner} & BattleContext} BattleEntry a battle begins, or is resumed
 *
 * @typedef {{kind: 'trial', battleId: string, cell: number} & (JournalTrial | FailedTrial)} TrialEntry
 * @typedef {{round: number} & Extract<TrialOutcome, {outcome: 'failed'}>} FailedTrial
 *
 * @typedef {{kind: 'broker', battleId: string} & Pick<BattleContext, 'brokers' | 'versions'>} BrokerEntry
 *
 * @typedef {{kind: 'rows', battleId: string, results: string, rows: number}} RowsEntry rows were appended to the results
 *
 * @typedef {{hostname: string, pid: number, startTime: string | null}} Owner the process that runs a battle. The start time distinguishes it
 *   from a later process with the same pid
 */

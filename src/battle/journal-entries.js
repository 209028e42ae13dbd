/**
 * The lines of a journal, by their kind. Readers ignore other kinds.
 *
 * @import {CellRecord} from '../results/record-schema.js'
 * @import {ProcessIdentity} from '../measure/process-identity.js'
 * @import {JournalTrial} from '../results/trial.js'
 * @import {Cell} from './cell.js'
 * @import {BattleContext} from './make-records.js'
 * @import {TrialOutcome} from './role-pair.js'
 */

/**
 * @typedef {BattleEntry | OwnerEntry | TrialEntry | CellRecord | BrokerEntry | RowsEntry} JournalEntry
 *
 * @typedef {{kind: 'battle', id: string, cells: readonly Cell[], owner: Owner} & BattleContext} BattleEntry a battle begins, or is resumed
 *
 * @typedef {{kind: 'owner', battleId: string, owner: Owner}} OwnerEntry a process resumes a battle. Its hosts are not known yet
 *
 * @typedef {{kind: 'trial', battleId: string, cell: number} & (JournalTrial | FailedTrial)} TrialEntry
 * @typedef {{round: number} & Extract<TrialOutcome, {outcome: 'failed'}>} FailedTrial
 *
 * @typedef {{kind: 'broker', battleId: string} & Pick<BattleContext, 'brokers' | 'versions'>} BrokerEntry
 *
 * @typedef {{kind: 'rows', battleId: string, results: string, rows: number}} RowsEntry rows were appended to the results
 *
 * @typedef {ProcessIdentity & {uid?: number | null}} Owner the process that runs a battle, and its user; null where the system has no users, missing in
 *   journals of version 0.1.0
 */

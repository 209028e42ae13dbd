import type {ProcessIdentity} from '../measure/types.js';
import type {CellRecord} from '../results/record-schema.js';
import type {JournalTrial} from '../results/trial.js';
import type {Cell} from './cell.js';
import type {BattleContext} from './make-records.js';
import type {TrialOutcome} from './role-pair.js';

/** The lines of a journal, by their kind. Readers ignore other kinds. */

export type JournalEntry = BattleEntry | OwnerEntry | TrialEntry | CellRecord | BrokerEntry | RowsEntry;

/** A battle begins, or is resumed. */
export type BattleEntry = {kind: 'battle'; id: string; cells: readonly Cell[]; owner: Owner} & BattleContext;

/** A process resumes a battle. Its hosts are not known yet. */
export type OwnerEntry = {kind: 'owner'; battleId: string; owner: Owner};

export type TrialEntry = {kind: 'trial'; battleId: string; cell: number} & (JournalTrial | FailedTrial);

export type FailedTrial = {round: number} & Extract<TrialOutcome, {outcome: 'failed'}>;

export type BrokerEntry = {kind: 'broker'; battleId: string} & Pick<
  BattleContext,
  'brokers' | 'versions' | 'brokerVersions'
>;

/** Rows were appended to the results. */
export type RowsEntry = {kind: 'rows'; battleId: string; results: string; rows: number};

/** The process that runs a battle, and its user; null where the system has no users, missing in journals of version 0.1.0. */
export type Owner = ProcessIdentity & {uid?: number | null};

import type {
  BattleContext,
  BattleEntry,
  BattleState,
  BrokerEntry,
  JournalEntry,
  TrialEntry,
} from '../battle/types.js';
import type {Judgement} from '../expect/types.js';
import type {Journal} from '../results/journal.js';
import type {CellRecord} from '../results/record-schema.js';
import type {BattleSettings} from '../settings/index.js';
import type {TransportFacts} from '../transports/transport.js';

/** What a battle needs to run. state: is added to; known: of a resumed battle: what its earlier records share. */
export interface SessionRequest {
  state: BattleState;
  settings: BattleSettings;
  known?: Partial<BattleContext>;
  journal: Pick<Journal<JournalEntry>, 'append'> & Partial<Pick<Journal<JournalEntry>, 'warn'>>;
  signal: AbortSignal;
}

/** A battle that is over. */
export interface FinishedBattle {
  state: BattleState;
  settings: BattleSettings;
  context: BattleContext;
  records: CellRecord[];
  expectations: Judgement[];
  transports: TransportFacts;
}

/** A battle in the journal, from its newest lines. cells: by id; hasRows: the rows were appended to the results, and the exports written. */
export interface RecordedBattle {
  battle: BattleEntry;
  trials: TrialEntry[];
  cells: Map<string, CellRecord>;
  broker: BrokerEntry | null;
  hasRows: boolean;
}

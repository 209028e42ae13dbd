import type {CellRecord, Figures} from '../results/record-schema.js';
import type {Fingerprint, JournalTrial} from '../results/types.js';
import type {AnyVariant} from '../transports/transport.js';

/** A warning, declared once: docs/reading-results.md lists code and condition; a record holds code, sentence and advice. */
export interface WarningDeclaration {
  code: string;
  /** The status of a cell that has it; suspect outranks wide. */
  level: 'wide' | 'suspect';
  /** Ratios hold nevertheless of cells that are paired by round; in turn: and that it slowed alike. */
  sparesRatios?: 'paired' | 'in turn';
  /** The rate that was achieved is right nevertheless. */
  sparesRate?: boolean;
  /** The true time is at most what was measured, and the true rate at least. */
  onlySlows?: boolean;
  /** When a cell has it. */
  condition: string;
  /** What is wrong with this cell, or null; cells: all completed cells of the battle. */
  sentence: (cell: Evidence, cells: readonly Evidence[]) => string | null;
  advice: string;
  /** The advice for a cell, if not the same helps all of them. */
  adviceFor?: (cell: Evidence) => string;
  /** What is said in place of condition and advice where the short rounds of --quick are the reason. */
  ofQuick?: (rounds: number, areGiven: boolean) => string;
}

/** The facts about a cell on which its verdict is based. */
export interface Evidence {
  id: string;
  transport: string;
  variant: AnyVariant & {clients?: number};
  workload: string;
  comparedBy: 'latency' | 'rate';
  /** How the figures of its trials make that of the cell. */
  aggregate: 'mean' | 'median';
  /** Of its record. */
  guarantee?: CellRecord['guarantee'];
  /** Whether its transport is the floor for the others. */
  isFloor: boolean;
  /** Whether it may be faster: the floor is raw TCP of Node.js, and it runs in another language or does not use TCP. */
  mayBeatFloor?: boolean;
  /** Requests of each client. */
  maxInFlight: number;
  /** Whether a client always has that many in flight. */
  keepsWindowFull: boolean;
  /** Whose event loops the workload keeps busy on purpose. */
  busyRoles: readonly ('client' | 'server')[];
  payloadBytes: number;
  host: Fingerprint;
  figures: Omit<Figures, 'verdict'>;
  /** Those that count. */
  trials: readonly JournalTrial[];
}

/** A warning as a record has it. */
export interface Warning {
  code: string;
  message: string;
  advice: string;
}

export interface Verdict {
  status: 'valid' | 'wide' | 'suspect';
  warnings: Warning[];
}

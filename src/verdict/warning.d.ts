import type {CellRecord, Figures} from '../results/record-schema.js';
import type {Fingerprint, JournalTrial} from '../results/types.js';
import type {AnyVariant} from '../transports/transport.js';

/** Declares a warning. docs/reading-results.md lists its code and condition; a record holds its code, sentence and advice. */
export interface WarningDeclaration {
  code: string;
  /** The status of a cell with this warning; suspect outranks wide. */
  level: 'wide' | 'suspect';
  /** paired: ratios of cells paired by round are valid nevertheless; in turn: only if the cells were also slowed alike. */
  sparesRatios?: 'paired' | 'in turn';
  /** Whether the achieved rate is right nevertheless. */
  sparesRate?: boolean;
  /** Whether the true time is at most the measured time, and the true rate at least the measured rate. */
  onlySlows?: boolean;
  /** The condition under which a cell has the warning. */
  condition: string;
  /** Returns the problem of a cell, or null; cells: all completed cells of the battle. */
  sentence: (cell: Evidence, cells: readonly Evidence[]) => string | null;
  advice: string;
  /** Returns the advice for a cell, if the same advice does not fit all cells. */
  adviceFor?: (cell: Evidence) => string;
  /** Replaces condition and advice if the short rounds of --quick are the reason. */
  ofQuick?: (rounds: number, areGiven: boolean) => string;
}

/** The facts about a cell on which its verdict is based. */
export interface Evidence {
  id: string;
  transport: string;
  variant: AnyVariant & {clients?: number};
  workload: string;
  comparedBy: 'latency' | 'rate';
  /** The function that computes the figure of a cell from the figures of its trials. */
  aggregate: 'mean' | 'median';
  /** From the record of the cell. */
  guarantee?: CellRecord['guarantee'];
  /** Whether its transport is the floor for the others. */
  isFloor: boolean;
  /** Whether the cell may be faster than the floor, raw TCP of Node.js: it runs in another language or does not use TCP. */
  mayBeatFloor?: boolean;
  /** Requests of each client. */
  maxInFlight: number;
  /** Whether a client always has the maximum in flight. */
  keepsWindowFull: boolean;
  /** The roles whose event loops the workload keeps busy on purpose. */
  busyRoles: readonly ('client' | 'server')[];
  payloadBytes: number;
  host: Fingerprint;
  figures: Omit<Figures, 'verdict'>;
  /** The trials that count. */
  trials: readonly JournalTrial[];
}

/** A warning in a record. */
export interface Warning {
  code: string;
  message: string;
  advice: string;
}

export interface Verdict {
  status: 'valid' | 'wide' | 'suspect';
  warnings: Warning[];
}

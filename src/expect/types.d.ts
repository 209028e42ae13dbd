import type {nameOfVariant} from '../columns/names.js';
import type {AnyVariant} from '../transports/transport.js';

/** Whether a transport sustains a rate within a response time. */
export interface Choice {
  /** The id of the record of the transport. */
  cell: string;
  outcome: Outcome;
  sentence: string;
}

export interface ExpectedCell {
  transport: string;
  workload: string;
  payloadBytes: number;
  variant: AnyVariant;
  labels: Parameters<typeof nameOfVariant>[0];
}

export type Operator = '<' | '<=' | '>' | '>=';

/** What became of an expectation in one of its cells. */
export interface Judgement {
  /** The expectation as it was written. */
  expectation: string;
  /** The id of the record; null if no record is of a cell that it chooses. */
  cell: string | null;
  outcome: Outcome;
  /** The cell, its figures, and what was expected of them. */
  sentence: string;
}

export type Outcome = 'holds' | 'fails' | 'cannot tell';

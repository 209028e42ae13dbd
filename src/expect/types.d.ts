import type {nameOfVariant} from '../columns/names.js';
import type {AnyVariant} from '../transports/transport.js';

/** What choose is asked. */
export interface Question {
  /** In messages per second. */
  rate: number;
  /** The longest p99 of the response time that is accepted. */
  p99Ms: number;
  payloadBytes: number;
}

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

/** The outcome of an expectation for one of its cells. */
export interface Judgement {
  /** The expectation as it was written. */
  expectation: string;
  /** The id of the record; null if the expectation chooses no record. */
  cell: string | null;
  outcome: Outcome;
  /** Names the cell, its figures and the expected figures. */
  sentence: string;
}

export type Outcome = 'holds' | 'fails' | 'cannot tell';

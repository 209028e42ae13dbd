import type {WarmUp} from '../measure/types.js';
import type {Variant} from '../settings/index.js';
import type {TransportModule} from '../transports/transport.js';

/** One variant × workload × payload. */
export interface Cell {
  /** From 1, as planned. */
  number: number;
  transport: string;
  /** Every setting in force. */
  variant: Variant;
  workload: string;
  payloadBytes: number;
  /** Of a trial. */
  length: Length;
  /** How tables name it. */
  labels: Labels;
  /** Where a transport that is not part of perf-battle comes from. */
  module?: TransportModule;
}

/** Whichever is first of samples and duration. */
export interface Length {
  samples: number | null;
  durationMs: number | null;
  /** Whether the battle decides the duration, once some rounds have shown how the cell varies. */
  isOpen?: boolean;
  warmUp: WarmUp;
  /** Whether it is divided into slices, in turn with other cells; missing in journals of version 0.1.0, without slices. */
  inSlices?: boolean;
}

export interface Labels {
  /** RabbitMQ, HTTP, …. */
  facilitator: string;
  /** What tells the usual variants apart: mode 1. */
  qualifier: string | null;
  /** That are not the default. */
  settings: string[];
  /** Yes, No or *N/A*. */
  persistent: string;
}

import type {Broker} from '../../brokers/kind.js';
import type {Conclusion, Evidence, FoundFaults, FoundOfFault, NotTried, Row} from '../../faults/found.js';
import type {Host} from '../../hosts/types.js';
import type {Fingerprint} from '../../results/types.js';
import type {BattleValues, FaultSettings} from '../../settings/index.js';

/** warnings: settings from the environment that have no effect. */
export type FaultPlan = {settings: FaultSettings; rows: Row[]; load: LoadSettings; warnings: string[]};

/** Which parts run on other hosts. */
export type Elsewhere = {server: boolean; broker: boolean};

/** The hosts of a run of faults. The clients are on this host, so that its clock times the outcomes of messages and the faults. */
export interface Places {
  client: Host;
  server: Host;
  broker: Host;
  close: () => Promise<void>;
}

/** rate: messages per second. */
export type LoadSettings = {rate: number; window: number};

/** names: on the broker. */
export interface LoadContext {
  hosts: {server: Host; client: Host};
  broker: Broker | null;
  values: BattleValues;
  names: Record<string, string>;
  signal: AbortSignal;
}

/** id: part of the names of queues; save: is called after each fault of a row. */
export interface FaultRun {
  id: string;
  rows: readonly Row[];
  settings: FaultSettings;
  load: LoadSettings;
  note: (line: string) => void;
  save: (found: {row: Row; evidence: Evidence | null; found: FoundOfFault}) => Promise<void>;
  signal: AbortSignal;
}

/** The messages that came out of a queue. received: their sequence numbers; acknowledged: null if the transport does not report them. */
export interface Drained {
  received: Set<number>;
  acknowledged: Set<number> | null;
  duplicated: number;
  reordered: number;
  corrupted: number;
}

/**
 * The times of a fault by the monotonic clock of this host. fromMs: its beginning; hitMs: until then, messages could reach the target; untilMs: the
 * target was available again; null if it stayed down; servedMs: servers that ended with a broker were available again, too; copy: the number of the disk's
 * copy; alarm: why the broker took no messages, in its own words.
 */
export type Strike = {
  fromMs: number;
  hitMs: number;
  untilMs: number | null;
  servedMs?: number;
  copy?: number;
  alarm?: string;
};

/** A finished run. rate: messages per second; rate, window: null if all rows are programs; resend: whether some row sends messages again; hosts: hosts other than this one. */
export interface FinishedFaults {
  run: {
    runId: string;
    startedAt: string;
    seed: number;
    resend: boolean;
    hosts?: {server: string | null; broker: string | null};
    rate: number | null;
    window: number | null;
  };
  host: Fingerprint;
  versions: Record<string, string | null>;
  found: FoundFaults;
  conclusions: Conclusion[];
}

/** The document of a run for --json. interrupted: of a run in a journal without its end. The versions of a row include those of its own broker. */
export interface FaultsDocument {
  faults: FinishedFaults['run'] &
    Pick<FinishedFaults, 'host' | 'versions'> & {notTried: NotTried[]; interrupted?: true};
  rows: (Conclusion & Pick<FinishedFaults, 'versions'>)[];
}

/** A line to the proxy. route: sets the target of a port; cut: resets all connections. */
export type ProxyCommand =
  | {command: 'route'; index: number; to: {host: string; port: number}}
  | {command: 'cut'};

/** A line from the proxy. listening: all ports are open; cut: the number of reset connections. */
export type ProxyEvent = {event: 'listening'; ports: number[]} | {event: 'cut'; connections: number};

import type {ForeignLoad} from '../hosts/types.js';
import type {Fingerprint} from '../results/types.js';

/** What affects measurements on a host. A fact is null if the system does not report it. */
export interface Facts {
  /** NODE_OPTIONS of the environment; empty if unset. */
  nodeOptions: string;
  fingerprint: Fingerprint;
  /** The CPU use of other processes, over half a second. */
  load: ForeignLoad | null;
  /** Whether cores may run above their base frequency. */
  turbo: boolean | null;
  /** The enabled state with the longest exit. */
  idleState: {state: string; exitMicros: number} | null;
  /** Whether this process may let idle cores poll for work; null: they do not know how. */
  mayPoll: boolean | null;
  /** The time by which the kernel may delay a timer of this process. */
  timerSlackMicros: number | null;
  /** pagesIn: in half a second. */
  swap: {usedBytes: number; pagesIn: number} | null;
  availableBytes: number | null;
  openFiles: number | null;
  /** count: for outgoing connections; waiting: connections in TIME_WAIT. */
  ports: {count: number; waiting: number} | null;
  /** Limits of control groups. */
  limits: {cores: number | null; throttledMs: number | null};
  tcp: {congestionControl: string | null; slowStartAfterIdle: boolean | null};
  disk: DiskFacts | null;
  caches: CacheFacts | null;
}

/** How long it takes to read memory that was read 10 ms before. Times are for each cache line. */
export interface CacheFacts {
  tries: number;
  /** The number of tries in which the memory was no longer in a cache. */
  evicted: number;
  bestNs: number;
  medianNs: number;
}

/** The folder for temporary files, where private brokers keep their queues. */
export interface DiskFacts {
  folder: string;
  freeBytes: number;
  fileSystem: string | null;
  /** Median of the times until a page is on the disk; null if the folder is not writable. */
  fsyncMs: number | null;
}

/** level: warning: figures may suffer; error: a battle, or a part of it, cannot run. advice: null for level ok. */
export interface Finding {
  check: string;
  level: 'ok' | 'warning' | 'error';
  finding: string;
  advice: string | null;
}

import type {Consumption, Counts, Interference, Timed} from '../measure/types.js';
import type {EncodedHistogram} from '../stats/histogram.js';

/** What a trial found, as the battle hands it to the journal and the figures of a cell are computed from it. */
export type MeasuredTrial = Latency & TrialFigures;

/** The latencies of all clients; null, and no samples, where nothing comes back or no latency is known. */
export type Latency = {[Field in keyof EncodedHistogram]: EncodedHistogram[Field] | null} & {samples: number};

export type TrialFigures = {
  /** What trials are compared by: the mean latency, or the time per message. */
  figureMs: number;
  /** The rate by the wall clock. */
  messagesPerSecond: number;
  /** The sum of what each client, or each server, had by its own time. */
  summedPerSecond: number;
  /** From the first client's begin to the last one's end. */
  wallMs: number;
  /** Other distributions, by names that the workload declares. */
  beside: Record<string, EncodedHistogram>;
  /** Parts that are timed apart, likewise. */
  phases: Record<string, Timed>;
  /** Other figures, likewise. */
  notes: Record<string, number>;
  counts: Counts;
  /** What was wrong with the first wrong message. */
  mismatch: string | null;
  /** Requests of the warm-up. */
  discarded: number;
  /**
   * Means in ms of ten parts of the samples, with equal numbers of samples; null where there are too few or the clients have none; missing
   * in a journal of version 0.1.0.
   */
  windows?: number[] | null;
  /** Of version 0.1.0: whether the median had settled when the warm-up ended. */
  warm?: boolean;
  /** Requests that reached the servers. */
  served: number;
  /**
   * How far the clocks of hosts may be apart between which one-way messages went; `withheld`: of older versions, which stored no latencies
   * that were no longer than that.
   */
  oneWay: {clockBoundMs: number; withheld?: boolean} | null;
  /** What the processes of each role used; null where that is not known. */
  usage: {client: RoleUsage; server: RoleUsage | null; broker: CpuTimes | null};
  hostLoads: HostLoad[];
  /**
   * The largest share, over the processes of the roles, of the time in which one was ready to run and others kept it from running; null
   * where the system does not tell; not there in journals of version 0.1.0.
   */
  lostShare?: number | null;
  /**
   * The largest share of a host's CPU that other processes used, over the hosts on which several processes of the trial ran; null where it
   * is not known; missing in journals of version 0.1.0.
   */
  foreignShare?: number | null;
  /** From the start of the first client's measured part to that of the last one; null for one client. */
  startSkewMs?: number | null;
  /** What the mean round trip consists of; null where that was not asked for, or is not known. */
  anatomy?: TrialAnatomy | null;
  /** Segments that TCP sent again on the hosts of the roles; null where it is not known. */
  tcpRetransmits?: number | null;
  /** What the transport itself sent again; null where it leaves that to TCP. */
  retransmissions?: number | null;
  /** The bytes that had to wait for each other on the link between the hosts; null within one host, and where they are not known. */
  linkBytesPerSecond?: number | null;
  /**
   * Whether the broker is another one than when the battle began: it was restarted, or replaced; null where that is not seen, or without a
   * broker.
   */
  brokerRestarted?: boolean | null;
  /** The slices in which the trial was measured, in turn with other trials; missing: in one piece. */
  slices?: number;
  /** What raw TCP took that was measured beside it; missing: its ratio is to the trial of raw TCP in the same round. */
  floorMs?: number;
  /** Settings that only the running processes know, by key. */
  details: Record<string, unknown>;
};

/** The parts of the mean round trip. */
export type TrialAnatomy = {
  /** From the client to the server's handler. */
  requestMs: number;
  /** In the handler. */
  handlerMs: number;
  /** From the handler to the client. */
  replyMs: number;
  /** How far the clocks of the two ends may be apart, 0 on one host. */
  clockBoundMs: number;
  /** Both ways at the broker; null where they are not known, missing without a broker. */
  hops?: HopMeans | null;
  /** Why they are not known. */
  noHops?: string | null;
};

export type HopMeans = {request: WayByBroker; reply: WayByBroker};

/** Until the broker has the whole message, until it begins to send it on, and from there. */
export type WayByBroker = {beforeMs: number; brokerMs: number; afterMs: number};

/** What all processes of a role used. */
export type RoleUsage = Omit<Consumption, 'host'> & {checkingMs?: number} & Partial<Interference>;

/** `maxRssBytes`: the peak over the measured part. */
export type CpuTimes = {userMs: number; systemMs: number; maxRssBytes: number | null};

/** The cores on which the processes of a role ran, on each of its hosts; null: any, or there is no such role. */
export type PlacementRecord = {
  client: number[] | null;
  server: number[] | null;
  broker: number[] | null;
  /** 'main': of the roles, only the threads that run their JavaScript were held there; missing: all. */
  threads?: 'main' | 'all';
};

/** Of idle cores in a trial: they poll for work, are kept awake by loops, or sleep. */
export type CoreState = 'polling' | 'awake' | 'sleeping';

/**
 * The time of a cache line from one core of a host to the other and back, in ns: percentiles (nearest rank) over the parts of a trial.
 */
export type CoreDistance = {p10Ns: number; p50Ns: number; p90Ns: number};

/** What a host had to do while it was measured. */
export type HostLoad = {
  /** The name of the host. */
  host: string;
  /** CPU time of all that ran there. */
  busyMs: number;
  /** What the hypervisor gave to others. */
  stealMs: number;
  /** The time of all cores of the host together. */
  capacityMs: number;
  /** The part of `busyMs` that roles and broker used; null where the broker's part is not known. */
  oursMs: number | null;
  /** What other processes used, at least; null likewise; missing in journals of version 0.1.0. */
  foreignMs?: number | null;
};

/** The distributions of every open loop: latency from when a message was sent, and how late it was sent. */
export type OpenLoopDistributions<Distribution> = {service: Distribution; sendLag: Distribution};

/**
 * `askedPerSecond`: the rate that the schedule came to, because random arrivals are more or less frequent than asked; `connectionsOpened`:
 * the connections that were opened meanwhile, if their number depends on the load.
 */
export type OpenLoopNotes = {askedPerSecond: number; connectionsOpened?: number};

/**
 * A completed trial, as the journal keeps it. Only in journals of version 0.1.0: stealShare, the share of its host that the hypervisor
 * took; and repeat, of a trial that has the round of the disturbed one. Such journals have no placement.
 */
export type JournalTrial = {
  outcome: 'completed';
  startedAt: string;
  round: number;
  repeat?: boolean;
  disturbed: boolean;
  stealShare?: number | null;
  placement?: PlacementRecord | null;
  coreState?: CoreState;
  /** Missing where it is not known, and in older journals. */
  coreDistance?: CoreDistance;
} & MeasuredTrial;

/** What the CPU per message of a cell counts. */
export type CpuRule = {
  /** False if the client's CPU says nothing about the transport; the sum over the roles is then a lower bound. */
  countsClient: boolean;
  /**
   * The messages by which the CPU of servers and broker is divided: all that count, those that a cache answered included, or those that
   * reached the servers.
   */
  countedAs: 'received' | 'served';
  /** There if the server's CPU is a part of the client's. */
  serverInClient?: true;
};

/** Describes a host; read before anything is measured. Facts that the system does not provide are null. */
export type Fingerprint = {
  hostname: string;
  /** The model of the processor. */
  cpu: string | null;
  /** The cores that processes may use, by their affinity. */
  cores: number;
  /** All cores of the host; missing in older journals. */
  hostCores?: number;
  memoryBytes: number;
  architecture: string;
  os: string;
  kernel: string;
  /** CPU frequency scaling. */
  governor: string | null;
  /** The clock source of the kernel. */
  clockSource: string | null;
  /** How long a reading of the clock takes, measured; missing in older journals. */
  clockReadNanos?: number;
  /** KVM, Xen, …; null also on bare metal, and where no `lscpu` tells it. */
  virtualization: string | null;
  node: string;
  /** The instance of EC2. */
  instance: Instance | null;
};

/** Facts about an EC2 instance. */
export type Instance = {
  /** Such as t2.micro. */
  type: string;
  /** Availability zone. */
  zone: string | null;
  placementGroup: string | null;
};

/** A line of a journal, before it is checked. */
export type Entry = {kind: string; [field: string]: any};

/**
 * The faults that can be done to the parts of a battle. To add a fault, add an entry here.
 *
 * @typedef {object} Fault
 * @property {string} summary a short description
 * @property {Target} target
 * @property {Target} [ofQueue] the target in a row with a queue, if it is another one
 * @property {'crash' | 'power cut' | null} kind the kind of failure that the outcome is evidence of
 * @property {Step[]} steps what is done to the target before the wait of `--restart-after`
 * @property {Step[]} after what is done after that wait; empty if the target returns at once
 * @property {boolean} [untilAlarm] after `steps`, waits until the broker reports that it accepts no messages; at the end, waits until it accepts
 *   messages again
 * @property {boolean} [isDefault] whether the fault is done by default
 * @property {boolean} [isOfAllSettings] whether the fault is done by default with --all-settings
 * @property {(size: number) => number} [nodesHit] the number of nodes hit in a cluster of this size
 * @property {boolean} [acceptsMessages] whether the broker accepts messages during the fault. Then they are at risk until its end
 * @property {boolean} [isCut] whether the disk of the broker is copied; the broker is started on the copies later
 *
 * @typedef {'broker' | 'node' | 'server' | 'consumer' | 'connection' | 'network' | 'daemon'} Target node: nodes of a cluster; consumer: the consumer of a
 *   queue, which runs only during such a fault; daemon: the daemons beside the programs of another author
 *
 * @typedef {'kill' | 'stop' | 'start' | 'pause' | 'resume' | 'slow' | 'fill' | 'empty' | 'exhaust' | 'relieve' | 'cut' | 'mend'} Step
 */

/** @satisfies {Record<string, Fault>} */
const faults = {
  'kill-broker': {
    summary: 'SIGKILL to the broker, which is started again on its data',
    target: 'broker',
    kind: 'crash',
    steps: ['kill'],
    isDefault: true,
    after: ['start'],
  },
  'power-loss': {
    summary: "a copy of the broker's disk at one moment, from which it is started later",
    target: 'broker',
    kind: 'power cut',
    steps: ['pause'],
    isDefault: true,
    after: ['resume'],
    isCut: true,
  },
  'stop-broker': {
    summary: 'an orderly stop of the broker (SIGTERM), which is started again',
    target: 'broker',
    kind: null,
    steps: ['stop'],
    after: ['start'],
  },
  'pause-broker': {
    summary: 'the broker is paused (SIGSTOP, SIGCONT)',
    target: 'broker',
    kind: null,
    steps: ['pause'],
    after: ['resume'],
  },
  'fill-disk': {
    summary: "the broker's disk is filled until it accepts no messages, and emptied",
    target: 'broker',
    kind: null,
    steps: ['fill'],
    after: ['empty'],
    untilAlarm: true,
    acceptsMessages: true,
  },
  'memory-alarm': {
    summary: "the broker's memory limit is cut until it accepts no messages, and then restored",
    target: 'broker',
    kind: null,
    steps: ['exhaust'],
    after: ['relieve'],
    untilAlarm: true,
    acceptsMessages: true,
  },
  'kill-node': {
    summary: 'SIGKILL to one node of a cluster, each in turn, which is started again',
    target: 'node',
    kind: null,
    steps: ['kill'],
    after: ['start'],
    nodesHit: () => 1,
    acceptsMessages: true,
  },
  minority: {
    summary: 'SIGKILL to all nodes of a cluster but the smallest majority, at once',
    target: 'node',
    kind: null,
    steps: ['kill'],
    after: ['start'],
    nodesHit: (size) => Math.ceil(size / 2) - 1,
    acceptsMessages: true,
  },
  majority: {
    summary: 'SIGKILL to enough nodes of a cluster at once that no majority is left',
    target: 'node',
    kind: null,
    steps: ['kill'],
    after: ['start'],
    nodesHit: (size) => Math.floor(size / 2) + 1,
  },
  'kill-server': {
    summary: 'SIGKILL to a server, which is started again at the same port',
    target: 'server',
    kind: 'crash',
    steps: ['kill'],
    isDefault: true,
    after: ['start'],
  },
  'pause-server': {
    summary: 'a server is paused (SIGSTOP, SIGCONT)',
    target: 'server',
    kind: null,
    steps: ['pause'],
    after: ['resume'],
  },
  'slow-consumer': {
    summary: 'a server, or the consumer of a queue, runs only a tenth of the time',
    target: 'server',
    ofQueue: 'consumer',
    kind: null,
    steps: ['slow'],
    after: ['resume'],
    acceptsMessages: true,
  },
  'kill-consumer': {
    summary: 'SIGKILL to the consumer of a queue, which is started again',
    target: 'consumer',
    kind: null,
    steps: ['kill'],
    isOfAllSettings: true,
    after: ['start'],
    acceptsMessages: true,
  },
  'kill-daemon': {
    summary: 'SIGKILL to the daemons that a program of --external names, which stay down',
    target: 'daemon',
    kind: null,
    steps: ['kill'],
    after: [],
  },
  'cut-connection': {
    summary: 'all connections to the broker, or to the servers, are reset',
    target: 'connection',
    kind: null,
    steps: [],
    after: [],
  },
  'cut-network': {
    summary: 'the network between clients and broker, or servers, is silent',
    target: 'network',
    kind: null,
    steps: ['cut'],
    after: ['mend'],
  },
};

/** @typedef {keyof typeof faults} FaultName */

export const faultNames = /** @type {readonly FaultName[]} */ (Object.keys(faults));

/**
 * A value of --fault. at: the range for the random time of the first strike, in ms after the begin of the load; null: as soon as the load is
 * steady.
 * @typedef {{name: FaultName, at: {fromMs: number, toMs: number} | null}} AskedFault
 */

/** @param {Fault} fault @param {{stores: boolean}} row @returns {Target} */
export function targetIn({target, ofQueue = target}, {stores}) {
  return stores ? ofQueue : target;
}

/** Whether a fault ends its target, which is then started again. @param {Fault} fault */
export function endsItsTarget({after}) {
  return after.includes('start');
}

/** @param {FaultName} name @returns {Fault} */
export function faultNamed(name) {
  return faults[name];
}

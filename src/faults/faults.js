/**
 * The faults that can be done to the parts of a battle. To add one, add an entry here.
 *
 * @typedef {object} Fault
 * @property {string} summary what is done, in a few words
 * @property {'broker' | 'server' | 'connection' | 'network'} target
 * @property {'crash' | 'power cut' | null} kind what the outcome is evidence of
 * @property {Step[]} steps before `--restart-after`, by what they do to the target
 * @property {Step[]} after it; empty: what was hit is there at once
 * @property {boolean} [untilAlarm] between `steps` and `--restart-after`, the broker is waited for until it says that it takes no messages; at the end, until
 *   it takes them again
 * @property {boolean} [isDefault] whether it is done unless others are asked for
 * @property {boolean} [isCut] the disk of the broker is copied, and the broker is started on the copies later
 *
 * @typedef {'kill' | 'stop' | 'start' | 'pause' | 'resume' | 'fill' | 'empty' | 'cut' | 'mend'} Step
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
    summary: "a copy of the broker's disk at a moment, on which it is started later",
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
    summary: 'the broker stands still (SIGSTOP, SIGCONT)',
    target: 'broker',
    kind: null,
    steps: ['pause'],
    after: ['resume'],
  },
  'fill-disk': {
    summary: "the broker's disk is filled until it takes no messages, and emptied",
    target: 'broker',
    kind: null,
    steps: ['fill'],
    after: ['empty'],
    untilAlarm: true,
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
    summary: 'a server stands still (SIGSTOP, SIGCONT)',
    target: 'server',
    kind: null,
    steps: ['pause'],
    after: ['resume'],
  },
  'cut-connection': {
    summary: 'all connections to the broker, or to the servers, are reset',
    target: 'connection',
    kind: null,
    steps: [],
    after: [],
  },
  'cut-network': {
    summary: 'the network between clients and what they talk to is silent',
    target: 'network',
    kind: null,
    steps: ['cut'],
    after: ['mend'],
  },
};

/** @typedef {keyof typeof faults} FaultName */

export const faultNames = /** @type {readonly FaultName[]} */ (Object.keys(faults));

/** @param {FaultName} name @returns {Fault} */
export function faultNamed(name) {
  return faults[name];
}

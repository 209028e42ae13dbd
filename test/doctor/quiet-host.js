/** @import {Facts} from '../../src/doctor/types.js' */

/** A host with nothing to say against it. @type {Facts} */
export const quietHost = {
  nodeOptions: '',
  fingerprint: {
    ...{
      hostname: 'h',
      cpu: 'A CPU',
      cores: 8,
      memoryBytes: 16e9,
      architecture: 'x64',
      os: 'Debian',
      kernel: '6',
    },
    ...{
      governor: 'performance',
      clockSource: 'tsc',
      clockReadNanos: 40,
      virtualization: null,
      node: 'v20.20.2',
    },
    instance: null,
  },
  load: {host: 'this host', cores: 8, share: 0.01, stealShare: 0},
  turbo: false,
  idleState: {state: 'C1', exitMicros: 2},
  mayPoll: true,
  timerSlackMicros: 50,
  swap: {usedBytes: 0, pagesIn: 0},
  availableBytes: 8e9,
  openFiles: 65_536,
  ports: {count: 28_232, waiting: 10},
  limits: {cores: null, throttledMs: 0},
  tcp: {congestionControl: 'cubic', slowStartAfterIdle: true},
  caches: {tries: 60, evicted: 3, bestNs: 4.2, medianNs: 5.1},
  disk: {folder: '/tmp', freeBytes: 1e11, fileSystem: 'ext4', fsyncMs: 1.2},
};

import assert from 'node:assert/strict';
import {describe, it} from 'node:test';
import fc from 'fast-check';
import {
  cpuLimitOf,
  findThrottling,
  formatCores,
  parseCores,
  readMainThread,
} from '../../src/measure/cores.js';

/** @type {[string, number[] | undefined, string?][]} */
const lists = [
  ['0', [0]],
  ['0,1', [0, 1], '0-1'],
  ['0-3', [0, 1, 2, 3]],
  ['7,0-2', [0, 1, 2, 7], '0-2,7'],
  ['3,3', [3], '3'],
  ['0-1\n', [0, 1], '0-1'],
  ['', undefined],
  ['1-', undefined],
  ['3-1', undefined],
  ['-1', undefined],
  ['0,,1', undefined],
  ['a', undefined],
  ['0-8192', undefined],
];
for (const [text, cores, formatted = text] of lists) {
  it(`a list of cores ${JSON.stringify(text)} is ${JSON.stringify(cores) ?? 'none'}`, () => {
    assert.deepEqual(parseCores(text), cores);
    if (cores) assert.equal(formatCores(cores), formatted);
  });
}

it('any list of cores is read back as it was written', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.integer({min: 0, max: 300}), {minLength: 1}), (some) => {
      const cores = some.toSorted((one, other) => one - other);
      assert.deepEqual(parseCores(formatCores(cores)), cores);
    }),
  );
});

/** @param {Record<string, string>} files */
const throttledIn = (files) => findThrottling((path) => files[path] ?? null)();

it('the limits of version 2 are those of all groups above the process', () => {
  const files = {
    '/proc/self/cgroup': '0::/user.slice/battle.scope\n',
    '/sys/fs/cgroup/cpu.stat': 'usage_usec 9000\nuser_usec 8000\n',
    '/sys/fs/cgroup/user.slice/cpu.stat': 'usage_usec 5000\nnr_throttled 2\nthrottled_usec 1500\n',
    '/sys/fs/cgroup/user.slice/battle.scope/cpu.stat':
      'usage_usec 10\nthrottled_usec 20000\nnr_bursts 0\nburst_usec 7\n',
  };
  assert.equal(throttledIn(files), 21.5);
});

it('the limits of version 1 are in the hierarchy of the CPU', () => {
  const files = {
    '/proc/self/cgroup': '9:name=systemd:/a\n3:cpuset:/\n2:cpu,cpuacct:/docker/1\n0::/\n',
    '/sys/fs/cgroup/cpu,cpuacct/cpu.stat': 'nr_periods 0\nnr_throttled 0\nthrottled_time 0\n',
    '/sys/fs/cgroup/cpu,cpuacct/docker/1/cpu.stat': 'nr_periods 9\nnr_throttled 3\nthrottled_time 2500000\n',
  };
  assert.equal(throttledIn(files), 2.5);
});

it('in a container, the mount is the group, whatever the path outside is', () => {
  const files = {
    '/proc/self/cgroup': '4:cpu:/docker/1\n',
    '/sys/fs/cgroup/cpu/cpu.stat': 'nr_periods 9\nnr_throttled 3\nthrottled_time 4000000\n',
  };
  assert.equal(throttledIn(files), 4);
});

it('what the limits are is read again each time', () => {
  /** @type {Record<string, string>} */
  const files = {'/proc/self/cgroup': '0::/\n', '/sys/fs/cgroup/cpu.stat': 'throttled_usec 1000\n'};
  const readThrottledMs = findThrottling((path) => files[path] ?? null);
  assert.equal(readThrottledMs(), 1);
  files['/sys/fs/cgroup/cpu.stat'] = 'throttled_usec 3000\n';
  assert.equal(readThrottledMs(), 3);
});

for (const [where, files] of /** @type {[string, Record<string, string>][]} */ ([
  ['without control groups', {}],
  [
    'whose groups have no limit',
    {'/proc/self/cgroup': '0::/\n', '/sys/fs/cgroup/cpu.stat': 'usage_usec 9\n'},
  ],
])) {
  it(`on a host ${where} throttling is not known`, () => assert.equal(throttledIn(files), null));
}

describe('the CPU limit', () => {
  /** @param {Record<string, string>} files @param {number} [cores] */
  const limitIn = (files, cores = 4) => cpuLimitOf((path) => files[path] ?? null, cores);
  const ofVersion2 = {
    '/proc/self/cgroup': '0::/docker/1\n',
    '/sys/fs/cgroup/docker/cpu.max': 'max 100000\n',
    '/sys/fs/cgroup/docker/1/cpu.max': '150000 100000\n',
  };

  it('is the smallest of all groups above the process', () => {
    assert.equal(limitIn(ofVersion2), 1.5);
    assert.equal(limitIn({...ofVersion2, '/sys/fs/cgroup/docker/cpu.max': '50000 100000\n'}), 0.5);
  });

  it('is none if it leaves the process all cores', () => {
    assert.equal(limitIn(ofVersion2, 1), null);
    assert.equal(limitIn({'/proc/self/cgroup': '0::/\n', '/sys/fs/cgroup/cpu.max': 'max 100000\n'}), null);
    assert.equal(limitIn({}), null);
  });

  it('of version 1 is in two files', () => {
    const files = {
      '/proc/self/cgroup': '4:cpu:/docker/1\n',
      '/sys/fs/cgroup/cpu/cpu.cfs_quota_us': '-1\n',
      '/sys/fs/cgroup/cpu/cpu.cfs_period_us': '100000\n',
      '/sys/fs/cgroup/cpu/docker/1/cpu.cfs_quota_us': '200000\n',
      '/sys/fs/cgroup/cpu/docker/1/cpu.cfs_period_us': '100000\n',
    };
    assert.equal(limitIn(files), 2);
    assert.equal(limitIn({...files, '/sys/fs/cgroup/cpu/docker/1/cpu.cfs_quota_us': '-1\n'}), null);
  });
});

/** @param {Record<string, string>} files */
const readFrom = (files) => readMainThread((path) => files[path] ?? null);

it('the scheduler reports the CPU time, the run delay and the migrations of the main thread', () => {
  const files = {
    '/proc/self/schedstat': '1500000 250000 12\n',
    '/proc/self/sched':
      'node (7, #threads: 7)\n-----\nse.exec_start : 1.5\nse.nr_migrations                             :                    3\nnr_switches : 20\n',
  };
  const times = {cpuMs: 1.5, runDelayMs: 0.25, wakeUps: 12, migrations: 3};
  assert.deepEqual(readFrom(files), times);
  const folder = '/proc/7/task/9';
  const ofOther = (/** @type {string} */ path) =>
    files[/** @type {'/proc/self/sched'} */ (path.replace(folder, '/proc/self'))];
  assert.deepEqual(
    readMainThread((path) => (path.startsWith(folder) ? ofOther(path) : null), folder),
    times,
  );
});

it('what the scheduler does not report is not known, rather than 0', () => {
  assert.deepEqual(readFrom({}), {cpuMs: null, runDelayMs: null, wakeUps: null, migrations: null});
  assert.deepEqual(readFrom({'/proc/self/schedstat': '1000000 0 1\n', '/proc/self/sched': 'node\n'}), {
    cpuMs: 1,
    runDelayMs: 0,
    wakeUps: 1,
    migrations: null,
  });
});

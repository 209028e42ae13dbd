import assert from 'node:assert/strict';
import {describe, it, test} from 'node:test';
import {nats} from '../../src/brokers/nats/index.js';
import {rabbitmq} from '../../src/brokers/rabbitmq/index.js';
import {checks, examine, worstOf} from '../../src/doctor/checks.js';
import {quietHost as good} from './quiet-host.js';

/**
 * @import {BrokerKind} from '../../src/brokers/kind.js'
 * @import {Facts} from '../../src/doctor/types.js'
 */

const kinds = [rabbitmq, nats];

test('a quiet host with cores and a disk is ok in everything', () => {
  assert.deepEqual(
    examine(good, kinds).filter(({level}) => level !== 'ok'),
    [],
  );
});

const disk = /** @type {NonNullable<Facts['disk']>} */ (good.disk);

/** Each spoils one thing. @type {{change: Partial<Facts>, check: string, level?: string, finding: RegExp, advice: RegExp}[]} */
const spoilt = [
  {
    change: {nodeOptions: '--max-old-space-size=4096 --inspect=0'},
    ...{check: 'Node.js', finding: /^v20\.20\.2 with --inspect in NODE_OPTIONS/, advice: /Unset/},
  },
  {
    change: {load: {host: 'this host', cores: 8, share: 0.38, stealShare: 0.02}},
    ...{
      check: 'load',
      finding: /^38 % of the CPU is in use by others, 2 % taken by the hypervisor/,
      advice: /Stop/,
    },
  },
  {
    change: {fingerprint: {...good.fingerprint, cores: 2}},
    ...{
      check: 'cores',
      finding: /^2: client and server share theirs/,
      advice: /Use a host with 4 or more/,
    },
  },
  {
    change: {fingerprint: {...good.fingerprint, cores: 1}},
    ...{check: 'cores', finding: /^1: too few/, advice: /Use a host with 4 or more/},
  },
  {
    change: {limits: {cores: 1.5, throttledMs: 320}},
    ...{check: 'CPU limit', finding: /^1\.5 of 8 cores; it stopped processes for 320 ms/, advice: /Raise/},
  },
  {
    change: {fingerprint: {...good.fingerprint, governor: 'powersave'}},
    ...{check: 'frequency', finding: /^governor powersave/, advice: /cpupower frequency-set/},
  },
  {change: {turbo: true}, check: 'turbo', finding: /^on$/, advice: /Turn turbo off/},
  {
    change: {idleState: {state: 'C6', exitMicros: 133}},
    ...{check: 'idle states', finding: /C6, takes 133 µs/, advice: /cpupower idle-set/},
  },
  {
    change: {mayPoll: false},
    ...{check: 'awake cores', finding: /may not let idle cores poll/, advice: /cpu_dma_latency/},
  },
  {
    change: {fingerprint: {...good.fingerprint, clockSource: 'acpi_pm', clockReadNanos: 900}},
    ...{check: 'clock', finding: /^acpi_pm, 900 ns a reading/, advice: /Write tsc/},
  },
  {
    change: {fingerprint: {...good.fingerprint, clockSource: 'tsc', clockReadNanos: 900}},
    ...{check: 'clock', finding: /^tsc, 900 ns a reading/, advice: /^No clock source is faster than tsc/},
  },
  {
    change: {fingerprint: {...good.fingerprint, clockSource: null, clockReadNanos: 900}},
    ...{check: 'clock', finding: /^unknown source, 900 ns a reading/, advice: /^Use another host/},
  },
  {
    change: {timerSlackMicros: 5000},
    check: 'timers',
    finding: /^5000 µs of slack/,
    advice: /another service/,
  },
  {
    change: {swap: {usedBytes: 1e9, pagesIn: 7}},
    check: 'memory',
    finding: /^7 pages were read/,
    advice: /swapoff/,
  },
  {
    change: {availableBytes: 5e8},
    check: 'memory',
    finding: /^477 MiB available/,
    advice: /RabbitMQ.* 1\.0 GiB/,
  },
  {change: {openFiles: 256}, check: 'open files', finding: /^256 for a process/, advice: /ulimit -n/},
  {
    change: {ports: {count: 28_232, waiting: 27_000}},
    check: 'ports',
    finding: /27000 connections in TIME_WAIT/,
    advice: /ip_local_port_range/,
  },
  {
    change: {caches: {tries: 60, evicted: 41, bestNs: 6.4, medianNs: 118.2}},
    ...{
      check: 'caches',
      finding: /in a cache in 19 of 60 tries \(a line took 118 ns, 6 ns at best\)/,
      advice: /share the cores/,
    },
  },
  {
    change: {disk: {...disk, fileSystem: 'tmpfs', fsyncMs: 0.002}},
    ...{check: 'disk', finding: /^\/tmp \(tmpfs\): .*, 2 µs until/, advice: /seems not to wait for a disk/},
  },
  {
    change: {disk: {...disk, fsyncMs: 25}},
    check: 'disk',
    finding: /25\.0 ms until/,
    advice: /Durable queues/,
  },
  {
    change: {disk: {...disk, freeBytes: 6e7}},
    ...{
      check: 'disk',
      level: 'error',
      finding: /^\/tmp \(ext4\): 57 MiB free/,
      advice: /RabbitMQ .*below 50 MB/,
    },
  },
  {
    change: {disk: {...disk, fsyncMs: null}},
    ...{check: 'disk', level: 'error', finding: /cannot be written/, advice: /TMPDIR/},
  },
  {
    change: {
      fingerprint: {...good.fingerprint, instance: {type: 't2.micro', zone: null, placementGroup: null}},
    },
    ...{check: 'instance', finding: /^t2\.micro on EC2/, advice: /CPU credits/},
  },
];

describe('a host with one fault', () => {
  for (const {change, check, level = 'warning', finding, advice} of spoilt) {
    it(`has one finding: ${check}, ${finding.source}`, () => {
      const found = examine({...good, ...change}, kinds).filter((one) => one.level !== 'ok');
      assert.deepEqual(
        found.map((one) => [one.check, one.level]),
        [[check, level]],
      );
      assert.match(found[0].finding, finding);
      assert.match(found[0].advice ?? '', advice);
    });
  }
});

test('each check but those of what every host has finds something in one of these', () => {
  const found = new Set(spoilt.map(({check}) => check));
  assert.deepEqual(
    checks.map(({name}) => name).filter((name) => !found.has(name)),
    ['TCP stack'],
  );
});

test('what a kind of broker needs matters only where one may be started', () => {
  const small = {...good, availableBytes: 5e8, disk: {...disk, freeBytes: 6e7}};
  const checksOf = (/** @type {readonly BrokerKind[]} */ some) =>
    examine(small, some)
      .filter(({level}) => level !== 'ok')
      .map(({check}) => check);
  assert.deepEqual(checksOf([rabbitmq]), ['memory', 'disk']);
  assert.deepEqual(checksOf([nats]), []);
  assert.deepEqual(checksOf([]), []);
});

test('what a system does not say is ok', () => {
  const {fingerprint, limits, nodeOptions} = good;
  const findings = examine(
    {
      ...{nodeOptions, disk: null, caches: null, limits: {...limits, throttledMs: null}},
      fingerprint: {...fingerprint, governor: null, clockSource: null},
      ...{
        load: null,
        turbo: null,
        idleState: null,
        mayPoll: null,
        timerSlackMicros: null,
        swap: null,
        availableBytes: null,
      },
      ...{openFiles: null, ports: null, tcp: {congestionControl: null, slowStartAfterIdle: null}},
    },
    kinds,
  );
  assert.deepEqual(
    findings.filter(({level}) => level !== 'ok'),
    [],
  );
});

test('the worst is an error, else a warning; what a battle says itself is not', () => {
  const busy = {
    load: {host: 'h', cores: 2, share: 0.9, stealShare: 0},
    fingerprint: {...good.fingerprint, cores: 2},
  };
  assert.equal(worstOf(examine(good, kinds)), null);
  assert.equal(worstOf(examine({...good, ...busy}, kinds)), null);
  assert.equal(worstOf(examine({...good, ...busy, openFiles: 5}, kinds))?.check, 'open files');
  assert.equal(
    worstOf(examine({...good, openFiles: 5, disk: {...disk, fsyncMs: null}}, kinds))?.check,
    'disk',
  );
});

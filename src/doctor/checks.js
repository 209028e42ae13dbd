import {percent} from '../stats/numbers.js';
import {thresholds} from '../stats/thresholds.js';

/**
 * @import {BrokerKind} from '../brokers/kind.js'
 * @import {Facts, Finding} from './types.js'
 */

/** @param {string} finding @returns {Omit<Finding, 'check'>} */
const ok = (finding) => ({level: 'ok', finding, advice: null});
/** @param {string} finding @param {string} advice @returns {Omit<Finding, 'check'>} */
const warning = (finding, advice) => ({level: 'warning', finding, advice});
/** @param {boolean} isBad @param {string} finding @param {string} advice used for a warning only */
const warnIf = (isBad, finding, advice) => (isBad ? warning(finding, advice) : ok(finding));
/** @param {string} finding @param {string} advice @returns {Omit<Finding, 'check'>} */
const error = (finding, advice) => ({level: 'error', finding, advice});

const unknown = ok('the system does not say');

/** Client and server need a core each for their main threads; their other threads and a broker need two cores. */
const coresForAll = 4;
const maxExitMicros = 20;
const slowFsyncMs = 10;
/** If fsync is faster, the file system probably does not wait for a disk. A file system in memory takes about 1 µs. */
const noDiskFsyncMs = 0.03;
const slowClockNanos = 200;
/** A share of tries. The system's own work on a quiet host evicts less. */
const maxEvicted = 0.2;
/** The default of Linux. */
const maxTimerSlackMicros = 50;
const minOpenFiles = 1024;
const minFreePorts = 5000;
const gib = 1024 ** 3;
/** Growing queues use up free space, so a broker needs more free space than its minimum. */
const freeMargin = 2;

/**
 * The checks, in the order of the output. kinds: those installed on this host.
 * @type {readonly {name: string, examine: (facts: Facts, kinds: readonly BrokerKind[]) => Omit<Finding, 'check'>}[]}
 */
export const checks = [
  {
    name: 'Node.js',
    examine: ({fingerprint: {node}, nodeOptions}) => {
      const found = /--(inspect|prof|cpu-prof|trace|jitless|no-opt|interpreted)[\w-]*/.exec(nodeOptions)?.[0];
      return found === undefined
        ? ok(node)
        : warning(
            `${node} with ${found} in NODE_OPTIONS`,
            'Unset NODE_OPTIONS: it also applies to every client and server.',
          );
    },
  },
  {
    name: 'load',
    examine: ({load}) => {
      if (load === null) return unknown;
      const text = `${percent(load.share, 0)} of the CPU is in use by others, ${percent(load.stealShare, 0)} taken by the hypervisor`;
      return warnIf(
        load.share > thresholds.foreignShare,
        text,
        'Stop other programs (top shows them), or use an idle host: figures would be suspect.',
      );
    },
  },
  {
    name: 'cores',
    examine: ({fingerprint: {cores}}) => {
      if (cores >= coresForAll)
        return ok(`${cores}: client and server get a core each, and the broker the others`);
      const shared =
        cores === 1
          ? 'too few for client and server, so nothing is pinned'
          : 'client and server share theirs with all else';
      return warning(
        `${cores}: ${shared}`,
        `Use a host with ${coresForAll} or more; figures vary more between trials here.`,
      );
    },
  },
  {
    name: 'CPU limit',
    examine: ({limits: {cores: limit, throttledMs}, fingerprint: {cores}}) => {
      if (limit === null || limit >= cores) return ok('none below the number of cores');
      const stopped =
        throttledMs === null ? '' : `; it stopped processes for ${Math.round(throttledMs)} ms so far`;
      return warning(
        `${limit} of ${cores} cores${stopped}`,
        'Raise the CPU limit of the container or of the service.',
      );
    },
  },
  {
    name: 'frequency',
    examine: ({fingerprint: {governor, virtualization}}) => {
      if (governor === null)
        return ok(
          virtualization === null ? 'the system does not say' : `set by the hypervisor (${virtualization})`,
        );
      if (governor !== 'performance')
        return warning(
          `governor ${governor}`,
          'sudo cpupower frequency-set -g performance; otherwise cores begin slowly.',
        );
      return ok('governor performance');
    },
  },
  {
    name: 'turbo',
    examine: ({turbo}) => {
      if (turbo === null) return unknown;
      if (!turbo) return ok('off');
      return warning(
        'on',
        'Turn turbo off for repeatable figures: it depends on temperature and on the load of other cores.',
      );
    },
  },
  {
    name: 'idle states',
    examine: ({idleState}) => {
      if (idleState === null) return unknown;
      const text = `leaving the deepest, ${idleState.state}, takes ${idleState.exitMicros} µs`;
      return warnIf(
        idleState.exitMicros > maxExitMicros,
        text,
        `sudo cpupower idle-set -D ${maxExitMicros}; otherwise a round trip with pauses includes this time.`,
      );
    },
  },
  {
    name: 'awake cores',
    examine: ({mayPoll}) => {
      if (mayPoll === null) return ok('a battle keeps them awake by loops');
      return warnIf(
        !mayPoll,
        mayPoll
          ? 'idle cores poll for work during a battle'
          : 'this user may not let idle cores poll for work',
        'sudo chmod o+rw /dev/cpu_dma_latency until the next start; otherwise loops keep them awake, and each wake-up interrupts one.',
      );
    },
  },
  {
    name: 'clock',
    examine: ({fingerprint: {clockSource, clockReadNanos}}) => {
      const nanos = clockReadNanos ?? 0;
      const text = `${clockSource ?? 'unknown source'}, ${Math.round(nanos)} ns a reading`;
      return warnIf(nanos > slowClockNanos, text, adviceOnClock(clockSource));
    },
  },
  {
    name: 'timers',
    examine: ({timerSlackMicros}) => {
      if (timerSlackMicros === null) return unknown;
      const text = `${timerSlackMicros} µs of slack`;
      return warnIf(
        timerSlackMicros > maxTimerSlackMicros,
        text,
        'Start perf-battle from another service or shell: this one has a longer slack than usual.',
      );
    },
  },
  {
    name: 'caches',
    examine: ({caches}) => {
      if (caches === null) return unknown;
      const {tries, evicted, bestNs, medianNs} = caches;
      const kept = `what was read 10 ms ago was in a cache in ${tries - evicted} of ${tries} tries`;
      return warnIf(
        evicted > maxEvicted * tries,
        `${kept} (a line took ${Math.round(medianNs)} ns, ${Math.round(bestNs)} ns at best)`,
        'Others evict it, such as virtual machines that share the cores. Rounds differ, the more the larger a program is. Use a host of your own, more rounds, or perf-battle ab: it compares within a round.',
      );
    },
  },
  {
    name: 'memory',
    examine: ({availableBytes, swap}, kinds) => {
      if (swap !== null && swap.pagesIn > 0)
        return warning(
          `${swap.pagesIn} pages were read from swap in half a second`,
          'Free memory, or turn swap off (sudo swapoff -a).',
        );
      if (availableBytes === null) return unknown;
      const text = `${formatGib(availableBytes)} available${swap && swap.usedBytes > 0 ? `, ${formatGib(swap.usedBytes)} in swap` : ''}`;
      const greedy = kinds.find(({minMemoryBytes = 0}) => availableBytes < minMemoryBytes);
      return greedy
        ? warning(
            text,
            `A private ${greedy.label} and its queues need about ${formatGib(greedy.minMemoryBytes ?? 0)}. Free memory.`,
          )
        : ok(text);
    },
  },
  {
    name: 'open files',
    examine: ({openFiles}) => {
      if (openFiles === null) return unknown;
      const text = `${openFiles} for a process`;
      return warnIf(
        openFiles < minOpenFiles,
        text,
        'Raise the limit for many clients or large windows: ulimit -n 65536.',
      );
    },
  },
  {
    name: 'ports',
    examine: ({ports}) => {
      if (ports === null) return unknown;
      const text = `${ports.count} for outgoing connections, ${ports.waiting} connections in TIME_WAIT`;
      return warnIf(
        ports.count - ports.waiting < minFreePorts,
        text,
        'Wait a minute, or widen net.ipv4.ip_local_port_range. --http-keep-alive off uses one port for each request.',
      );
    },
  },
  {
    name: 'TCP stack',
    examine: ({tcp: {congestionControl, slowStartAfterIdle}}) =>
      congestionControl === null
        ? unknown
        : ok(
            `${congestionControl}; after a pause a connection ${slowStartAfterIdle ? 'starts slowly again (tcp_slow_start_after_idle)' : 'keeps its window'}`,
          ),
  },
  {
    name: 'disk',
    examine: ({disk}, kinds) => {
      if (disk === null) return unknown;
      const {folder, freeBytes, fileSystem, fsyncMs} = disk;
      const where = `${folder}${fileSystem === null ? '' : ` (${fileSystem})`}`;
      if (fsyncMs === null)
        return error(
          `${where} cannot be written`,
          'Set TMPDIR to a folder that is writable: private brokers run there.',
        );
      const text = `${where}: ${formatGib(freeBytes)} free, ${formatMillis(fsyncMs)} until a page is on the disk`;
      const blocked = kinds.find(({minFreeBytes = 0}) => freeBytes < freeMargin * minFreeBytes);
      if (blocked)
        return error(
          text,
          `Free space: ${blocked.label} takes no messages below ${(blocked.minFreeBytes ?? 0) / 1e6} MB.`,
        );
      if (fsyncMs < noDiskFsyncMs)
        return warning(
          text,
          'This file system seems not to wait for a disk, so durable queues look cheap. Set TMPDIR to a folder on a disk.',
        );
      return warnIf(
        fsyncMs > slowFsyncMs,
        text,
        'Durable queues with confirms wait for the disk. Set TMPDIR to a faster disk if you have one.',
      );
    },
  },
  {
    name: 'instance',
    examine: ({fingerprint: {instance, virtualization}}) => {
      if (instance === null)
        return ok(
          virtualization === null
            ? 'not a virtual machine, as far as the CPU says'
            : `a virtual machine (${virtualization}), not on EC2`,
        );
      return warnIf(
        /^t\d/.test(instance.type),
        `${instance.type} on EC2`,
        'Its speed depends on CPU credits: look at CPUCreditBalance, or use an instance that is not burstable.',
      );
    },
  },
];

/** @param {string | null} source */
function adviceOnClock(source) {
  if (source === 'tsc')
    return 'No clock source is faster than tsc, and this host reads it slowly. Use another host, or payloads that take longer.';
  return source === null
    ? 'Use another host, or payloads that take longer.'
    : 'Write tsc to /sys/devices/system/clocksource/clocksource0/current_clocksource if it is available there.';
}

/** @param {Facts} facts @param {readonly BrokerKind[]} kinds the kinds of broker that are installed on this host @returns {Finding[]} */
export function examine(facts, kinds) {
  return checks.map(({name, examine: look}) => ({check: name, ...look(facts, kinds)}));
}

/** The checks that a battle makes itself. */
const saidByBattle = ['load', 'cores'];

/** @param {readonly Finding[]} findings @returns {Finding | null} the worst finding, without the checks that a battle makes itself; null if all are ok */
export function worstOf(findings) {
  const others = findings.filter(({check}) => !saidByBattle.includes(check));
  return others.find(({level}) => level === 'error') ?? others.find(({level}) => level === 'warning') ?? null;
}

/** @param {number} bytes */
function formatGib(bytes) {
  return bytes < gib ? `${Math.round(bytes / 1024 ** 2)} MiB` : `${(bytes / gib).toFixed(1)} GiB`;
}

/** @param {number} ms */
function formatMillis(ms) {
  return ms < 0.1 ? `${Math.round(ms * 1000)} µs` : `${ms.toFixed(1)} ms`;
}

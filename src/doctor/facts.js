import {closeSync, fsyncSync, mkdtempSync, openSync, rmSync, statfsSync, writeSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {readForeignLoad} from '../hosts/host-cores.js';
import {LocalHost} from '../hosts/local.js';
import {allowedCores, cpuLimitOf, findThrottling} from '../measure/cores.js';
import {mayPoll} from '../measure/polling.js';
import {medianOf} from '../measure/recorder.js';
import {readSystemFile} from '../measure/system.js';
import {readFingerprint} from '../results/fingerprint.js';
import {readCaches} from './caches.js';

/** @import {Facts} from './types.js' */

/** Reads all facts, in little more than a second. @returns {Promise<Facts>} */
export async function readFacts() {
  const pagesBefore = pagesIn();
  const load = await readForeignLoad(new LocalHost()).catch(() => null);
  const standing = await readStandingFacts(pagesBefore);
  return {...standing, load, caches: readCaches(), disk: readDisk(tmpdir())};
}

/**
 * Reads the facts that take almost no time: all facts except `load`, `caches` and `disk`.
 * @param {number | null} [pagesBefore] the count of pages read from swap, half a second ago @returns {Promise<Facts>}
 */
export async function readStandingFacts(pagesBefore = pagesIn()) {
  return {
    nodeOptions: process.env.NODE_OPTIONS ?? '',
    fingerprint: await readFingerprint(),
    load: null,
    turbo: readTurbo(),
    idleState: readIdleState(),
    mayPoll: mayPoll(allowedCores()),
    timerSlackMicros: scaled(readSystemFile('/proc/self/timerslack_ns'), 1e-3),
    swap: readSwap(pagesBefore),
    availableBytes: scaled(fieldOf('/proc/meminfo', /^MemAvailable: +(\d+) kB$/m), 1024),
    openFiles: scaled(fieldOf('/proc/self/limits', /^Max open files +(\d+)/m), 1),
    ports: readPorts(),
    limits: {cores: cpuLimitOf(), throttledMs: findThrottling()()},
    tcp: {
      congestionControl: readSystemFile('/proc/sys/net/ipv4/tcp_congestion_control')?.trim() ?? null,
      slowStartAfterIdle: readFlag('/proc/sys/net/ipv4/tcp_slow_start_after_idle'),
    },
    disk: null,
    caches: null,
  };
}

/** @param {string} path @param {RegExp} pattern @returns {string | null} the first group of the match */
function fieldOf(path, pattern) {
  return pattern.exec(readSystemFile(path) ?? '')?.[1] ?? null;
}

/** @param {string | null} text @param {number} factor */
function scaled(text, factor) {
  return text === null || text.trim() === '' ? null : Number(text) * factor;
}

/** @param {string} path */
function readFlag(path) {
  const text = readSystemFile(path)?.trim();
  return text === undefined ? null : text !== '0';
}

/** The flag of intel_pstate is inverted: it says that turbo is off. */
function readTurbo() {
  const off = readFlag('/sys/devices/system/cpu/intel_pstate/no_turbo');
  return off === null ? readFlag('/sys/devices/system/cpu/cpufreq/boost') : !off;
}

/** Reads the states of the first core (kernel.org, "CPU Idle Time Management"); latency is in µs. */
function readIdleState() {
  const folder = '/sys/devices/system/cpu/cpu0/cpuidle';
  const states = Array.from({length: 16}, (_, number) => `${folder}/state${number}`).flatMap((path) => {
    const exitMicros = scaled(readSystemFile(`${path}/latency`), 1);
    const isDisabled = readFlag(`${path}/disable`) ?? false;
    const state = readSystemFile(`${path}/name`)?.trim() ?? '';
    return exitMicros === null || isDisabled ? [] : [{state, exitMicros}];
  });
  return states.toSorted((one, other) => other.exitMicros - one.exitMicros)[0] ?? null;
}

function pagesIn() {
  return scaled(fieldOf('/proc/vmstat', /^pswpin (\d+)$/m), 1);
}

/** @param {number | null} pagesBefore */
function readSwap(pagesBefore) {
  const [total, free] = ['SwapTotal', 'SwapFree'].map((name) =>
    scaled(fieldOf('/proc/meminfo', new RegExp(`^${name}: +(\\d+) kB$`, 'm')), 1024),
  );
  if (total === null || free === null) return null;
  return {usedBytes: total - free, pagesIn: (pagesIn() ?? 0) - (pagesBefore ?? 0)};
}

function readPorts() {
  const range = readSystemFile('/proc/sys/net/ipv4/ip_local_port_range')?.trim().split(/\s+/).map(Number);
  if (range === undefined) return null;
  const waiting = Number(fieldOf('/proc/net/sockstat', /^TCP:.* tw (\d+)/m) ?? 0);
  return {count: range[1] - range[0] + 1, waiting};
}

const writes = 20;

/** @param {string} folder */
function readDisk(folder) {
  const {bavail, bsize} = statfsSync(folder);
  return {folder, freeBytes: bavail * bsize, fileSystem: fileSystemOf(folder), fsyncMs: fsyncMsIn(folder)};
}

/** The type of the mount with the longest path above the folder. @param {string} folder */
function fileSystemOf(folder) {
  const text = readSystemFile('/proc/self/mounts');
  if (text === null) return null;
  const mounts = text
    .trim()
    .split('\n')
    .map((line) => line.split(' '));
  const above = mounts.filter(([, path]) => `${folder}/`.startsWith(path.endsWith('/') ? path : `${path}/`));
  return above.toSorted((one, other) => other[1].length - one[1].length)[0]?.[2] ?? null;
}

/** @param {string} parent */
function fsyncMsIn(parent) {
  try {
    const folder = mkdtempSync(join(parent, 'perf-battle-doctor-'));
    try {
      const file = openSync(join(folder, 'page'), 'w');
      try {
        return medianOf(Array.from({length: writes}, () => fsyncMs(file)));
      } finally {
        closeSync(file);
      }
    } finally {
      rmSync(folder, {recursive: true, force: true});
    }
  } catch {
    return null;
  }
}

const page = Buffer.alloc(4096, 1);

/** @param {number} file */
function fsyncMs(file) {
  writeSync(file, page);
  const startedAt = performance.now();
  fsyncSync(file);
  return performance.now() - startedAt;
}

import {execFile} from 'node:child_process';
import {readFile} from 'node:fs/promises';
import {arch, availableParallelism, cpus, hostname, release, totalmem, type} from 'node:os';
import {parseEnv, promisify} from 'node:util';
import {clockReadNanos} from '../measure/clock.js';
import {readInstance} from './instance-metadata.js';

/** @import {Instance} from './instance-metadata.js' */

const run = promisify(execFile);

/**
 * Describes a host; read before anything is measured. Facts that the system does not provide are null.
 *
 * @typedef {object} Fingerprint
 * @property {string} hostname
 * @property {string | null} cpu model
 * @property {number} cores that processes may use, by their affinity
 * @property {number} [hostCores] all that the host has; missing in older journals
 * @property {number} memoryBytes
 * @property {string} architecture
 * @property {string} os
 * @property {string} kernel
 * @property {string | null} governor CPU frequency scaling
 * @property {string | null} clockSource of the kernel
 * @property {number} [clockReadNanos] how long a reading of the clock takes, measured; missing in older journals
 * @property {string | null} virtualization KVM, Xen, …; null also on bare metal, and where no `lscpu` tells it
 * @property {string} node
 * @property {Instance | null} instance of EC2
 */

/** @returns {Promise<Fingerprint>} */
export async function readFingerprint() {
  const [os, virtualization, instance] = await Promise.all([
    readSystemName(),
    readHypervisor(),
    readInstance(),
  ]);
  return {
    hostname: hostname(),
    cpu: cpus()[0]?.model.trim() || null,
    cores: availableParallelism(),
    hostCores: cpus().length,
    memoryBytes: totalmem(),
    architecture: arch(),
    os,
    kernel: release(),
    governor: await readSystemFile('/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor'),
    clockSource: await readSystemFile('/sys/devices/system/clocksource/clocksource0/current_clocksource'),
    clockReadNanos: clockReadNanos(),
    virtualization,
    node: process.version,
    instance,
  };
}

/** @returns {Promise<string>} such as Debian GNU/Linux 12 */
async function readSystemName() {
  if (process.platform === 'darwin') return `macOS ${await outputOf('sw_vers', '-productVersion')}`.trim();
  const {NAME, VERSION_ID} = parseEnv((await readSystemFile('/etc/os-release')) ?? '');
  return NAME ? [NAME, VERSION_ID].filter(Boolean).join(' ') : `${type()} ${release()}`;
}

/** The CPU itself names its hypervisor; `lscpu` asks it. */
async function readHypervisor() {
  return /^Hypervisor vendor: +(.+)$/m.exec(await outputOf('lscpu'))?.[1] ?? null;
}

/** @param {string} program @param {...string} parameters @returns {Promise<string>} empty where there is no such program */
async function outputOf(program, ...parameters) {
  const options = {timeout: 5000, env: {...process.env, LC_ALL: 'C'}};
  return await run(program, parameters, options).then(
    ({stdout}) => stdout.trim(),
    () => '',
  );
}

/** @param {string} path */
async function readSystemFile(path) {
  const text = await readFile(path, 'utf8').catch(() => '');
  return text.trim() || null;
}

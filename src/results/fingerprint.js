import {readFile} from 'node:fs/promises';
import {arch, availableParallelism, cpus, hostname, release, totalmem} from 'node:os';
import systemInformation from 'systeminformation';
import {readInstance} from './instance-metadata.js';

/** @import {Instance} from './instance-metadata.js' */

/**
 * What a host is, read before anything is measured. What the system does not offer is null.
 *
 * @typedef {object} Fingerprint
 * @property {string} hostname
 * @property {string} cpu model
 * @property {number} cores that Node.js may use
 * @property {number} memoryBytes
 * @property {string} architecture
 * @property {string} os
 * @property {string} kernel
 * @property {string | null} governor CPU frequency scaling
 * @property {string | null} clockSource of the kernel
 * @property {string | null} virtualization kvm, xen, …; null also on bare metal
 * @property {string} node
 * @property {Instance | null} instance of EC2
 */

/** @returns {Promise<Fingerprint>} */
export async function readFingerprint() {
  const [{distro, release: osRelease}, {virtualHost}, instance] = await Promise.all([
    systemInformation.osInfo(),
    systemInformation.system(),
    readInstance(),
  ]);
  return {
    hostname: hostname(),
    cpu: cpus()[0]?.model.trim() || 'unknown CPU',
    cores: availableParallelism(),
    memoryBytes: totalmem(),
    architecture: arch(),
    os: [distro, osRelease].filter(Boolean).join(' '),
    kernel: release(),
    governor: await readSystemFile('/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor'),
    clockSource: await readSystemFile('/sys/devices/system/clocksource/clocksource0/current_clocksource'),
    virtualization: virtualHost || null,
    node: process.version,
    instance,
  };
}

/** @param {string} path */
async function readSystemFile(path) {
  const text = await readFile(path, 'utf8').catch(() => '');
  return text.trim() || null;
}

import {execFile} from 'node:child_process';
import {readFile} from 'node:fs/promises';
import {arch, availableParallelism, cpus, hostname, release, totalmem, type} from 'node:os';
import {parseEnv, promisify} from 'node:util';
import {within} from '../measure/bounds.js';
import {clockReadNanos} from '../measure/clock.js';

/** @import {Fingerprint, Instance} from './types.js' */

const run = promisify(execFile);

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

async function readSystemName() {
  if (process.platform === 'darwin') return `macOS ${await outputOf('sw_vers', '-productVersion')}`.trim();
  const {NAME, VERSION_ID} = parseEnv((await readSystemFile('/etc/os-release')) ?? '');
  return NAME ? [NAME, VERSION_ID].filter(Boolean).join(' ') : `${type()} ${release()}`;
}

/** Reads the name of the hypervisor from `lscpu`, which asks the CPU. */
async function readHypervisor() {
  return /^Hypervisor vendor: +(.+)$/m.exec(await outputOf('lscpu'))?.[1] ?? null;
}

/** @param {string} program @param {...string} parameters @returns {Promise<string>} empty if the program is missing or fails */
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

/** The address of the metadata service on every EC2 instance. AWS's own tools use the same variable to override it. */
const defaultEndpoint = 'http://169.254.169.254';
const timeoutMs = 1000;

/**
 * Asks the instance metadata service, version 2, which requires a session token. It is asked only if the firmware identifies an EC2 instance.
 * @param {NodeJS.ProcessEnv} [environment] @returns {Promise<Instance | null>} null on other hosts, and if the service does not answer
 */
export async function readInstance(environment = process.env) {
  const given = environment.AWS_EC2_METADATA_SERVICE_ENDPOINT;
  if (environment.AWS_EC2_METADATA_DISABLED === 'true') return null;
  if (!given && !(await isOnEc2())) return null;
  const base = (given || defaultEndpoint).replace(/\/$/, '');
  try {
    const token = await ask(`${base}/latest/api/token`, {
      method: 'PUT',
      headers: {'X-aws-ec2-metadata-token-ttl-seconds': '60'},
    });
    if (token === null) return null;
    const read = (/** @type {string} */ path) =>
      ask(`${base}/latest/meta-data/${path}`, {headers: {'X-aws-ec2-metadata-token': token}});
    const type = await read('instance-type');
    if (type === null) return null;
    const zone = await read('placement/availability-zone');
    return {type, zone, placementGroup: await read('placement/group-name')};
  } catch {
    return null;
  }
}

/** On Nitro instances the vendor names EC2, on Xen instances (t2, m4) the BIOS version does. */
async function isOnEc2() {
  const [vendor, bios] = await Promise.all(
    ['sys_vendor', 'bios_version'].map((name) =>
      readFile(`/sys/class/dmi/id/${name}`, 'utf8').catch(() => ''),
    ),
  );
  return /amazon ec2/i.test(vendor) || /amazon/i.test(bios);
}

/** @param {string} url @param {RequestInit} request @returns {Promise<string | null>} null if the value is not available */
async function ask(url, request) {
  return await within(timeoutMs, null, async (signal) => {
    const response = await fetch(url, {...request, signal});
    const text = (await response.text()).trim();
    return response.ok && text !== '' ? text : null;
  });
}

/**
 * Combines the versions of several cells or rows, each once. A battle may have several brokers of one kind.
 * @param {readonly Readonly<Record<string, string | null>>[]} all @returns {Record<string, string | null>} several versions are joined by commas
 */
export function versionsTogether(all) {
  const names = new Set(all.flatMap((one) => Object.keys(one)));
  return Object.fromEntries(
    [...names].map((name) => {
      const known = new Set(all.flatMap((one) => one[name] ?? []));
      return [name, known.size === 0 ? null : [...known].join(', ')];
    }),
  );
}

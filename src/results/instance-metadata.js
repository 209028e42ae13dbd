import {readFile} from 'node:fs/promises';

/** Where every EC2 instance reaches its metadata; the variable is that of AWS's own tools. */
const defaultEndpoint = 'http://169.254.169.254';
const timeoutMs = 1000;

/**
 * What an EC2 instance is told of itself.
 * @typedef {object} Instance
 * @property {string} type such as t2.micro
 * @property {string | null} zone availability zone
 * @property {string | null} placementGroup
 */

/**
 * Asks the instance metadata service, version 2 (a session's token first), where the firmware says that this is an EC2 instance: elsewhere
 * nobody is asked.
 * @param {NodeJS.ProcessEnv} [environment]
 * @returns {Promise<Instance | null>} null elsewhere, and where nothing answers
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

/** Nitro instances name the vendor, those on Xen (t2, m4) the firmware. */
async function isOnEc2() {
  const [vendor, bios] = await Promise.all(
    ['sys_vendor', 'bios_version'].map((name) =>
      readFile(`/sys/class/dmi/id/${name}`, 'utf8').catch(() => ''),
    ),
  );
  return /amazon ec2/i.test(vendor) || /amazon/i.test(bios);
}

/**
 * @param {string} url
 * @param {RequestInit} request
 * @returns {Promise<string | null>} null for what there is not
 */
async function ask(url, request) {
  const response = await fetch(url, {...request, signal: AbortSignal.timeout(timeoutMs)});
  const text = (await response.text()).trim();
  return response.ok && text !== '' ? text : null;
}

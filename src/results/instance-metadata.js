import {readFile} from 'node:fs/promises';
import {within} from '../measure/bounds.js';

/** The address of the metadata service on every EC2 instance. AWS's own tools use the same variable to change it. */
const defaultEndpoint = 'http://169.254.169.254';
const timeoutMs = 1000;

/**
 * Facts about an EC2 instance.
 * @typedef {object} Instance
 * @property {string} type such as t2.micro
 * @property {string | null} zone availability zone
 * @property {string | null} placementGroup
 */

/**
 * Asks the instance metadata service, version 2, which needs a session token first. It is asked only if the firmware says that this is an EC2
 * instance.
 * @param {NodeJS.ProcessEnv} [environment]
 * @returns {Promise<Instance | null>} null if this is no EC2 instance, or if nothing answers
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

/** On Nitro instances the vendor says it, on Xen instances (t2, m4) the firmware. */
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
 * @returns {Promise<string | null>} null if it is not available
 */
async function ask(url, request) {
  return await within(timeoutMs, null, async (signal) => {
    const response = await fetch(url, {...request, signal});
    const text = (await response.text()).trim();
    return response.ok && text !== '' ? text : null;
  });
}

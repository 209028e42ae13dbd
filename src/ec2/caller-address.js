import {isIPv4} from 'node:net';
import {UnavailableError} from '../errors.js';
import {within} from '../measure/bounds.js';

const serviceUrl = 'https://checkip.amazonaws.com';
const timeoutMs = 5000;

/**
 * Finds the public address of this host, as AWS sees it.
 * @param {string} [url]
 * @returns {Promise<string>} IPv4
 * @throws {UnavailableError} when the service does not answer with an IPv4 address
 */
export async function findCallerAddress(url = serviceUrl) {
  try {
    const answer = await within(timeoutMs, null, async (signal) => {
      const response = await fetch(url, {signal});
      return response.ok && (await response.text()).trim();
    });
    if (answer && isIPv4(answer)) return answer;
  } catch (error) {
    throw addressUnknown(url, error);
  }
  throw addressUnknown(url);
}

/** @param {string} url @param {unknown} [cause] */
function addressUnknown(url, cause) {
  return new UnavailableError(
    `Your public address is unknown: ${url} did not answer with one. Give it with --ssh-from, for example 203.0.113.7.`,
    {code: 'PB_AWS', cause},
  );
}

import {isIPv4} from 'node:net';
import {UnavailableError} from '../errors.js';

const service = 'https://checkip.amazonaws.com';
const timeoutMs = 5000;

/**
 * Under which address this host is seen from outside, as AWS sees it.
 * @param {string} [url]
 * @returns {Promise<string>} IPv4
 * @throws {UnavailableError} when that cannot be found out
 */
export async function findCallerAddress(url = service) {
  const advice = 'Say from where you connect with --ssh-from, for example 203.0.113.7.';
  try {
    const response = await fetch(url, {signal: AbortSignal.timeout(timeoutMs)});
    const address = (await response.text()).trim();
    if (response.ok && isIPv4(address)) return address;
  } catch (error) {
    throw new UnavailableError(`${url} does not say from where you connect. ${advice}`, {
      code: 'PB_AWS',
      cause: error,
    });
  }
  throw new UnavailableError(`${url} does not say from where you connect. ${advice}`, {code: 'PB_AWS'});
}

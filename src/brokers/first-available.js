import {UnavailableError} from '../errors.js';

/** @typedef {{hostname: string, port: number}} ServerAddress hostname: a name or an address; IPv6 without brackets */

/**
 * Tries servers one after another, until one is available. Each server gets an equal share of the remaining time.
 * @template Answer
 * @param {{hostname: string, port: number, others: readonly ServerAddress[]}} connection others: servers to try if the first server is not available
 * @param {number} timeoutMs for all servers together
 * @param {(server: ServerAddress, shareMs: number) => Promise<Answer>} attempt rejects with an UnavailableError if the server is not available
 * @returns {Promise<Answer>} of the first server that is available
 * @throws {UnavailableError} names each server and the reason why it is not available
 */
export async function firstAvailable({hostname, port, others}, timeoutMs, attempt) {
  const servers = [{hostname, port}, ...others];
  const deadline = performance.now() + timeoutMs;
  /** @type {Error[]} */
  const failures = [];
  for (const server of servers) {
    const shareMs = Math.ceil((deadline - performance.now()) / (servers.length - failures.length));
    try {
      return await attempt(server, Math.max(1, shareMs));
    } catch (error) {
      if (!(error instanceof UnavailableError)) throw error;
      failures.push(error);
    }
  }
  throw failures.length === 1
    ? failures[0]
    : new UnavailableError(failures.map(({message}) => message).join(' '), {
        code: 'PB_BROKER_UNAVAILABLE',
        cause: failures[0].cause,
      });
}

import {checks} from './checks.js';
import {Pair} from './pair.js';

/**
 * @import {Transport} from '../transports/transport.js'
 * @import {GivenSettings} from './pair.js'
 */

/** @typedef {{name: string, outcome: 'held' | 'failed' | 'skipped', text: string}} Finding text: what was seen, what is wrong, or why it was not checked */

/**
 * Checks a transport, each time with a new pair in this process.
 * @param {Transport} transport
 * @param {GivenSettings} settings in place of the defaults of its options
 * @param {readonly string[]} [names] of the checks
 * @returns {AsyncGenerator<Finding>}
 */
export async function* checkTransport(transport, settings, names = checks.map(({name}) => name)) {
  for (const {name, needs, overSocket = false, run} of checks) {
    if (!names.includes(name)) continue;
    if (!transport.capabilities.includes(needs)) {
      yield {name, outcome: 'skipped', text: `it does not say that it can ${needs}`};
      continue;
    }
    if (overSocket && transport.broker !== null) {
      yield {name, outcome: 'skipped', text: 'clients reach the server through a broker'};
      continue;
    }
    const pair = new Pair(transport, settings);
    try {
      yield {name, outcome: 'held', text: await run(pair)};
    } catch (error) {
      yield {name, outcome: 'failed', text: /** @type {Error} */ (error).message};
    } finally {
      await pair.close();
    }
  }
}

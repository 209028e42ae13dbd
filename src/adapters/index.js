import {checks} from './checks.js';
import {Pair} from './pair.js';

/**
 * @import {Programs} from '../transports/external/index.js'
 * @import {Check} from './checks.js'
 */

/** @typedef {{programs: Programs, broker: object | null}} Given programs to check; broker: how to reach the one that they need */

/**
 * What a check found: `held` with what was seen, `failed` with what is wrong, or why it was not made.
 * @typedef {{name: string, outcome: 'held' | 'failed' | 'skipped', text: string}} Finding
 */

/**
 * Checks whether two programs keep the contract of docs/adapters.md, each time with new processes.
 * @param {Given} given
 * @param {AbortSignal} signal
 * @param {readonly Check[]} [selected]
 * @returns {AsyncGenerator<Finding>}
 */
export async function* checkPrograms(given, signal, selected = checks) {
  let hasAddress = true;
  /** The first check, if it failed. @type {string | null} */
  let broken = null;
  for (const {name, isFirst = false, needsRelay = false, optional, run} of selected) {
    if (broken !== null) {
      yield {name, outcome: 'skipped', text: `not before this holds: ${broken}`};
      continue;
    }
    if (needsRelay && !hasAddress) {
      yield {name, outcome: 'skipped', text: 'clients reach the server through a broker'};
      continue;
    }
    const pair = new Pair(given, signal);
    try {
      if (optional && !(await pair.knows(optional)))
        yield {name, outcome: 'skipped', text: 'they say that they cannot'};
      else yield {name, outcome: 'held', text: await run(pair)};
    } catch (error) {
      signal.throwIfAborted();
      if (isFirst) broken = name;
      yield {name, outcome: 'failed', text: describe(/** @type {Error} */ (error))};
    } finally {
      hasAddress = pair.relay !== null;
      await pair.close();
    }
  }
}

const maxText = 300;

/** @param {Error} error */
function describe({name, message}) {
  // What a program wrote may follow, in many lines.
  return name === 'TimeoutError'
    ? 'a program did not answer in time'
    : message.replace(/\s+/g, ' ').slice(0, maxText);
}

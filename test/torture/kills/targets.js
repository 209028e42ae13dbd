import {setTimeout as sleep} from 'node:timers/promises';
import {killIfRunning} from '../../integration/support/kill-if-running.js';
import {processesBelow} from './processes.js';

/** @import {Process} from './processes.js' */

/** What a process of a battle with a private broker is, by its command line. */
const kinds = {
  battle: /bin\/perf-battle\.js/,
  supervisor: /src\/brokers\/supervisor\.js/,
  broker: /^\S*(?:beam\.smp|nats-server|redis-server|java) /,
  server: /roles\/program\.js \S+-server/,
  client: /roles\/program\.js \S+-client/,
};

/** @typedef {keyof typeof kinds} Target */

export const targets = /** @type {Target[]} */ (Object.keys(kinds));

/**
 * Kills the running processes of these kinds, all in one go. If one of each kind does not run yet, waits for it, within a bound.
 *
 * @param {number} battle the number of its process
 * @param {readonly Target[]} wanted
 * @param {number} withinMs
 * @returns {Promise<{killed: Target[], seen: Process[]}>} seen: all processes of the battle at that moment
 */
export async function killTogether(battle, wanted, withinMs) {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const seen = await processesBelow(battle);
    const found = seen.filter(({command}) => wanted.some((target) => kinds[target].test(command)));
    const killed = wanted.filter((target) => found.some(({command}) => kinds[target].test(command)));
    if (killed.length === wanted.length || seen.length === 0 || performance.now() >= deadline) {
      for (const {pid} of found) killIfRunning(pid);
      return {killed, seen};
    }
    await sleep(10);
  }
}

import assert from 'node:assert/strict';
import {setTimeout as sleep} from 'node:timers/promises';
import {childrenOf} from './roles.js';

/** @import {Workplace} from './workplace.js' */

/**
 * Runs a battle of one round whose private broker is killed while a client of the transport runs.
 * @param {Workplace} workplace
 * @param {string} transport
 * @param {{label: string, program: RegExp, flags: readonly string[], afterMs?: number}} how label: of the kind of broker; program: matches its
 *   command line; afterMs: how long the client has run by then
 * @returns {Promise<Record<string, string>>} the outcome of the first cell of each transport, or the code of its error
 */
export async function killedBroker(workplace, transport, {label, program, flags, afterMs = 1000}) {
  const shape = ['--rounds', '1', '--warmup', '100ms', '--payload', '1kb', '--broker', 'private'];
  const battle = workplace.start('battle', [...shape, ...flags]);
  await battle.says(new RegExp(`Broker: ${label}`), 180_000);
  const client = `/program.js ${transport}-client`;
  while (!(await childrenOf(battle.pid)).some(({command}) => command.includes(client))) await sleep(50);
  await sleep(afterMs);
  const broker = (await workplace.processes()).find(({command}) => program.test(command));
  process.kill(Number(broker?.pid), 'SIGKILL');
  assert.equal((await battle.ended).code, 1);
  const outcomes = (await workplace.cells())
    .map((cell) => [cell.transport, cell.outcome === 'failed' ? cell.error.code : cell.outcome])
    .toReversed();
  assert.deepEqual(await workplace.leftovers(), []);
  return Object.fromEntries(outcomes);
}

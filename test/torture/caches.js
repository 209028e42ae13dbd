import {setTimeout as sleep} from 'node:timers/promises';
import {randomSource} from '../../src/payload/random.js';
import {sidesIn, slowNpm, withNpm} from '../integration/support/fake-npm.js';
import {Workplace} from '../integration/support/workplace.js';

/** @import {Part, Torture} from './part.js' */

const longKills = 60;
const shortKills = 2;
/** A start, the folder, npm and its children take about this long. */
const spanMs = 2500;
const goneWithinMs = 8000;
const words = ['ab', '--transport', 'websocket', '--b', 'ws@8.18.0', '--rounds', '1', '--samples', '20'];
const failingNpm = 'echo "npm error code E500" >&2; exit 1';

/**
 * Nothing of a comparison outlives it, whatever it was doing for its cache, and the next one removes what it left there.
 * @type {Part}
 */
export const caches = {
  name: 'caches',
  summary: `${longKills} signals to "ab" while npm fetches a side: does npm, its child or half a side stay?`,
  run: endAll,
};

/** @param {Torture} torture */
async function endAll({isLong, seed, log}) {
  const random = randomSource(seed, 'caches');
  const counts = {SIGKILL: 0, SIGTERM: 0, 'processes that stayed': 0, 'parts that stayed': 0};
  /** @type {string[]} */
  const failures = [];
  for (let index = 0; index < (isLong ? longKills : shortKills); index += 1) {
    const name = index % 2 === 0 ? 'SIGKILL' : 'SIGTERM';
    const afterMs = Math.round(random() * spanMs);
    const {processes, parts} = await endOne(name, afterMs);
    counts[name] += 1;
    counts['processes that stayed'] += processes.length;
    counts['parts that stayed'] += parts.length;
    const left = [...processes, ...parts];
    if (left.length > 0) failures.push(`${name} after ${afterMs} ms, seed ${seed}: ${left.join(', ')}`);
    if (index % 10 === 9) log(`${index + 1} signals, ${failures.length} failures`);
  }
  return {counts, failures};
}

/** @param {'SIGKILL' | 'SIGTERM'} signal @param {number} afterMs */
async function endOne(signal, afterMs) {
  const workplace = await Workplace.make();
  try {
    const program = workplace.start('battle', words, await withNpm(workplace, slowNpm));
    await sleep(afterMs);
    program.child.kill(signal);
    await program.ended;
    const processes = await workplace.leftoversWithin(goneWithinMs);
    await workplace.battle(words, await withNpm(workplace, failingNpm));
    return {processes, parts: await sidesIn(workplace)};
  } finally {
    await workplace.clear();
  }
}

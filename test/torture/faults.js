import {existsSync} from 'node:fs';
import {readFile} from 'node:fs/promises';
import {setTimeout as sleep} from 'node:timers/promises';
import {randomSource} from '../../src/payload/random.js';
import {parseOrNull} from '../../src/safe-text.js';
import {devicesIn} from '../integration/support/devices.js';
import {killIfRunning} from '../integration/support/kill-if-running.js';
import {Workplace} from '../integration/support/workplace.js';

/**
 * @import {Part, Torture} from './part.js'
 */

const longAttacks = 60;
const shortAttacks = 3;
/** A run takes about twice as long: its broker starts some times. */
const beginMs = 30_000;
/** Of the short form, whose runs do each fault once, to RabbitMQ alone. */
const shortBeginMs = 12_000;
const everyMs = 100;
const goneWithinMs = 20_000;

/** Who is killed, by what its command line has; the first is the command itself. */
const targets = ['the command', 'supervisor.js', 'rabbitmq-client', 'beam.smp', 'http-server'];

/**
 * Whatever is killed while faults are done leaves no process, mount, loop device, folder or torn line.
 * @type {Part}
 */
export const faults = {
  name: 'faults',
  summary: `${longAttacks} runs of faults, power cuts included, in which a process is killed at a random moment`,
  run: killAll,
};

/** @param {Torture} torture */
async function killAll({isLong, seed, count = longAttacks, log}) {
  const random = randomSource(seed, 'faults');
  const killed = Object.fromEntries(targets.map((name) => [`kills of ${name}`, 0]));
  /** @type {string[]} */
  const failures = [];
  const wanted = isLong ? count : shortAttacks;
  for (let index = 0; index < wanted; index += 1) {
    const target = targets[index % targets.length];
    const afterMs = Math.round(random() * (isLong ? beginMs : shortBeginMs));
    try {
      const {wasThere, left} = await attack(target, afterMs, isLong);
      killed[`kills of ${target}`] += Number(wasThere);
      failures.push(
        ...left.map((what) => `attack ${index} on ${target} after ${afterMs} ms, seed ${seed}: ${what}`),
      );
    } catch (error) {
      failures.push(`attack ${index} on ${target} after ${afterMs} ms, seed ${seed}: ${error}`);
    }
    log(`${index + 1} of ${wanted}, ${failures.length} failures`);
  }
  const spared = Object.entries(killed).filter(([, count]) => count === 0);
  if (wanted >= targets.length) failures.push(...spared.map(([name]) => `no ${name}: it never ran`));
  else if (spared.length === targets.length) failures.push('nobody was there to be killed');
  return {counts: {attacks: wanted, ...killed}, failures};
}

/** @param {string} target @param {number} afterMs @param {boolean} isLong */
async function attack(target, afterMs, isLong) {
  const workplace = await Workplace.make();
  try {
    const load = isLong ? 'rabbitmq,http --tries 2' : 'rabbitmq --tries 1';
    const words = `faults --transport ${load} --delivery-mode 2 --restart-after 100ms`;
    const run = workplace.start('battle', words.split(' '));
    const over = new AbortController();
    const killed = killAfter(workplace, {target, afterMs, pid: run.pid}, over.signal);
    const [wasThere] = await Promise.all([killed, run.ended.finally(() => over.abort())]);
    const left = await workplace.leftoversWithin(goneWithinMs);
    return {wasThere, left: [...left, ...(await devicesIn(workplace.path)), ...(await tornIn(workplace))]};
  } finally {
    await workplace.clear();
  }
}

/**
 * Kills the target at that moment, or when it next runs.
 * @param {Workplace} workplace @param {{target: string, afterMs: number, pid: number}} attack @param {AbortSignal} over
 * @returns {Promise<boolean>} whether it was there
 */
async function killAfter(workplace, {target, afterMs, pid}, over) {
  await sleep(afterMs, null, {signal: over}).catch(() => {});
  while (!over.aborted) {
    const running = (await workplace.processes()).filter(({command}) => command.includes(target));
    const victim = target === targets[0] ? pid : running[0]?.pid;
    if (victim !== undefined) {
      killIfRunning(victim);
      return true;
    }
    await sleep(everyMs);
  }
  return false;
}

/** @param {Workplace} workplace @returns {Promise<string[]>} */
async function tornIn(workplace) {
  const path = workplace.file('results.ndjson');
  if (!existsSync(path)) return [];
  const text = await readFile(path, 'utf8');
  const torn = text.split('\n').filter((line) => line !== '' && parseOrNull(line) === null);
  return torn.map((line) => `a torn line: ${line.slice(0, 80)}`);
}

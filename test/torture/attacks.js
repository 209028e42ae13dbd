import {setTimeout as sleep} from 'node:timers/promises';
import fc from 'fast-check';
import {Workplace} from '../integration/support/workplace.js';

/**
 * @import {Ended, Program} from '../integration/support/program.js'
 * @import {Outcome, Torture} from './part.js'
 *
 * @typedef {object} Attack
 * @property {string} name
 * @property {boolean} [isSlow] only in the long form
 * @property {(workplace: Workplace, random: (max: number) => number) => Promise<void>} run throws what must not happen
 */

const cell = ['--transport', 'tcp', '--payload', '1kb', '--warmup', '20', '--quiet'];
export const battle = [...cell, '--samples', '20'];
export const long = [...cell, '--rounds', '40', '--duration', '100ms'];

/** Whatever is done, a battle or a table has ended by then. */
const endsWithinMs = 60_000;

/**
 * Makes each attack in a workplace of its own, in the long form many times, two at a time.
 * @param {readonly Attack[]} attacks
 * @param {Torture} torture
 * @returns {Promise<Outcome>}
 */
export async function attackAll(attacks, {isLong, seed, count, log}) {
  const rounds = isLong ? (count ?? 20) : 1;
  const chosen = attacks.filter(({isSlow}) => isLong || !isSlow);
  /** @type {Record<string, number>} */
  const counts = {};
  /** @type {string[]} */
  const failures = [];
  const waiting = Array.from({length: rounds}, (_, round) => chosen.map((attack) => ({attack, round})))
    .flat()
    .values();
  const worker = async () => {
    for (const {attack, round} of waiting) {
      const mistake = await attempt(attack, seed + round);
      counts[attack.name] = (counts[attack.name] ?? 0) + 1;
      if (mistake === null) continue;
      failures.push(`${attack.name} (round ${round}): ${mistake}`);
      log(failures[failures.length - 1]);
    }
  };
  await Promise.all([worker(), worker()]);
  return {counts, failures};
}

/** @param {Attack} attack @param {number} seed @returns {Promise<string | null>} what was wrong */
async function attempt({run}, seed) {
  const workplace = await Workplace.make();
  const numbers = fc.sample(fc.nat(), {seed, numRuns: 100}).values();
  try {
    await run(workplace, (max) => Number(numbers.next().value) % max);
    const left = await workplace.leftoversWithin(8000);
    return left.length === 0 ? null : `it left ${left}`;
  } catch (error) {
    return /** @type {Error} */ (error).message.slice(0, 500);
  } finally {
    await workplace.clear();
  }
}

/** @param {Program} program @returns {Promise<Ended>} */
export async function end(program) {
  const ended = await Promise.race([program.ended, sleep(endsWithinMs, null, {ref: false})]);
  if (ended === null) throw new Error(`It did not end: ${program.output()}`);
  return ended;
}

/** @param {unknown} holds @param {unknown} otherwise */
export function expect(holds, otherwise) {
  if (!holds) throw new Error(JSON.stringify(otherwise));
}

/** @param {Workplace} workplace */
export async function expectBattle(workplace) {
  const {code, stderr} = await end(workplace.start('battle', [...battle, '--rounds', '1']));
  expect(code === 0, {code, stderr});
}

/** @param {Workplace} workplace @param {number} afterMs */
export async function interrupt(workplace, afterMs) {
  const program = workplace.start('battle', long);
  await sleep(afterMs);
  program.child.kill('SIGKILL');
  await program.ended;
  await workplace.leftoversWithin(8000);
}

import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {formatRatio} from '../src/columns/figures.js';
import {pathOf} from './harness.js';
import {runNode} from './processes.js';
import {shareRow} from './verdict/share-row.js';

/** @import {Bench, Part} from './part.js' */

/** Side b. Side a uses the same scripts, without a folder. */
const sides = {equal: `folder=${pathOf('..')}`, slowed: `only=server folder=${pathOf('slowed')}`};
/** Equal sides get many short battles, because an error rate of some percent is visible only in hundreds of battles. */
const short = ['--rounds', '5', '--duration', '100ms', '--warmup', '500'];
/** A battle of a slowed side takes as long as a user would wait. */
const long = ['--budget', '5m', '--precision', '1%'];
const slowdown = 0.05;
/** Number of battles of equal sides per battle of a slowed side. */
const equalForEachSlowed = 20;
const battleTimeoutMs = 600_000;

/** Counts the errors of `perf-battle ab` in real battles. @type {Part} */
export const ab = {
  name: 'ab',
  title:
    'perf-battle ab, with --battles: equal sides that it calls different, and a slowdown of 5 % that it finds, as hits/of',
  isOptIn: true,
  measure: measureErrors,
};

/** @param {Bench} bench */
async function* measureErrors(bench) {
  const {count} = bench.battles;
  if (count === 0)
    return bench.log('no battles (--battles 200 runs 200 of equal sides, and 10 of a slowed one)');
  const folder = await mkdtemp(join(tmpdir(), 'perf-battle-bench-'));
  try {
    const run = (/** @type {readonly string[]} */ flags, /** @type {Record<string, string>} */ settings) =>
      runBattle(flags, {...settings, PB_RESULTS: join(folder, 'results.md')}, bench);
    const equal = [];
    for (let number = 0; number < count; number += 1) {
      bench.onRun('equal sides', number);
      equal.push(await run(['--b', sides.equal, ...short], {}));
    }
    const called = equal.filter(({result}) => result === 'slower' || result === 'faster');
    yield shareRow('equal sides: a difference is called', {hits: called.length, of: count}, {max: 0.05});

    // Short trials of cold processes are slower, so this battle has long trials.
    const {meanMs} = await run(['--b', sides.equal, '--rounds', '5'], {});
    const spinMs = slowdown * meanMs;
    const slowed = [];
    for (let number = 0; number < count / equalForEachSlowed; number += 1) {
      bench.onRun('slowed by 5 %', number);
      slowed.push(await run(['--b', sides.slowed, ...long], {BENCH_SPIN_MS: String(spinMs)}));
    }
    for (const {result, ratio} of slowed) bench.log(`b / a: ${ratio}, ${result}`);
    const hits = slowed.filter(({result}) => result === 'slower').length;
    yield shareRow('slowed by 5 %: found', {hits, of: slowed.length}, {min: 0.9});
  } finally {
    await rm(folder, {recursive: true});
  }
}

/**
 * @param {readonly string[]} flags @param {Record<string, string>} settings @param {Bench} bench
 * @returns {Promise<{result: string, ratio: string, meanMs: number}>} the result for side b; meanMs: mean round trip of side a
 */
async function runBattle(flags, settings, {signal}) {
  const program = [pathOf('../bin/perf-battle.js'), 'ab', '--transport', 'websocket', '--json', '--quiet'];
  const printed = await runNode([...program, ...flags], {settings, signal, timeoutMs: battleTimeoutMs});
  const document = JSON.parse(printed);
  const [{a, result, ratio, ci95}] = document.sides;
  if (ratio === null) throw new Error(`ab failed: ${document.sides[0].why}`);
  const meanMs = document.cells.find((/** @type {{id: string}} */ {id}) => id === a).rtt.meanMs;
  return {result, ratio: formatRatio({ratio, ratioCi95: ci95}), meanMs};
}

import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {mkdir, mkdtemp, readFile, rename, rm, writeFile} from 'node:fs/promises';
import {availableParallelism, tmpdir} from 'node:os';
import {join} from 'node:path';
import {text} from 'node:stream/consumers';
import {pathOf} from '../harness.js';

/**
 * @import {ChildProcess} from 'node:child_process'
 * @import {CellRecord} from '../../src/results/record-schema.js'
 * @import {Bench} from '../part.js'
 */

/**
 * @typedef {{seconds: number, cells: CellRecord[]}} FinishedBattle
 *
 * @typedef {'idle' | 'bursts' | 'steady' | 'same'} Kind idle and same: without an additional load
 *
 * @typedef {object} BattlesToRun
 * @property {number} count of each kind; the two kinds with a load share this number
 * @property {readonly Kind[]} kinds kinds to run
 * @property {string} folder keeps the finished battles
 * @property {readonly string[]} options of every battle
 */

/** These variants do the same, because no trial is long enough for a heartbeat. There are few variants, so that each has many rounds. */
export const sameVariants = [
  ...['--transport', 'rabbitmq', '--delivery-mode', '1', '--payload', '1kb'],
  ...['--rabbitmq-heartbeat', '60,61,62,63'],
];

/**
 * share: of the requested number of battles. The two kinds with a load have half each.
 * @type {Record<Kind, {load: 'steady' | 'bursts' | null, share: number, options: readonly string[]}>}
 */
const kinds = {
  idle: {load: null, share: 1, options: []},
  bursts: {load: 'bursts', share: 0.5, options: []},
  steady: {load: 'steady', share: 0.5, options: []},
  same: {load: null, share: 1, options: sameVariants},
};

export const kindNames = /** @type {Kind[]} */ (Object.keys(kinds));

/**
 * Runs the battles that are missing in the folder, one after the other, and stores each when it ends. So a new run continues an interrupted run.
 * @param {Bench} bench @param {BattlesToRun} battles
 * @returns {Promise<Record<Kind, FinishedBattle[]>>} including stored battles of other kinds
 */
export async function runBattles(bench, {count, kinds: asked, folder, options}) {
  await mkdir(folder, {recursive: true});
  /** @type {Record<Kind, FinishedBattle[]>} */
  const finished = {idle: [], bursts: [], steady: [], same: []};
  for (let number = 1; number <= count; number += 1) {
    for (const kind of kindNames) {
      if (number > Math.ceil(count * kinds[kind].share)) continue;
      const path = join(folder, `${kind}-${number}.json`);
      const stored = await readFile(path, 'utf8').catch(() => null);
      if (stored !== null) {
        finished[kind].push(JSON.parse(stored));
        continue;
      }
      if (!asked.includes(kind)) continue;
      bench.log(`battle ${number} of ${count}, ${kind}`);
      const battle = await runBattle(kind, options, bench.signal);
      // The file is renamed when it is complete.
      await writeFile(`${path}.part`, JSON.stringify(battle));
      await rename(`${path}.part`, path);
      finished[kind].push(battle);
    }
  }
  return finished;
}

/**
 * @param {Kind} kind @param {readonly string[]} options of every battle @param {AbortSignal} signal
 * @returns {Promise<FinishedBattle>}
 */
async function runBattle(kind, options, signal) {
  const {load, options: ofKind} = kinds[kind];
  const folder = await mkdtemp(join(tmpdir(), 'perf-battle-bench-'));
  const loads = load ? startLoads(load) : [];
  try {
    const startedAt = performance.now();
    const printed = await runProgram([...ofKind, ...options], folder, signal);
    const seconds = (performance.now() - startedAt) / 1000;
    return {seconds, cells: JSON.parse(printed).cells};
  } finally {
    await Promise.all(loads.map(end));
    await rm(folder, {recursive: true, force: true});
  }
}

/** @param {readonly string[]} options @param {string} folder @param {AbortSignal} signal @returns {Promise<string>} the JSON document */
async function runProgram(options, folder, signal) {
  const program = pathOf('../bin/perf-battle.js');
  const commandLine = [program, '--json', '--quiet', '--results', join(folder, 'results.md'), ...options];
  signal.throwIfAborted();
  const child = spawn(process.execPath, commandLine, {cwd: folder, stdio: ['ignore', 'pipe', 'inherit']});
  const onAbort = () => child.kill();
  signal.addEventListener('abort', onAbort, {once: true});
  try {
    const [printed, [exitCode]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
    signal.throwIfAborted();
    // Exit code 1 means that a cell failed, which its record shows.
    if (exitCode === 0 || exitCode === 1) return printed;
    throw new Error(`perf-battle ${options.join(' ')} ended with exit code ${exitCode}.`);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/** Starts one load generator for each core. @param {'steady' | 'bursts'} load */
export function startLoads(load) {
  return Array.from({length: availableParallelism()}, () =>
    spawn(process.execPath, [pathOf('verdict/load-process.js'), load], {
      stdio: ['pipe', 'ignore', 'inherit'],
    }),
  );
}

/** @param {ChildProcess} child */
export async function end(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill();
  await exited;
}

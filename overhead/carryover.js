import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {formatBytes} from '../src/payload/bytes.js';
import {ratioOf} from '../src/stats/ratio.js';
import {pathOf, withBroker} from './harness.js';
import {repeat, requireFigure, scaled} from './pairs.js';
import {runNode} from './processes.js';

/** @import {Bench, Part, Row} from './part.js' */

/** The allowed ratio of pairs that measure all sizes of a variant to pairs that measure one size. */
const bound = {min: 0.97, max: 1.03};
const durationMs = 1000;
/** A battle of one round takes a minute or two on two cores. */
const battleTimeoutMs = 600_000;

/** Measures whether a pair's earlier sizes change the figure of a size. @type {Part} */
export const carryover = {
  name: 'carryover',
  title: 'mean round trip: one pair of processes for all sizes of a variant / a pair for each size',
  isOptIn: true,
  measure: compareCarryover,
};

/**
 * Runs whole battles of one round in the default configuration. Both sides of a pair have the same seed, and so the same order and payloads.
 * @param {Bench} bench
 */
async function* compareCarryover(bench) {
  const folder = await mkdtemp(join(tmpdir(), 'perf-battle-bench-'));
  try {
    yield* withBroker('rabbitmq', bench, (settings) => compareBattles(folder, settings, bench));
  } finally {
    await rm(folder, {recursive: true});
  }
}

/** @param {string} folder for the results @param {Record<string, string>} settings @param {Bench} bench */
async function* compareBattles(folder, settings, bench) {
  const battle = (/** @type {'variant' | 'cell'} */ pairPer, /** @type {number} */ seed) =>
    runBattle({...settings, PB_RESULTS: join(folder, 'results.md')}, {pairPer, seed}, bench);
  const measured = await repeat(
    bench,
    'battles',
    async (run) => {
      const seed = run + 1;
      if (run % 2 === 0) return {shared: await battle('variant', seed), own: await battle('cell', seed)};
      const own = await battle('cell', seed);
      return {shared: await battle('variant', seed), own};
    },
    (battles) => rowsOf(battles).every((row) => isPrecise(row, bench)),
  );
  yield* rowsOf(measured);
}

/** @typedef {Map<string, number>} Figures mean round trips in ms, by the names of the cells */

/** @param {readonly {shared: Figures, own: Figures}[]} battles @returns {Row[]} a row for each cell, by transport and size */
export function rowsOf(battles) {
  return [...battles[0].shared.keys()].toSorted().map((what) => {
    const sideOf = (/** @type {'shared' | 'own'} */ side) =>
      battles.map((battle, round) => ({
        round,
        figureMs: requireFigure(battle[side].get(what) ?? null, what),
      }));
    const [one, other] = [sideOf('shared'), sideOf('own')];
    const {ratio, ci95} = ratioOf(one, other);
    const figures = (/** @type {typeof one} */ list) => list.map(({figureMs}) => figureMs);
    return {
      what,
      bound,
      estimate: {value: ratio, ci95, count: battles.length},
      unit: '',
      sides: {one: figures(one), other: figures(other), unit: 'ms'},
    };
  });
}

/** @param {Row} row @param {Bench} bench */
function isPrecise({estimate: {value, ci95}}, {extent}) {
  return ci95 !== null && ci95[1] - ci95[0] <= 2 * extent.precision * value;
}

/**
 * @param {Record<string, string>} settings @param {{pairPer: 'variant' | 'cell', seed: number}} side @param {Bench} bench
 * @returns {Promise<Figures>}
 */
async function runBattle(settings, {pairPer, seed}, bench) {
  const flags = ['--pair-per', pairPer, '--seed', String(seed), '--rounds', '1', '--json', '--quiet'];
  const duration = ['--duration', `${scaled(bench, durationMs)}ms`];
  const printed = await runNode([pathOf('../bin/perf-battle.js'), ...flags, ...duration], {
    settings,
    signal: bench.signal,
    timeoutMs: battleTimeoutMs,
  });
  /** @type {{cells: Record<string, any>[]}} */
  const {cells} = JSON.parse(printed);
  return new Map(cells.map((cell) => [nameOf(cell), cell.rtt.meanMs]));
}

/** Names a cell so that sizes sort correctly. @param {Record<string, any>} cell */
function nameOf({labels: {facilitator, qualifier, settings}, payloadBytes}) {
  const variant = [facilitator, qualifier, ...settings].filter(Boolean).join(' ');
  return `${variant}, ${formatBytes(payloadBytes).padStart(6)}`;
}

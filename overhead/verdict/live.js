import {max, median} from 'simple-statistics';
import {timePerMessage} from '../../src/results/comparable.js';
import {ratioOf} from '../../src/stats/ratio.js';
import {verdictOfRatio} from '../../src/stats/thresholds.js';
import {floorTransport} from '../../src/transports/index.js';
import {runBattles} from './battles.js';
import {covers, covers1} from './coverage.js';
import {shareRow} from './share-row.js';

/**
 * @import {CellRecord, CompletedRecord} from '../../src/results/record-schema.js'
 * @import {Bench, Row} from '../part.js'
 * @import {FinishedBattle} from './battles.js'
 */

/** The allowed difference of a valid cell of a disturbed battle from the idle figure. */
const tolerance = 0.1;
const slowdown = 1.1;

/**
 * Counts the verdicts of real battles: on this host as it is, and with a load on every core.
 * @param {Bench} bench @returns {AsyncGenerator<Row>}
 */
export async function* measureLive(bench) {
  if (bench.battles.count === 0) {
    bench.log('real battles: none (--battles 10 runs ten of each kind)');
    return;
  }
  const {idle, bursts, steady, same} = await runBattles(bench, bench.battles);
  if (idle.length > 0) yield durationRow(idle);
  for (const [name, battles] of Object.entries({idle, bursts, steady})) {
    if (battles.length === 0) continue;
    bench.log(`${name}: ${warningsOf(battles)}`);
    yield* levelRows(name, battles);
    yield* ratioRows(name, battles);
  }
  for (const [what, read] of /** @type {const} */ ([
    ['valid', timeOf],
    ['valid ratio', floorRatioOf],
  ])) {
    const figures = idleFigures(idle, read);
    for (const [name, battles] of Object.entries({bursts, steady}))
      if (battles.length > 0)
        yield shareRow(`${name}: ${what}, but off by more than 10 %`, countOff(battles, figures, read), {
          max: 0.05,
        });
  }
  const comparisons = same.flatMap(comparePairs);
  if (comparisons.length === 0) return;
  yield shareRow('same against same: 1 covered', countHits(comparisons, isCovered), covers);
  yield shareRow('same, one × 1.1: found', countHits(comparisons, isSlowdownFound), {min: 0.9});
}

/** @param {readonly FinishedBattle[]} battles @returns {Row} */
function durationRow(battles) {
  const longest = max(battles.map(({seconds}) => seconds));
  const estimate = {value: longest, ci95: /** @type {const} */ ([longest, longest]), count: battles.length};
  return {what: 'idle: the longest battle', bound: {max: 300}, estimate, unit: 's', sides: null};
}

/** @param {string} name @param {readonly FinishedBattle[]} battles @returns {Generator<Row>} */
export function* levelRows(name, battles) {
  const cells = battles.flatMap((battle) => battle.cells);
  for (const level of /** @type {const} */ (['valid', 'wide', 'suspect'])) {
    const hits = completed(cells).filter(({verdict}) => verdict.status === level).length;
    const bound = name === 'idle' && level === 'valid' ? {min: 0.85} : null;
    yield shareRow(`${name}: ${level}`, {hits, of: cells.length}, bound);
  }
  const failed = cells.length - completed(cells).length;
  if (failed > 0) yield shareRow(`${name}: failed`, {hits: failed, of: cells.length}, {max: 0});
}

/** @param {string} name @param {readonly FinishedBattle[]} battles @returns {Generator<Row>} */
export function* ratioRows(name, battles) {
  const ratios = completed(battles.flatMap(({cells}) => cells)).flatMap(
    (record) => floorRatioOf(record) ?? [],
  );
  if (ratios.length === 0) return;
  const bounds = /** @type {Record<string, Row['bound']>} */ ({idle: {min: 0.95}, bursts: {min: 0.8}});
  const valid = countHits(ratios, ({status}) => status === 'valid');
  yield shareRow(`${name}: valid ratios to the floor`, valid, bounds[name] ?? null);
  yield shareRow(
    `${name}: suspect ones`,
    countHits(ratios, ({status}) => status === 'suspect'),
  );
}

/** @typedef {(record: CompletedRecord) => {value: number, status: string} | null} Read status: level of the verdict on the value */

/** @type {Read} */
function timeOf(record) {
  return {value: timePerMessage(record).meanMs, status: record.verdict.status};
}

/** @type {Read} */
export function floorRatioOf({transport, floor}) {
  if (transport === floorTransport.name || !floor?.verdict) return null;
  return {value: floor.ratio, status: floor.verdict.status};
}

/** Counts each warning. @param {readonly FinishedBattle[]} battles */
export function warningsOf(battles) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const {verdict} of completed(battles.flatMap(({cells}) => cells))) {
    for (const {code} of verdict.warnings) counts.set(code, (counts.get(code) ?? 0) + 1);
  }
  return [...counts].map(([code, count]) => `${code} ${count}`).join(', ') || 'no warnings';
}

/** Returns the median of each cell over the idle battles. @param {readonly FinishedBattle[]} battles @param {Read} [read] */
export function idleFigures(battles, read = timeOf) {
  /** @type {Map<string, number[]>} */
  const figures = new Map();
  for (const record of completed(battles.flatMap(({cells}) => cells))) {
    const found = read(record);
    if (found) figures.set(nameOf(record), [...(figures.get(nameOf(record)) ?? []), found.value]);
  }
  return new Map([...figures].map(([name, some]) => [name, median(some)]));
}

/**
 * Counts the valid figures that are off.
 * @param {readonly FinishedBattle[]} battles @param {ReadonlyMap<string, number>} figures of idle cells @param {Read} [read]
 */
export function countOff(battles, figures, read = timeOf) {
  const valid = completed(battles.flatMap(({cells}) => cells)).flatMap((record) => {
    const found = read(record);
    return found?.status === 'valid' ? [{value: found.value, idle: figures.get(nameOf(record))}] : [];
  });
  return countHits(valid, ({value, idle}) => idle === undefined || Math.abs(value / idle - 1) > tolerance);
}

/** Pairs each cell with each other cell, without the floor. @param {FinishedBattle} battle */
export function comparePairs({cells}) {
  const variants = completed(cells).filter(({transport}) => transport !== floorTransport.name);
  const some = variants.map(({trials}) =>
    trials.flatMap(({round, meanMs, used}) => (used && meanMs !== null ? [{round, figureMs: meanMs}] : [])),
  );
  return some.flatMap((one, index) => some.slice(index + 1).map((other) => ({one, other})));
}

/** @typedef {ReturnType<typeof comparePairs>[number]} Comparison */

/** @param {Comparison} comparison */
export function isCovered({one, other}) {
  return covers1(ratioOf(one, other).ci95);
}

/** @param {Comparison} comparison */
export function isSlowdownFound({one, other}) {
  const slowed = one.map(({round, figureMs}) => ({round, figureMs: slowdown * figureMs}));
  return verdictOfRatio(ratioOf(slowed, other)) === 'slower';
}

/** @template One @param {readonly One[]} list @param {(one: One) => boolean} isHit */
function countHits(list, isHit) {
  return {hits: list.filter(isHit).length, of: list.length};
}

/** @param {readonly CellRecord[]} cells */
function completed(cells) {
  return cells.filter((record) => record.outcome === 'completed');
}

/** @param {CompletedRecord} record */
function nameOf({labels: {facilitator, qualifier, settings}, workload, payloadBytes}) {
  return JSON.stringify([facilitator, qualifier, settings, workload, payloadBytes]);
}

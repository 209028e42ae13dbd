import {isDeepStrictEqual} from 'node:util';
import {coreDistanceOf} from '../results/comparable.js';
import {groupBy} from '../stats/numbers.js';
import {halfWidthOf, ratioOfIndependent} from '../stats/ratio.js';
import {thresholds, verdictOfRatio} from '../stats/thresholds.js';
import {floorTransport} from '../transports/index.js';
import {floorOf} from '../verdict/compare-cells.js';
import {differenceShown, noRatio, ratioOfRecords, tooFewRounds} from './compare-in-battle.js';

/**
 * @import {CellRecord, CompletedRecord} from '../results/record-schema.js'
 * @import {Comparison, Difference, RatioOfSides, Result} from './types.js'
 */

/**
 * Compares two sides cell by cell. Their trials ran at different times, so they are not paired: the interval of a ratio is Welch's, and the
 * p-value is that of a rank-sum test. The interval covers the variation within a battle. A change of the host between the battles shows in
 * raw TCP: if raw TCP differs, a cell is compared by its ratio to raw TCP.
 * @param {readonly CellRecord[]} olds @param {readonly CellRecord[]} news
 * @param {{old: readonly CellRecord[], new: readonly CellRecord[]}} [all] the records that are searched for the floors @returns {Comparison[]}
 */
export function compareSides(olds, news, all = {old: olds, new: news}) {
  return pairRecords(olds, news).map((pair) => {
    const one = compareFigures(pair, all);
    const isFloor = (pair.new ?? pair.old)?.transport === floorTransport.name;
    const differences = pair.old && pair.new ? differencesOf(pair.old, pair.new) : [];
    return {...pair, isFloor, ratio: null, floor: null, why: null, differences, ...one};
  });
}

/** @typedef {Pick<Comparison, 'result'> & Partial<Pick<Comparison, 'ratio' | 'floor' | 'why'>>} Compared */

/** @param {Pair} pair @param {{old: readonly CellRecord[], new: readonly CellRecord[]}} all @returns {Compared} */
function compareFigures(pair, all) {
  const {old, new: now} = pair;
  const reason = reasonAgainst(pair);
  if (reason !== null || old?.outcome !== 'completed' || now?.outcome !== 'completed')
    return {result: 'not comparable', why: reason};
  const ratio = ratioOfRecords(now, old, ratioOfIndependent);
  if (ratio === null) return {result: 'cannot tell', why: noRatio};
  const reasons = [tooFewRounds(ratio, {paired: false}), suspicionOf(old, now)].filter(
    (reason) => reason !== null,
  );
  if (reasons.length > 0) return {ratio, result: 'cannot tell', why: reasons.join('; ')};
  const floor = old.transport === floorTransport.name ? null : floorRatio(old, now, all);
  const isAlike = floor === null || verdictOfRatio(floor) === 'no difference shown';
  const shown = differenceShown(ratio, isAlike ? floor : null, 'raw TCP may differ as much');
  return {ratio, floor, ...(isAlike ? shown : besideFloor(ratio, floor, shown))};
}

/** @param {CompletedRecord} old @param {CompletedRecord} now @returns {string | null} names the suspect figures */
function suspicionOf(old, now) {
  const suspects = Object.entries({old, new: now}).filter(([, {verdict}]) => verdict.status === 'suspect');
  if (suspects.length === 0) return null;
  const sides = suspects.map(([side]) => side).join(' and ');
  return `the ${sides} ${suspects.length === 1 ? 'figure is' : 'figures are'} suspect`;
}

/** @param {Pair} pair @returns {string | null} the reason why the figures cannot be compared */
function reasonAgainst({old, new: now}) {
  if (old === null)
    return now?.outcome === 'completed' ? 'only the new side has it' : `it ${now?.outcome} on the new side`;
  if (now === null) return 'only the old side has it';
  const without = Object.entries({old, new: now}).find(([, {outcome}]) => outcome !== 'completed');
  if (without) return `it ${without[1].outcome} on the ${without[0]} side`;
  return old.comparedBy === now.comparedBy ? null : 'the sides measured different figures';
}

/** @param {CompletedRecord} old @param {CompletedRecord} now @param {{old: readonly CellRecord[], new: readonly CellRecord[]}} all */
function floorRatio(old, now, all) {
  const [before, after] = [floorIn(old, all.old), floorIn(now, all.new)];
  return (before && after && ratioOfRecords(after, before, ratioOfIndependent)) ?? null;
}

/** @param {CompletedRecord} record @param {readonly CellRecord[]} records */
function floorIn(record, records) {
  const ofBattle = records.flatMap((one) =>
    one.outcome === 'completed' && one.battleId === record.battleId
      ? [{...one, isFloor: one.transport === floorTransport.name}]
      : [],
  );
  return floorOf(record, ofBattle);
}

/**
 * The result of a cell if raw TCP itself differs: only a difference beyond that of raw TCP counts. The half-widths are combined as those of
 * independent logarithms.
 * @param {RatioOfSides} own @param {RatioOfSides} floor
 * @param {{result: Result, why: string | null}} shown the result by the interval and the rank test of the cell alone
 * @returns {Pick<Compared, 'result' | 'why'>}
 */
function besideFloor(own, floor, {result: alone, why}) {
  const ratio = own.ratio / floor.ratio;
  const half = Math.hypot(halfWidthOf(own), halfWidthOf(floor));
  const beyond = verdictOfRatio({ratio, ci95: [ratio / Math.exp(half), ratio * Math.exp(half)]});
  if (beyond === alone)
    return {result: alone, why: alone === 'no difference shown' ? why : 'also beyond what raw TCP differs'};
  return {result: 'cannot tell', why: 'raw TCP differs, too: the hosts were not alike'};
}

/**
 * Pairs the records of the same cell on two sides: records with the same workload, payload size and transport, and the same text in a row of a
 * table. A side may have several records of a cell, for example from several machines. Then records of the same place are paired first. The
 * rest is paired if each side has a single record left.
 * @param {readonly CellRecord[]} olds @param {readonly CellRecord[]} news
 * @returns {Pair[]} in the order of the new side, followed by the records that only the old side has
 *
 * @typedef {{old: CellRecord, new: CellRecord} | {old: CellRecord, new: null} | {old: null, new: CellRecord}} Pair
 */
function pairRecords(olds, news) {
  const partners = partnersOf(olds, news);
  const taken = new Set(partners.values());
  return [
    ...news.map((one) => ({old: partners.get(one) ?? null, new: one})),
    ...olds.filter((one) => !taken.has(one)).map((one) => ({old: one, new: null})),
  ];
}

/** @param {readonly CellRecord[]} olds @param {readonly CellRecord[]} news @returns {Map<CellRecord, CellRecord>} the old record by the new record */
function partnersOf(olds, news) {
  /** @type {Map<CellRecord, CellRecord>} */
  const partners = new Map();
  for (const keyOf of [placeOf, cellOf]) {
    const taken = new Set(partners.values());
    const leftOld = groupBy(
      olds.filter((one) => !taken.has(one)),
      keyOf,
    );
    const leftNew = groupBy(
      news.filter((one) => !partners.has(one)),
      keyOf,
    );
    for (const [key, [one, ...others]] of leftNew) {
      const [old, ...more] = leftOld.get(key) ?? [];
      if (old !== undefined && others.length + more.length === 0) partners.set(one, old);
    }
  }
  return partners;
}

/** @param {CellRecord} record */
function cellOf({workload, payloadBytes, transport, labels}) {
  const {facilitator, qualifier, settings, persistent} = labels;
  return JSON.stringify([workload, payloadBytes, transport, facilitator, qualifier, settings, persistent]);
}

/** @param {CellRecord} record */
function placeOf(record) {
  const {environment, machine, config} = record;
  return JSON.stringify([cellOf(record), environment, machine, config.preset ?? null]);
}

/** The settings of a battle that change how a trial is measured. The settings of the transport and of the load are in the variant. */
const settingsOfTrials = [
  'preset',
  'scale',
  'durationMs',
  'samples',
  'warmUp',
  'pairPer',
  'pin',
  'payloadFile',
];

/** The differences of machine, versions and settings between two records of the same cell. @param {CellRecord} old @param {CellRecord} now */
function differencesOf(old, now) {
  const places = /** @type {const} */ (['environment', 'machine', 'hosts']).map((what) => ({
    what,
    ...{old: old[what], new: now[what]},
  }));
  const all = [
    ...places,
    ...inTrials(old, now),
    ...inBoth(old.versions, now.versions, 'version of '),
    ...inBoth(old.variant, now.variant),
    ...inBoth(pick(old.config), pick(now.config)),
  ];
  return all.filter((one) => !isDeepStrictEqual(one.old, one.new));
}

/** What the trials show. A cell that did not complete may have none. @param {CellRecord} old @param {CellRecord} now @returns {Difference[]} */
function inTrials(old, now) {
  if (old.outcome !== 'completed' || now.outcome !== 'completed') return [];
  return [
    {what: 'measured in', old: measuredIn(old), new: measuredIn(now)},
    {what: 'cores', old: coresOf(old), new: coresOf(now)},
    ...distancesOf(old, now),
  ];
}

/** @param {CompletedRecord} record */
function measuredIn({trials}) {
  return trials.some(({slices}) => slices != null) ? 'slices' : 'one piece';
}

/** The placement and the state of the cores affect ratios, too. @param {CompletedRecord} record */
function coresOf(record) {
  const {placement = null, coreState = 'sleeping'} = record;
  const held =
    placement === null
      ? 'chosen by the system'
      : `fixed for ${placement.threads === 'main' ? 'main threads' : 'processes'}`;
  return `${held}, ${coreState}`;
}

/**
 * The distance of the cores varies a little from battle to battle, and by several times if a hypervisor has moved them.
 * @param {CompletedRecord} old @param {CompletedRecord} now @returns {Difference[]}
 */
function distancesOf(old, now) {
  const [before, after] = [old, now].map(coreDistanceOf);
  if (before === null || after === null) return [];
  if (Math.max(before, after) <= thresholds.coreDistance * Math.min(before, after)) return [];
  const [nearer, farther] = ['closer together', 'further apart'];
  return [
    {
      what: 'the cores of the host',
      ...(before < after ? {old: nearer, new: farther} : {old: farther, new: nearer}),
    },
  ];
}

/**
 * The fields that both records have. A field that is missing or null was unknown, or a later version of perf-battle added it.
 * @param {Record<string, unknown>} old @param {Record<string, unknown>} now @param {string} [prefix]
 */
function inBoth(old, now, prefix = '') {
  return Object.keys(old)
    .filter((key) => old[key] != null && now[key] != null)
    .map((key) => ({what: prefix + key, old: old[key], new: now[key]}));
}

/** A setting that was not given counts as `none`. @param {Record<string, unknown>} config */
function pick(config) {
  return Object.fromEntries(settingsOfTrials.map((key) => [key, config[key] ?? 'none']));
}

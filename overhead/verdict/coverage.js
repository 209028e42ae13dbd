import {randomSource} from '../../src/payload/random.js';
import {Histogram} from '../../src/stats/histogram.js';
import {interval95} from '../../src/stats/interval.js';
import {summarizeTrials} from '../../src/stats/trial-summary.js';
import {normal} from '../chance.js';
import {scaled} from '../pairs.js';
import {exponentialTail, gamma, logNormal, twoModes} from './distributions.js';
import {shareRow} from './share-row.js';

/**
 * @import {Bench, Row} from '../part.js'
 * @import {Distribution} from './distributions.js'
 */

/** These simulations count how often 95 % intervals cover the true value. */

/** The allowed coverage of a 95 % interval. */
export const covers = {min: 0.93, max: 0.97};

const variations = [0.03, 0.1, 0.2, 0.3];
const trialCounts = [3, 5, 10, 30];

/**
 * With any method, a few trials miss heavy tails and a rare mode, so these rows have no bound.
 * @type {readonly {name: string, draw: Distribution, bound: Row['bound']}[]}
 */
const distributions = [
  {name: 'log-normal', draw: logNormal, bound: covers},
  {name: 'gamma', draw: gamma, bound: covers},
  {name: 'exponential tail', draw: exponentialTail, bound: null},
  {name: 'two modes', draw: twoModes, bound: null},
];

/** @param {Bench} bench @returns {Generator<Row>} */
export function* coverageOfMeans(bench) {
  const sets = scaled(bench, 10_000);
  for (const {name, draw, bound} of distributions) {
    for (const variation of variations) {
      for (const trials of trialCounts) {
        const random = randomSource(1, `${name} ${variation} ${trials}`);
        const hits = countSets(sets, () =>
          covers1(interval95(Array.from({length: trials}, () => draw(random, variation)))),
        );
        yield shareRow(`${name}, CV ${percent(variation)}, n ${trials}`, {hits, of: sets}, bound);
      }
    }
  }
}

/** A battle continues until the interval is within this share of the mean, from `first` trials up to `last`. */
const sequential = {target: 0.05, first: 5, last: 30};

/** @param {Bench} bench @returns {Generator<Row>} */
export function* coverageWhenStopping(bench) {
  const sets = scaled(bench, 10_000);
  for (const variation of [0.03, 0.05, 0.08, 0.1, 0.12, 0.15]) {
    const random = randomSource(1, `stopping ${variation}`);
    const hits = countSets(sets, () => covers1(intervalWhenStopping(() => logNormal(random, variation))));
    yield shareRow(`stops at ± 5 %, CV ${percent(variation)}`, {hits, of: sets});
  }
}

/** @param {() => number} draw */
function intervalWhenStopping(draw) {
  const values = Array.from({length: sequential.first}, draw);
  for (;;) {
    const [low, high] = interval95(values) ?? [0, 0];
    // The ends of the interval are mean / f and mean × f.
    if (Math.sqrt(high / low) - 1 <= sequential.target || values.length >= sequential.last)
      return [low, high];
    values.push(draw());
  }
}

/** Samples of a trial, and their spread within the trial: the p99 is 2.5 times the p50. */
const samples = 2000;
const sigmaWithin = Math.log(2.5) / 2.326_348;

/** @param {Bench} bench @returns {Generator<Row>} */
export function* coverageOfPercentiles(bench) {
  const sets = scaled(bench, 1000);
  for (const variation of [0.1, 0.3]) {
    for (const trials of [5, 10]) {
      const hits = {p50Ms: 0, p99Ms: 0};
      const random = randomSource(1, `percentiles ${variation} ${trials}`);
      const sigma = Math.sqrt(Math.log(1 + variation ** 2));
      const truth = {p50Ms: 1, p99Ms: Math.exp(2.326_348 * Math.hypot(sigma, sigmaWithin))};
      for (let set = 0; set < sets; set += 1) {
        const {ci95} = summarizeTrials(
          Array.from({length: trials}, () => encodeTrial(Math.exp(sigma * normal(random)), random)),
        );
        if (holds(ci95.p50Ms, truth.p50Ms)) hits.p50Ms += 1;
        if (holds(ci95.p99Ms, truth.p99Ms)) hits.p99Ms += 1;
      }
      for (const [name, count] of Object.entries(hits)) {
        const what = `${name.slice(0, 3)}, CV of trials ${percent(variation)}, n ${trials}`;
        yield shareRow(what, {hits: count, of: sets});
      }
    }
  }
}

/** @param {number} levelMs @param {() => number} random */
function encodeTrial(levelMs, random) {
  const histogram = new Histogram();
  for (let sample = 0; sample < samples; sample += 1)
    histogram.add(levelMs * Math.exp(sigmaWithin * normal(random)) * 1e6);
  return histogram.encode();
}

/** @param {number} sets @param {() => boolean} isHit */
export function countSets(sets, isHit) {
  let hits = 0;
  for (let set = 0; set < sets; set += 1) if (isHit()) hits += 1;
  return hits;
}

/** @param {readonly number[] | null} interval */
export function covers1(interval) {
  return holds(interval, 1);
}

/** @param {readonly number[] | null} interval @param {number} value */
function holds(interval, value) {
  return interval !== null && interval[0] <= value && interval[1] >= value;
}

/** @param {number} share */
export function percent(share) {
  return `${Math.round(share * 100)} %`;
}

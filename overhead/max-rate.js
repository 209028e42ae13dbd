import {quantileSorted} from 'simple-statistics';
import {randomSource} from '../src/payload/random.js';
import {searchMaxRate} from '../src/workloads/max-rate/client.js';
import {normal, shareInterval} from './chance.js';

/** @import {Bench, Part} from './part.js' */

/**
 * Simulates searches for the highest rate. The true rate of each search is known, so that the share of correct searches can be counted.
 * Nothing is measured, and no time passes.
 *
 * A step takes a second, a confirmation two. It holds if its rate is at most the true rate and none of its seconds is disturbed. The true rate
 * varies by 1 % (standard deviation) from step to step.
 */

/** @type {Part} */
export const maxRate = {
  name: 'max-rate',
  title: 'simulated searches for the highest rate: the share that ends within 10 % of the truth',
  measure: simulateAll,
};

/** @type {readonly {what: string, disturbance: Disturbance, bound: {min: number} | null}[]} */
const situations = [
  {what: 'no second disturbed', disturbance: {share: 0, burstSeconds: 1}, bound: {min: 0.95}},
  {what: '5 % of the seconds disturbed', disturbance: {share: 0.05, burstSeconds: 1}, bound: {min: 0.95}},
  {what: '5 %, in bursts of 3 s', disturbance: {share: 0.05, burstSeconds: 3}, bound: null},
  {what: '5 %, in bursts of 10 s', disturbance: {share: 0.05, burstSeconds: 10}, bound: null},
  {what: '20 %, in bursts of 3 s', disturbance: {share: 0.2, burstSeconds: 3}, bound: null},
];
const searchesOfEach = 1000;

/** @param {Bench} bench */
async function* simulateAll({length, log, onRun}) {
  for (const {what, disturbance, bound} of situations) {
    onRun(what, 0);
    const counts = await simulateSearches(Math.ceil(length * searchesOfEach), disturbance, 1);
    const {searches, near, below, above, none, lowest, seconds} = counts;
    const sorted = seconds.toSorted((one, other) => one - other);
    log(
      `${what}: of ${searches} searches ${near} near, ${below} below, ${above} above, ${none} without a rate; lowest ${lowest.toFixed(3)}; ` +
        `${quantileSorted(sorted, 0.5)} s (median), ${Math.ceil(quantileSorted(sorted, 0.95))} s (95 %), ${sorted.at(-1)} s at most`,
    );
    const estimate = {value: near / searches, ci95: shareInterval(near, searches), count: searches};
    yield {what, bound, estimate, unit: '', sides: null};
  }
}

/** A search is correct if it ends within this share of the true rate. */
const tolerance = 0.1;
/** Standard deviation of the limit from step to step, as a share of the true rate. */
const noise = 0.01;

/**
 * @typedef {object} Disturbance
 * @property {number} share of disturbed seconds
 * @property {number} burstSeconds mean number of consecutive disturbed seconds
 */

/**
 * @param {number} searches @param {Disturbance} disturbance @param {number} seed @returns {Promise<SearchCounts>}
 *
 * @typedef {object} SearchCounts
 * @property {number} searches
 * @property {number} near searches that ended within 10 % of the true rate
 * @property {number} below searches that ended below this range
 * @property {number} above searches that ended above this range
 * @property {number} none searches that found no rate
 * @property {number} lowest the lowest result, as a share of its true rate
 * @property {readonly number[]} seconds of each search
 */
export async function simulateSearches(searches, disturbance, seed) {
  const random = randomSource(seed, `searches ${JSON.stringify(disturbance)}`);
  const ends = [];
  for (let search = 0; search < searches; search += 1) ends.push(await simulateSearch(disturbance, random));
  const shares = ends.flatMap(({share}) => share ?? []);
  const near = shares.filter((share) => Math.abs(share - 1) <= tolerance).length;
  const below = shares.filter((share) => share < 1 - tolerance).length;
  return {
    searches,
    near,
    below,
    above: shares.length - near - below,
    none: searches - shares.length,
    lowest: Math.min(...shares),
    seconds: ends.map(({seconds}) => seconds),
  };
}

/**
 * @param {Disturbance} disturbance @param {() => number} random uniform in [0, 1)
 * @returns {Promise<{share: number | null, seconds: number}>} share: the result divided by the true rate, or null
 */
async function simulateSearch(disturbance, random) {
  const isDisturbed = makeDisturbance(disturbance, random);
  const trueRate = 10 ** (2 + 3 * random());
  // The warm-up keeps one request in flight, so its rate is below the highest rate. A disturbed warm-up is even slower.
  const firstRate = trueRate * (isDisturbed() ? 0.05 : 0.2 + random());
  let seconds = 0;
  const {found} = await searchMaxRate(firstRate, async (rate, {confirms}) => {
    const length = confirms ? 2 : 1;
    seconds += length;
    const disturbed = Array.from({length}, isDisturbed).includes(true);
    return {holds: !disturbed && rate <= trueRate * (1 + noise * normal(random))};
  });
  return {share: found && found.rate / trueRate, seconds};
}

/**
 * Makes a two-state process of disturbed and undisturbed seconds (Gilbert, "Capacity of a burst-noise channel", 1960).
 * @param {Disturbance} disturbance @param {() => number} random @returns {() => boolean} whether the next second is disturbed
 */
function makeDisturbance({share, burstSeconds}, random) {
  const end = 1 / burstSeconds;
  const begin = (share * end) / (1 - share);
  let disturbed = random() < share;
  return () => {
    disturbed = burstSeconds === 1 ? random() < share : disturbed ? random() >= end : random() < begin;
    return disturbed;
  };
}

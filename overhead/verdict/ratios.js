import {compareInBattle} from '../../src/compare/compare-in-battle.js';
import {randomSource} from '../../src/payload/random.js';
import {ratioOf} from '../../src/stats/ratio.js';
import {verdictOfRatio} from '../../src/stats/thresholds.js';
import {normal} from '../chance.js';
import {scaled} from '../pairs.js';
import {countSets, covers, covers1, percent} from './coverage.js';
import {shareRow} from './share-row.js';

/** @import {Bench, Row} from '../part.js' */

/**
 * Simulated cells whose true ratio is known. Rounds are blocks: a part of the variance of the logarithms is common to the cells of a round.
 *
 * @typedef {object} Situation
 * @property {number} variation of the trials of a cell, standard deviation / mean
 * @property {number} ofRounds share of the variance that is common to all cells of a round
 * @property {number} rounds
 */

/** @type {readonly Situation[]} */
const situations = [0.03, 0.1, 0.2].flatMap((variation) =>
  [0.2, 0.5].flatMap((ofRounds) => [5, 10].map((rounds) => ({variation, ofRounds, rounds}))),
);

/** @param {Bench} bench @returns {Generator<Row>} */
export function* sameAgainstSame(bench) {
  const sets = scaled(bench, 10_000);
  for (const situation of situations) {
    const random = randomSource(1, `same ${JSON.stringify(situation)}`);
    const hits = countSets(sets, () => covers1(compare(situation, 1, random).ci95));
    yield shareRow(nameOf('1 covered', situation), {hits, of: sets}, covers);
  }
  for (const situation of situations.filter(({rounds}) => rounds === 5)) {
    const random = randomSource(1, `found although same ${JSON.stringify(situation)}`);
    const hits = countSets(
      sets,
      () => verdictOfRatio(compare(situation, 1, random)) !== 'no difference shown',
    );
    yield shareRow(nameOf('said to differ', situation), {hits, of: sets}, {max: 0.06});
  }
}

/** Pairs of the trials' variation and the number of rounds. */
const slowedSituations = [
  [0.03, 5],
  [0.05, 5],
  [0.05, 10],
  [0.1, 10],
  [0.1, 20],
];

/**
 * Measures up to which variation within a round five rounds show 10 %. A higher variation needs more rounds.
 * @param {Bench} bench @returns {Generator<Row>}
 */
export function* slowedByATenth(bench) {
  const sets = scaled(bench, 10_000);
  for (const [variation, rounds] of slowedSituations) {
    const situation = {variation, ofRounds: 0.3, rounds};
    const random = randomSource(1, `slowed ${JSON.stringify(situation)}`);
    const hits = countSets(sets, () => verdictOfRatio(compare(situation, 1.1, random)) === 'slower');
    yield shareRow(nameOf('10 % found', situation), {hits, of: sets});
  }
}

/**
 * Counts the results of `ab` for such cells. The interval, the rank test and a second equal cell must agree.
 * @param {Bench} bench @returns {Generator<Row>}
 */
export function* sidesOfAb(bench) {
  const sets = scaled(bench, 10_000);
  const share = (/** @type {string} */ what, /** @type {Situation} */ situation, trueRatio = 1) => {
    const random = randomSource(1, `ab ${trueRatio} ${JSON.stringify(situation)}`);
    const results = Array.from({length: sets}, () => resultOfAb(situation, trueRatio, random));
    const hits = results.filter((result) => result === 'slower' || (trueRatio === 1 && result === 'faster'));
    return shareRow(
      nameOf(what, situation),
      {hits: hits.length, of: sets},
      trueRatio === 1 ? {max: 0.06} : null,
    );
  };
  for (const situation of situations.filter(({rounds}) => rounds === 5))
    yield share('ab: said to differ', situation);
  for (const [variation, rounds] of slowedSituations)
    yield share('ab: 10 % found', {variation, ofRounds: 0.3, rounds}, 1.1);
}

/** @param {Situation} situation @param {number} trueRatio @param {() => number} random */
function resultOfAb(situation, trueRatio, random) {
  const cell = cellsOf(situation, random);
  const sides = Object.entries({a: 1, 'a again': 1, b: trueRatio}).map(([side, mean]) => ({
    ...{outcome: 'completed', workload: 'rtt', comparedBy: 'latency', variant: {side}},
    verdict: {status: 'valid', warnings: []},
    trials: cell(mean).map(({round, figureMs}) => ({round, meanMs: figureMs, used: true})),
  }));
  return compareInBattle(/** @type {any} */ (sides))[0].result;
}

/** @param {string} what @param {Situation} situation */
function nameOf(what, {variation, ofRounds, rounds}) {
  return `${what}, CV ${percent(variation)}, rounds ${percent(ofRounds)}, n ${rounds}`;
}

/** @param {Situation} situation @param {number} trueRatio @param {() => number} random */
function compare(situation, trueRatio, random) {
  const cell = cellsOf(situation, random);
  return ratioOf(cell(trueRatio), cell(1));
}

/** Returns a function that makes trials with a true mean, in common rounds. @param {Situation} situation @param {() => number} random */
function cellsOf({variation, ofRounds, rounds}, random) {
  const sigma = Math.sqrt(Math.log(1 + variation ** 2));
  const levels = Array.from({length: rounds}, () => sigma * Math.sqrt(ofRounds) * normal(random));
  return (/** @type {number} */ mean) =>
    levels.map((level, index) => ({
      round: index + 1,
      figureMs: mean * Math.exp(level + sigma * Math.sqrt(1 - ofRounds) * normal(random)),
    }));
}

import {randomSource} from '../../src/payload/random.js';
import {interval95} from '../../src/stats/interval.js';
import {judge} from '../../src/verdict/warnings.js';
import {normal} from '../chance.js';
import {scaled} from '../pairs.js';
import {percent} from './coverage.js';
import {shareRow} from './share-row.js';

/**
 * @import {Evidence} from '../../src/verdict/warning.js'
 * @import {Bench, Row} from '../part.js'
 */

/**
 * Simulated battles of 5 variants and 4 sizes, as the verdict sees them. They have no fault unless the situation adds one. Two cells are the
 * worst case of a warning: the second variant takes exactly as long as the floor, and the third takes as long for the second size as for the first.
 *
 * @typedef {object} Situation
 * @property {string} name
 * @property {number} variation of the trials, standard deviation / mean; 30 % of the variance is common to a round
 * @property {number} rounds
 * @property {number} [fall] the share by which the second half of each trial is faster
 * @property {number} [drift] the share by which the last round is slower than the first
 */

const variants = 5;
const sizes = 4;
const ofRounds = 0.3;
/** Variation of the ten windows of a trial. */
const variationOfWindows = 0.05;

/** Warnings that chance can cause here. All other warnings depend on the state of a machine. */
const byChance = ['wide', 'not-warm', 'drift', 'below-floor', 'falls-with-size'];

/** @param {Bench} bench @returns {Generator<Row>} */
export function* falseAlarms(bench) {
  for (const variation of [0.03, 0.06, 0.1]) {
    const counts = countAlarms(scaled(bench, 1000), {name: 'clean', variation, rounds: 5});
    const name = `CV ${percent(variation)}`;
    for (const code of byChance)
      yield shareRow(`${code}, ${name}, cells`, counts.cells(code), code === 'wide' ? null : {max: 0.02});
    yield shareRow(`drift, ${name}, battles`, counts.battles('drift'), {max: 0.025});
    yield shareRow(`neither wide nor suspect, ${name}`, counts.valid());
  }
}

/** @param {Bench} bench @returns {Generator<Row>} */
export function* faultsFound(bench) {
  const battles = scaled(bench, 1000);
  for (const fall of [0.1, 0.2]) {
    const counts = countAlarms(battles, {name: 'cold', variation: 0.06, rounds: 5, fall});
    yield shareRow(`not-warm finds a fall of ${percent(fall)}`, counts.cells('not-warm'));
  }
  for (const drift of [0.2, 0.5]) {
    const counts = countAlarms(battles, {name: 'drift', variation: 0.06, rounds: 5, drift});
    yield shareRow(`drift finds ${percent(drift)}`, counts.battles('drift'));
  }
}

/** @param {number} battles @param {Situation} situation */
function countAlarms(battles, situation) {
  const random = randomSource(1, `battles ${JSON.stringify(situation)}`);
  const verdicts = Array.from({length: battles}, () => [...judge(makeBattle(situation, random)).values()]);
  const has =
    (/** @type {string} */ code) =>
    (/** @type {typeof verdicts[number][number]} */ {warnings}) =>
      warnings.some((warning) => warning.code === code);
  const cells = verdicts.flat();
  return {
    cells: (/** @type {string} */ code) => ({hits: cells.filter(has(code)).length, of: cells.length}),
    battles: (/** @type {string} */ code) => ({
      hits: verdicts.filter((battle) => battle.some(has(code))).length,
      of: battles,
    }),
    valid: () => ({hits: cells.filter(({status}) => status === 'valid').length, of: cells.length}),
  };
}

/** @param {Situation} situation @param {() => number} random @returns {Evidence[]} */
function makeBattle(situation, random) {
  const sigma = Math.sqrt(Math.log(1 + situation.variation ** 2));
  const levels = Array.from({length: situation.rounds}, (_, round) => {
    const drift = (Math.log1p(situation.drift ?? 0) * round) / (situation.rounds - 1);
    return drift + sigma * Math.sqrt(ofRounds) * normal(random);
  });
  const sigmaOfCell = sigma * Math.sqrt(1 - ofRounds);
  const cells = [];
  for (let variant = 0; variant < variants; variant += 1) {
    for (let size = 0; size < sizes; size += 1) {
      const figures = levels.map(
        (level) => meanOf(variant, size) * Math.exp(level + sigmaOfCell * normal(random)),
      );
      cells.push(makeEvidence({variant, size, figures, fall: situation.fall ?? 0}, random));
    }
  }
  return cells;
}

/** Returns true means in ms. @param {number} variant 0: the floor @param {number} size */
function meanOf(variant, size) {
  if (variant === 2) return 0.2 * 2 ** Math.max(0, size - 1);
  return 0.05 * 2 ** size * Math.max(1, variant);
}

/**
 * @param {{variant: number, size: number, figures: readonly number[], fall: number}} cell
 * @param {() => number} random @returns {Evidence} only the fields that the warnings read
 */
function makeEvidence({variant, size, figures, fall}, random) {
  const usage = {
    wallMs: 1000,
    userMs: 400,
    systemMs: 200,
    mainThreadMs: 550,
    eventLoopShare: 0.6,
    maxRssBytes: 1e8,
  };
  const meanMs = figures.reduce((sum, figure) => sum + figure, 0) / figures.length;
  const trials = figures.map((figureMs, index) => ({
    ...{round: index + 1, figureMs, meanMs: figureMs, samples: 970 / figureMs, disturbed: false},
    windows: Array.from({length: 10}, (_, window) => {
      const level = window < 5 ? 1 : 1 - fall;
      return figureMs * level * Math.exp(variationOfWindows * normal(random));
    }),
    usage: {client: usage, server: usage, broker: null},
    counts: {timedOut: 0},
  }));
  return /** @type {any} */ ({
    id: `${variant}-${size}`,
    transport: `transport ${variant}`,
    variant: {},
    workload: 'round trips',
    comparedBy: 'latency',
    ...{
      isFloor: variant === 0,
      maxInFlight: 1,
      keepsWindowFull: true,
      busyRoles: [],
      payloadBytes: 1024 * 10 ** size,
    },
    host: {clockSource: 'tsc', clockReadNanos: 40},
    figures: {
      rtt: {meanMs, ci95Ms: interval95(figures)},
      latencies: {},
      openLoop: null,
      counts: {sent: 5000, received: 5000, lost: 0, corrupted: 0, duplicated: 0},
    },
    trials,
  });
}

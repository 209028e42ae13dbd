import {coverageOfMeans, coverageOfPercentiles, coverageWhenStopping} from './coverage.js';
import {falseAlarms, faultsFound} from './false-alarms.js';
import {measureLive} from './live.js';
import {sameAgainstSame, sidesOfAb, slowedByATenth} from './ratios.js';

/** @import {Bench, Part} from '../part.js' */

/** @type {Part} */
export const verdict = {
  name: 'verdict',
  title: 'error rates of intervals, ratios and warnings, as hits/of: simulated, and with --battles real',
  isOptIn: true,
  measure: measureErrorRates,
};

const questions = [
  {what: 'the 95 % interval of the mean covers it', measure: coverageOfMeans},
  {what: 'the same, when more rounds follow until it is narrow', measure: coverageWhenStopping},
  {what: 'the 95 % interval of a percentile covers it', measure: coverageOfPercentiles},
  {what: 'the same against the same', measure: sameAgainstSame},
  {what: 'a transport that is slowed by 10 % is said to be slower', measure: slowedByATenth},
  {what: 'two sides in one battle', measure: sidesOfAb},
  {what: 'warnings in battles of 20 cells with nothing wrong', measure: falseAlarms},
  {what: 'warnings in battles with a fault', measure: faultsFound},
];

/** @param {Bench} bench */
async function* measureErrorRates(bench) {
  for (const {what, measure} of questions) {
    bench.log(what);
    yield* measure(bench);
  }
  yield* measureLive(bench);
}

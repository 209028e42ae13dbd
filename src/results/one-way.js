import {percentiles} from '../stats/summary.js';
import {thresholds} from '../stats/thresholds.js';

/**
 * One-way latencies between hosts. Each figure by itself is known only if it is several times the error bound of the clocks' offset.
 *
 * @import {Figures} from './record-schema.js'
 * @import {JournalTrial} from './trial.js'
 */

/** The figures of a distribution that are times of messages. */
const times = ['meanMs', 'minMs', 'maxMs', ...Object.keys(percentiles)];
/** The figures that are known if the mean is. */
const ofMean = ['stdevMs', 'ci95Ms'];

/**
 * Withholds the figures of one-way messages that the clocks of the hosts do not support.
 * @template {Pick<Figures, 'rtt' | 'latencies' | 'trials'>} Whole
 * @param {Whole} figures of a cell
 * @param {readonly JournalTrial[]} trials those that count
 * @returns {Whole & Pick<Figures, 'oneWay'>}
 */
export function withKnownLatencies(figures, trials) {
  const bounds = trials.flatMap(({oneWay}) => oneWay?.clockBoundMs ?? []);
  if (bounds.length === 0) return {...figures, oneWay: null};
  const clockBoundMs = Math.max(...bounds);
  const leastMs = thresholds.clockBounds * clockBoundMs;
  const {service, ...latencies} = figures.latencies;
  const known = {rtt: knownOf(figures.rtt, leastMs), service: knownOf(service ?? null, leastMs)};
  const withheld = known.rtt.withheld || known.service.withheld;
  return {
    ...figures,
    rtt: known.rtt.figures,
    latencies: known.service.figures ? {...latencies, service: known.service.figures} : latencies,
    // Every figure that is withheld could be computed from the histograms.
    trials: withheld
      ? figures.trials.map((trial) => ({...withhold(trial, leastMs), histogram: null}))
      : figures.trials,
    oneWay: {clockBoundMs, withheld},
  };
}

/**
 * @template {object} Distribution
 * @param {Distribution | null} figures null: an older version has withheld all of them
 * @param {number} leastMs
 * @returns {{figures: Distribution | null, withheld: boolean}} figures: null if none is known
 */
function knownOf(figures, leastMs) {
  if (!figures) return {figures, withheld: true};
  const known = withhold(figures, leastMs);
  const isKnown = times.some((name) => typeof Reflect.get(known, name) === 'number');
  const withheld = times.some((name) => Reflect.get(known, name) !== Reflect.get(figures, name));
  return {figures: isKnown ? known : null, withheld};
}

/**
 * @template {object} Distribution
 * @param {Distribution} figures
 * @param {number} leastMs
 * @returns {Distribution} with null in place of what is less, and of its interval
 */
function withhold(figures, leastMs) {
  const isLess = (/** @type {string} */ name) => {
    const value = Reflect.get(figures, name);
    return typeof value === 'number' && value < leastMs;
  };
  const unknown = [...times.filter(isLess), ...(isLess('meanMs') ? ofMean : [])];
  const known = withNulls(figures, unknown);
  return 'ci95' in known && known.ci95 ? {...known, ci95: withNulls(known.ci95, unknown)} : known;
}

/**
 * @template {object} Whole
 * @param {Whole} whole
 * @param {readonly string[]} names
 * @returns {Whole} with null under each of these names that it has
 */
function withNulls(whole, names) {
  const nulls = names.filter((name) => name in whole).map((name) => [name, null]);
  return {...whole, ...Object.fromEntries(nulls)};
}

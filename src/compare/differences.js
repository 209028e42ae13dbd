import {isDeepStrictEqual} from 'node:util';

/** @import {CellRecord} from '../results/record-schema.js' */

/**
 * Settings of a battle that say how a trial is measured. Those of the transport and of the load are in the variant.
 */
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

/**
 * The differences of machine, versions and settings between two records of the same cell.
 *
 * @param {CellRecord} old
 * @param {CellRecord} now
 * @returns {Difference[]}
 *
 * @typedef {object} Difference
 * @property {string} what the machine, the version of a part, or a setting by its name in the record
 * @property {unknown} old
 * @property {unknown} new
 */
export function differencesOf(old, now) {
  const places = /** @type {const} */ (['environment', 'machine', 'hosts']).map((what) => ({
    what,
    ...{old: old[what], new: now[what]},
  }));
  const all = [
    ...places,
    {what: 'measured in', old: measuredIn(old), new: measuredIn(now)},
    {what: 'cores', old: coresOf(old), new: coresOf(now)},
    ...inBoth(old.versions, now.versions, 'version of '),
    ...inBoth(old.variant, now.variant),
    ...inBoth(pick(old.config), pick(now.config)),
  ];
  return all.filter((one) => !isDeepStrictEqual(one.old, one.new));
}

/** @param {CellRecord} record */
function measuredIn(record) {
  const isInSlices = record.outcome === 'completed' && record.trials.some(({slices}) => slices != null);
  return isInSlices ? 'slices' : 'one piece';
}

/** The state of the cores moves ratios, too. @param {CellRecord} record */
function coresOf(record) {
  if (record.outcome !== 'completed') return null;
  const {placement = null, coreState = 'sleeping'} = record;
  const held = placement === null ? 'chosen by the system' : `fixed for ${threadsOf(placement)}`;
  return `${held}, ${coreState}`;
}

/** @param {{threads: 'main' | 'all'}} placement */
function threadsOf({threads}) {
  return threads === 'main' ? 'main threads' : 'processes';
}

/**
 * The fields that both have. One that is missing or null was not known, or came with a later version of perf-battle.
 * @param {Record<string, unknown>} old
 * @param {Record<string, unknown>} now
 * @param {string} [prefix]
 * @returns {Difference[]}
 */
function inBoth(old, now, prefix = '') {
  return Object.keys(old)
    .filter((key) => old[key] != null && now[key] != null)
    .map((key) => ({what: prefix + key, old: old[key], new: now[key]}));
}

/** @param {Record<string, unknown>} config A setting that was not given is one, too. */
function pick(config) {
  return Object.fromEntries(settingsOfTrials.map((key) => [key, config[key] ?? 'none']));
}

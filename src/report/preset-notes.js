import {isDeepStrictEqual} from 'node:util';

/**
 * @import {Preset} from '../presets/preset.js'
 * @import {CompletedRecord} from '../results/record-schema.js'
 */

/**
 * How the length of the measured battles differs from that of the published benchmark. All texts ran everything once.
 * @param {readonly CompletedRecord[]} records
 * @returns {string[]} sentences
 */
export function lengthNotes(records) {
  if (records.length === 0) return [];
  const rounds = Math.max(...records.map(({trials}) => trials.filter(isFirstOfRound).length));
  const scales = records.map(({config: {scale = 1}}) => Number(scale)).filter((scale) => scale !== 1);
  return [
    rounds === 1
      ? 'The text ran everything once, as here. A single trial has no interval; --rounds 5 gives one and takes five times as long.'
      : `The text ran everything once. Here there are ${rounds} rounds${records.every(hasInterval) ? ', which give an interval' : ''}.`,
    ...(scales.length === 0
      ? []
      : [
          `With --scale ${[...new Set(scales)].join(' or ')} each trial and each counted warm-up had that share of its messages. The numbers of messages in this list are not scaled.`,
        ]),
  ];
}

/**
 * A disturbed round is repeated, and then has two trials.
 * @param {CompletedRecord['trials'][number]} trial
 * @param {number} index
 * @param {CompletedRecord['trials']} trials
 */
function isFirstOfRound({round, startedAt}, index, trials) {
  return !trials.slice(0, index).some((other) => other.round === round && other.startedAt !== startedAt);
}

/** @param {CompletedRecord} record */
function hasInterval({trials}) {
  return trials.filter(({used}) => used).length > 1;
}

/**
 * Which settings of a preset the measured battles changed. The other notes state those of the preset.
 * @param {Pick<Preset, 'settings' | 'today'>} preset
 * @param {readonly CompletedRecord[]} records
 * @returns {string[]} sentences
 */
export function changedNotes({settings, today = {}}, records) {
  const given = Object.keys(settings).filter((key) => !saidElsewhere.includes(key));
  const changed = given.filter((key) =>
    records.some(
      ({config}) =>
        config[key] !== undefined &&
        ![settings[key], today[key]].some((value) => isDeepStrictEqual(value, config[key])),
    ),
  );
  if (changed.length === 0) return [];
  const values = changed.map((key) => `${key} ${JSON.stringify(settings[key])}`).join(', ');
  return [
    `These notes are of the settings of the preset. The battle had others than ${values} (the record's config has them).`,
  ];
}

/** The rows name transports and sizes; another note has the rounds. */
const saidElsewhere = ['transport', 'payloadBytes', 'rounds'];

import {nameOfVariant} from '../columns/names.js';
import {floorTransport} from '../transports/index.js';
import {parseExpectation} from './expectation.js';
import {judgeBound, together} from './judge.js';

/**
 * @import {CellRecord} from '../results/record-schema.js'
 * @import {Choice, Outcome, Question} from './types.js'
 */

/** The order of the sentences. @type {readonly Outcome[]} */
const order = ['holds', 'fails', 'cannot tell'];

/**
 * Judges which transports sustain a rate within a p99 of the response time.
 * @param {{rate: number, p99Ms: number}} asked rate: per second @param {readonly CellRecord[]} records records of round trips at this rate
 * @returns {Choice[]} sorted by outcome, by guarantee, and by p99, the lowest first
 */
export function chooseAmong({rate, p99Ms}, records) {
  const [sustains, answers] = parseExpectation(`>= ${rate}/s at p99 <= ${p99Ms}ms`).bounds;
  return records
    .filter(({transport}) => transport !== floorTransport.name)
    .map((record) => {
      const judged = [judgeBound(sustains, record), judgeBound(answers, record)];
      const outcome = together(judged);
      // If the rate is not sustained, the p99 means nothing, so the sentence shows the rate.
      const {shown, reason} = outcome === 'fails' && judged[0].outcome === 'fails' ? judged[0] : judged[1];
      const answer = {holds: ' holds it:', fails: ' does not:', 'cannot tell': ': cannot tell;'}[outcome];
      const p99 = record.outcome === 'completed' ? (record.rtt?.p99Ms ?? Number.POSITIVE_INFINITY) : 0;
      const ofClass = record.guarantee ? ` [${record.guarantee.name}]` : '';
      const why = reason === null ? '' : `; ${reason}`;
      const choice = {
        cell: record.id,
        outcome,
        sentence: `${nameOfVariant(withoutRate(record.labels, rate))}${ofClass}${answer} ${shown}${why}.`,
      };
      return {choice, p99, name: record.guarantee?.name ?? ''};
    })
    .toSorted(
      (one, other) =>
        order.indexOf(one.choice.outcome) - order.indexOf(other.choice.outcome) ||
        one.name.localeCompare(other.name) ||
        one.p99 - other.p99,
    )
    .map(({choice}) => choice);
}

/**
 * The question that a battle of choose was asked.
 * @param {Pick<CellRecord, 'config' | 'payloadBytes' | 'variant'>} record
 * @returns {Question | null} null for other battles, and for those of versions that did not record the question
 */
export function questionIn({config: {p99Ms}, payloadBytes, variant: {rate}}) {
  return typeof p99Ms === 'number' && typeof rate === 'number' ? {rate, p99Ms, payloadBytes} : null;
}

/** All sentences are about this rate, so the names omit it. @param {CellRecord['labels']} labels @param {number} rate */
function withoutRate(labels, rate) {
  return {...labels, settings: labels.settings.filter((setting) => setting !== `${rate}/s`)};
}

/** @param {readonly Choice[]} choices @returns {0 | 4 | 5} the exit code: 0 if a choice holds, 4 if none holds, 5 if undecided */
export function exitCodeOfChoice(choices) {
  const outcomes = choices.map(({outcome}) => outcome);
  if (outcomes.includes('holds')) return 0;
  return outcomes.includes('cannot tell') || outcomes.length === 0 ? 5 : 4;
}

import {formatPercentile, roundedWithInterval, toSignificant} from '../columns/figures.js';
import {nameOfCell} from '../columns/names.js';
import {hasSamplesAbove} from '../stats/histogram.js';
import {percentiles} from '../stats/summary.js';
import {transports} from '../transports/index.js';
import {warningNamed} from '../verdict/warnings.js';
import {withWorkload} from '../workloads/index.js';
import {isHere, parseExpectation} from './expectation.js';

/**
 * @import {Interval} from '../columns/column.js'
 * @import {CellRecord, CompletedRecord} from '../results/record-schema.js'
 * @import {Bound, Expectation} from './expectation.js'
 * @import {Judgement, Operator, Outcome} from './types.js'
 */

/**
 * Judges expectations on records. A bound holds if the whole 95 % interval of its figure is within the bound, and fails if the whole interval
 * is beyond the bound. A bound cannot be judged if it is inside the interval, if there is no interval, or if the cell is suspect. There are two
 * exceptions: the figure is suspect only for causes that make it worse, and holds nevertheless; or even the fastest sample is beyond the bound.
 * @param {readonly string[]} expectations @param {readonly CellRecord[]} records
 * @returns {Judgement[]} a judgement for each cell that an expectation chooses
 * @throws {UsageError} when an expectation has a word that is neither known nor a transport of a record, or a name that no transport has
 */
export function judgeExpectations(expectations, records) {
  const isTransport = (/** @type {string} */ name) =>
    isHere(name) || records.some(({transport}) => transport === name);
  return expectations
    .map((text) => parseExpectation(text, isTransport, (name) => isNameHere(name, records)))
    .flatMap((expectation) => {
      const {text} = expectation;
      const chosen = records.filter((record) => expectation.appliesTo(/** @type {any} */ (record)));
      if (chosen.length > 0) return chosen.map((record) => judgementOn(expectation, record));
      return [
        {expectation: text, cell: null, outcome: 'cannot tell', sentence: `${text}: there is no such cell`},
      ];
    });
}

/**
 * Whether a name of a table is of a transport or a record. The records may lack a variant, but not the name of every transport.
 * @param {string} name in small letters @param {readonly CellRecord[]} records
 */
function isNameHere(name, records) {
  const labels = [
    ...transports.map(({label}) => label),
    ...records.map((record) => record.labels.facilitator),
  ];
  return labels
    .map((label) => label.toLowerCase())
    .some((label) => name === label || name.startsWith(`${label} `));
}

/** @param {readonly Judgement[]} judgements @returns {0 | 4 | 5} the exit code: 4 if a judgement fails, 5 if none fails but one cannot tell */
export function exitCodeOfJudgements(judgements) {
  const outcomes = judgements.map(({outcome}) => outcome);
  if (outcomes.includes('fails')) return 4;
  return outcomes.includes('cannot tell') ? 5 : 0;
}

/** @param {Expectation} expectation @param {CellRecord} record @returns {Judgement} */
function judgementOn({text, bounds}, record) {
  const judged = bounds.map((bound) => judgeBound(bound, record));
  const said = [...new Set(judged.map(({what}) => what))].join('; ');
  return {
    expectation: text,
    cell: record.id,
    outcome: together(judged),
    sentence: `${withWorkload(nameOfCell(record), record.workload)}: ${said}`,
  };
}

/** The outcome of bounds that must all hold. @param {readonly {outcome: Outcome}[]} judged @returns {Outcome} */
export function together(judged) {
  const outcomes = judged.map(({outcome}) => outcome);
  return (
    /** @type {const} */ (['fails', 'cannot tell', 'holds']).find((one) => outcomes.includes(one)) ??
    'cannot tell'
  );
}

/**
 * @param {Bound} bound @param {CellRecord} record
 * @returns {{outcome: Outcome, shown: string, what: string, reason: string | null}} shown: the figure; what: the figure, the expectation and the
 *   reason; reason: why the bound cannot be judged, or a reservation about the outcome
 */
export function judgeBound(bound, record) {
  const {figure, operator, limit, limitText} = bound;
  const cannotTell = (/** @type {string} */ reason, shown = `${figure} is not known`, expected = '') => ({
    outcome: /** @type {const} */ ('cannot tell'),
    shown,
    reason,
    what: expected === '' ? `${shown}: ${reason}` : `${shown}, ${expected}, but ${reason}`,
  });
  if (record.outcome !== 'completed') return cannotTell(`the cell ${record.outcome}`);
  const {value, interval, missing, exact = false} = figureOf(bound, record);
  const isSuspect = record.verdict.status === 'suspect';
  const isIncomplete = !exact && (value === null || interval === null);
  if (isIncomplete && !isSuspect && areAllBeyond(bound, record)) {
    const shown = `even the fastest sample took ${format(Number(record.rtt?.minMs), null, figure)}`;
    return {
      outcome: 'fails',
      shown,
      what: `${shown}, expected ${figure} ${operator} ${limitText}`,
      reason: null,
    };
  }
  if (value === null) return cannotTell(missing ?? 'it was not measured');
  const remark = exact && missing !== null ? ` (${missing})` : '';
  const shown = `${figure} is ${format(value, interval, figure, record.rtt?.maxMs)}${remark}`;
  const expected = `expected ${operator} ${limitText}`;
  const reasons = reasonsAgainst(figure, record);
  const ends = exact ? [value] : interval;
  if (reasons.length > 0) {
    const outcome = inSpiteOf(reasons, bound, record, {ends, exact});
    const suspect = `suspect (${reasons.join(', ')})`;
    if (outcome === null) return cannotTell(`the figure is ${suspect}`, shown, expected);
    const all = outcome === 'holds' ? 'although' : 'and even the fastest sample was slower, although';
    const what = `${shown}, ${expected}, ${all} the figure is ${suspect}`;
    return {outcome, shown, what, reason: `the figure is ${suspect}, which only makes it worse`};
  }
  if (ends === null) return cannotTell(missing ?? 'it has no interval', shown, expected);
  const within = new Set(ends.map((end) => isWithin[operator](end, limit)));
  if (within.size > 1)
    return cannotTell(`${limitText} is inside the interval; more rounds narrow it`, shown, expected);
  return {outcome: within.has(true) ? 'holds' : 'fails', shown, what: `${shown}, ${expected}`, reason: null};
}

/**
 * The reasons why a figure may be wrong. Some warnings do not affect a rate: a transport that does not keep up still has an achieved rate.
 * @param {Bound['figure']} figure @param {CompletedRecord} record
 * @returns {string[]} codes of warnings, including codes that this version does not know
 */
function reasonsAgainst(figure, {verdict: {status, warnings}}) {
  if (status !== 'suspect') return [];
  const codes = warnings.map(({code}) => code).filter((code) => warningNamed(code)?.level !== 'wide');
  return figure === 'rate' && codes.every((code) => warningNamed(code)?.sparesRate) ? [] : codes;
}

/** If roles are not pinned, other work can move both to one core, which makes them faster: raw TCP took 0.013 ms instead of 0.039 ms. */
const gainOnOneCore = 4;

/**
 * Judges a suspect figure. A disturbance that makes a time longer, or a rate lower, cannot make a bound hold by mistake. And no disturbance lasts
 * so long that it affects all samples.
 * @param {readonly string[]} reasons codes of the warnings
 * @param {Bound} bound @param {CompletedRecord} record
 * @param {{ends: readonly number[] | null, exact: boolean}} figureOfRecord ends: the ends of the interval; exact: whether the figure needs no interval
 * @returns {'holds' | 'fails' | null} null if the figure cannot be judged
 */
function inSpiteOf(reasons, {figure, operator, limit}, {placement, rtt}, {ends, exact}) {
  const onlyWorse = reasons.every((code) => warningNamed(code)?.onlySlows);
  if (!onlyWorse || isFromAbove(operator) === (figure === 'rate')) return null;
  // An offered rate cannot be exceeded.
  const gain = placement || (exact && figure === 'rate') ? 1 : gainOnOneCore;
  const atWorst = (/** @type {number} */ end) => (figure === 'rate' ? end / gain : end * gain);
  if (ends?.every((end) => isWithin[operator](atWorst(end), limit))) return 'holds';
  return areAllBeyond({figure, operator, limit}, {rtt}) ? 'fails' : null;
}

/** Whether even the fastest sample exceeds an upper bound on a time. @param {Pick<Bound, 'figure' | 'operator' | 'limit'>} bound @param {Pick<CompletedRecord, 'rtt'>} record */
function areAllBeyond({figure, operator, limit}, {rtt}) {
  const minMs = rtt?.minMs ?? null;
  return figure !== 'rate' && isFromAbove(operator) && minMs !== null && !isWithin[operator](minMs, limit);
}

/** @type {Readonly<Record<Operator, (value: number, limit: number) => boolean>>} */
const isWithin = {
  '<': (value, limit) => value < limit,
  '<=': (value, limit) => value <= limit,
  '>': (value, limit) => value > limit,
  '>=': (value, limit) => value >= limit,
};

/** @param {Operator} operator */
function isFromAbove(operator) {
  return operator.startsWith('<');
}

const singleTrial = 'a single trial has no interval; use more --rounds';

/**
 * @typedef {{value: number | null, interval: Interval | null, missing: string | null, exact?: boolean}} KnownFigure missing: the reason for a missing
 *   value or interval, or a remark; exact: whether the value needs no interval
 */

/** @param {Bound} bound @param {CompletedRecord} record @returns {KnownFigure} */
function figureOf({figure}, record) {
  if (figure === 'rate') return rateOf(record);
  const {rtt} = record;
  if (rtt === null) return {value: null, interval: null, missing: 'nothing answers its messages'};
  if (figure === 'mean') return {value: rtt.meanMs, interval: rtt.ci95Ms, missing: singleTrial};
  // The largest value was observed, so it has no interval.
  if (figure === 'max') return {value: rtt.maxMs, interval: null, missing: null, exact: true};
  const field = /** @type {keyof NonNullable<typeof rtt.ci95>} */ (`${figure.replace('.', '')}Ms`);
  const value = rtt[field];
  const interval = rtt.ci95?.[field] ?? null;
  if (value === null) return {value, interval, missing: whyUnknown(field, rtt.samples)};
  return {value, interval, missing: 'it has no interval: too few trials, or too few samples in one'};
}

/** @param {keyof typeof percentiles} field @param {number} samples */
function whyUnknown(field, samples) {
  return hasSamplesAbove(samples, percentiles[field])
    ? 'it is withheld, or an older version did not record it'
    : `${samples} samples are too few; use a longer --duration`;
}

/** An open loop that keeps up has the offered rate; waiting for the last replies makes the achieved rate lower. @param {CompletedRecord} record @returns {KnownFigure} */
function rateOf({openLoop, throughput}) {
  if (openLoop?.keepsUp)
    return {
      value: openLoop.offeredPerSecond,
      interval: null,
      missing: 'it keeps up with what is offered',
      exact: true,
    };
  return {
    value: throughput.messagesPerSecond,
    interval: throughput.ci95MessagesPerSecond,
    missing: singleTrial,
  };
}

const digits = 3;

/** @param {number} value @param {Interval | null} interval @param {string} figure @param {number | null} [maxMs] the largest time */
function format(value, interval, figure, maxMs = null) {
  const unit = figure === 'rate' ? '/s' : ' ms';
  const maxDecimals = figure === 'rate' && value >= 100 ? 0 : 4;
  if (interval === null) return `${toSignificant(value, digits, maxDecimals)}${unit}`;
  const {value: rounded, ends} = roundedWithInterval(value, interval, maxDecimals);
  const shown = figure.startsWith('p') ? formatPercentile(value, {interval, maxMs}) : rounded;
  return `${shown}${unit} [${ends.join(', ')}]`;
}

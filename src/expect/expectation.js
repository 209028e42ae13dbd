import {nameOfVariant} from '../columns/names.js';
import {UsageError} from '../errors.js';
import {quote} from '../files/quote.js';
import {didYouMean} from '../options/show-option.js';
import {bytes} from '../options/types.js';
import {maxPayloadBytes} from '../payload/bytes.js';
import {floorTransport, transportNames, transportOptions, transports} from '../transports/index.js';
import {hasLatencies, workloadNames, workloadOptions, workloads} from '../workloads/index.js';

/**
 * @import {Option, OptionType} from '../options/contract.js'
 * @import {ExpectedCell, Operator} from './types.js'
 */

/**
 * An expectation is a sentence such as `rabbitmq 1kb p99 < 5ms` or `http >= 2000/s at p99 < 10ms`. Its words choose cells, and its bounds limit the
 * figures of each chosen cell.
 * @typedef {{text: string, appliesTo: (cell: ExpectedCell) => boolean, bounds: readonly Bound[]}} Expectation text: as it was written; appliesTo:
 *   whether the words choose a cell of a plan, or the cell of a record; bounds: bounds that must all hold
 * @typedef {{figure: Figure, operator: Operator, limit: number, limitText: string}} Bound limit: in ms, or per second; limitText: as it was written
 * @typedef {typeof figures[number]} Figure
 */

const timeFigures = /** @type {const} */ ([
  'mean',
  'p50',
  'p75',
  'p90',
  'p95',
  'p99',
  'p99.9',
  'p99.99',
  'p99.999',
  'max',
]);
const figures = /** @type {const} */ ([...timeFigures, 'rate']);
const operators = ['<', '<=', '>', '>='];

/** The type of an option whose value is an expectation. @type {OptionType<string>} */
export const expectationType = {
  allowed: "an expectation such as 'rabbitmq 1kb p99 < 5ms' or 'http >= 2000/s at p99 < 10ms'",
  parse: (text) => parseExpectation(text).text,
  format: String,
  separator: ';',
  placeholder: 'EXPECTATION',
};

/** As `expectationType`, for records, which may name a transport that is not available here. @type {OptionType<string>} */
export const recordedExpectationType = {
  ...expectationType,
  parse: (text) => parseExpectation(text, (name) => /^[a-z][a-z\d-]*$/.test(name)).text,
};

/** @param {string} name */
export const isHere = (name) => transportNames.some((one) => one === name);

/**
 * @param {string} text @param {(name: string) => boolean} [isTransport] default: the transport can be measured here
 * @param {(name: string) => boolean} [isName] whether a table may have the name; default: any name
 * @returns {Expectation} @throws {UsageError}
 */
export function parseExpectation(text, isTransport = isHere, isName = () => true) {
  const words = wordsOf(text);
  const at = words.findIndex((word) => operators.includes(word));
  if (at === -1) throw new UsageError('It has no comparison: < or <=, > or >=, with a limit such as 5ms.');
  // The figure of "http >= 2000/s" needs no name.
  const isNamed = at > 0 && isFigure(words[at - 1]);
  const chosen = words.slice(0, isNamed ? at - 1 : at);
  const appliesTo = selectorOf(chosen, {isTransport, isName});
  return {text, appliesTo, bounds: boundsOf(words.slice(chosen.length))};
}

/**
 * @param {readonly string[]} expectations @param {readonly ExpectedCell[]} cells the cells of a plan
 * @throws {UsageError} if an expectation chooses no cell, or a figure that none of its cells has
 */
export function refuseUnanswerable(expectations, cells) {
  for (const {text, appliesTo, bounds} of expectations.map((one) => parseExpectation(one))) {
    const chosen = cells.filter(appliesTo);
    if (chosen.length === 0) {
      const names = new Set(cells.map(({transport}) => transport));
      const implied = transports.find(({name, impliedBy}) => impliedBy && names.has(name));
      const note = implied ? ` The cells of --${implied.impliedBy} have the name ${implied.name}.` : '';
      throw new UsageError(
        `The expectation ${quote(text)} chooses no cell of this battle.${note} perf-battle --dry-run shows its cells.`,
      );
    }
    const ofTime = bounds.find(({figure}) => figure !== 'rate');
    if (ofTime && !chosen.some(hasLatencies)) {
      const [{workload}] = chosen;
      throw new UsageError(
        `The expectation ${quote(text)} cannot be judged: without ${workloads[workload].latenciesWith?.flag} the workload ${workload} has no ${ofTime.figure}.`,
      );
    }
  }
}

/** Keeps quotation marks. Joins a number and its unit if a space separates them. @param {string} text @returns {string[]} */
function wordsOf(text) {
  if ((text.match(/"/g)?.length ?? 0) % 2 === 1) throw new UsageError('A quotation mark is not closed.');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are refused
  if (text.length > 1000 || /[\u0000-\u001f\u007f]/.test(text))
    throw new UsageError('It must be one line of at most 1000 characters.');
  const joined = text.replace(/([<>]=?\s*\d+(?:\.\d+)?)\s+([uµμ]s|ms|s|\/s)(?=\s|$)/gi, '$1$2');
  return joined.match(/[\w-]*="[^"]*"|"[^"]*"|[<>]=?|[^\s"<>]+/g) ?? [];
}

/** @param {string} word */
function isFigure(word) {
  return /** @type {readonly string[]} */ (figures).includes(word.toLowerCase());
}

/** @param {readonly string[]} words a bound, and further bounds after "at" or "and" @returns {Bound[]} */
function boundsOf(words) {
  const isNamed = isFigure(words[0]);
  const [operator, limitText, joint, ...others] = words.slice(isNamed ? 1 : 0);
  if (!operators.includes(operator))
    throw new UsageError(`After ${words[0]} a comparison is missing: ${operators.join(', ')}.`);
  if (limitText === undefined) throw new UsageError(`After ${operator} a limit is missing, such as 5ms.`);
  if (!isNamed && !limitText.endsWith('/s'))
    throw new UsageError(
      `Before ${operator} ${limitText} the name of a figure is missing: ${figures.join(', ')}.`,
    );
  const figure = isNamed ? words[0].toLowerCase() : 'rate';
  const bound = boundOf(figure, /** @type {Operator} */ (operator), limitText);
  if (joint === undefined) return [bound];
  if (!['at', 'and'].includes(joint.toLowerCase()))
    throw new UsageError(`After ${limitText} there is ${quote(joint)}. Join two bounds by "at".`);
  if (others.length === 0) throw new UsageError(`After "${joint}" a bound is missing, such as p99 < 10ms.`);
  return [bound, ...boundsOf(others)];
}

const milliseconds = {us: 1e-3, ms: 1, s: 1000};

/** @param {string} figure @param {Operator} operator @param {string} limitText */
function boundOf(figure, operator, limitText) {
  const [, amount, unit] = /^(\d+(?:\.\d+)?)(\D*)$/.exec(limitText.replace(/[µμ]/, 'u').toLowerCase()) ?? [];
  const isRate = figure === 'rate';
  const scale = isRate
    ? {'/s': 1}[unit ?? '']
    : milliseconds[/** @type {keyof typeof milliseconds} */ (unit ?? '')];
  if (amount === undefined || scale === undefined)
    throw new UsageError(
      isRate
        ? `The limit of a rate is a number per second, such as 2000/s; it is ${quote(limitText)}.`
        : `The limit of ${figure} is a time with its unit, such as 5ms or 800us; it is ${quote(limitText)}.`,
    );
  const limit = Number(amount) * scale;
  if (limit === 0)
    throw new UsageError(
      `The limit of ${isRate ? 'a rate' : figure} must be more than 0; it is ${quote(limitText)}.`,
    );
  return {figure: /** @type {Figure} */ (figure), operator, limit, limitText};
}

/**
 * @typedef {(cell: ExpectedCell) => boolean} Selector
 * @typedef {Record<'isTransport' | 'isName', (name: string) => boolean>} Known
 */

/**
 * Words that do not name a transport never choose the floor, because expectations are about the transports compared with the floor.
 * @param {readonly string[]} words @param {Known} known @returns {Selector}
 */
function selectorOf(words, known) {
  const chosen = words.map((word) => choiceOf(word, known));
  const twice = chosen.find(({kind}, index) => chosen.findIndex((one) => one.kind === kind) < index);
  if (twice)
    throw new UsageError(
      `The expectation names two values for the ${twice.kind}. Write one expectation for each.`,
    );
  const namesTransport = chosen.some(({kind}) => kind === 'transport' || kind === 'name');
  return (cell) =>
    (namesTransport || cell.transport !== floorTransport.name) && chosen.every(({chooses}) => chooses(cell));
}

const sizeType = bytes({minimum: 1, maximum: maxPayloadBytes});

/** @param {string} word @param {Known} known @returns {{kind: string, chooses: Selector}} */
function choiceOf(word, {isTransport, isName}) {
  const lower = word.toLowerCase();
  if (word.startsWith('"')) {
    const name = lower.slice(1, -1);
    if (!isName(name))
      throw new UsageError(
        `${quote(word.slice(1, -1))} is no name of a table.${didYouMean(
          name,
          transports.map(({label}) => label.toLowerCase()),
        )}`,
      );
    return {kind: 'name', chooses: ({labels}) => namesOf(labels).includes(name)};
  }
  if (word.includes('=')) return settingOf(word);
  if (workloadNames.some((name) => name === lower))
    return {kind: 'workload', chooses: ({workload}) => workload === lower};
  if (isTransport(lower)) return {kind: 'transport', chooses: ({transport}) => transport === lower};
  if (/^\d/.test(word)) {
    const size = sizeType.parse(word);
    if (size === undefined) throw new UsageError(`${quote(word)} is not ${sizeType.allowed}.`);
    return {kind: 'payload size', chooses: ({payloadBytes}) => payloadBytes === size};
  }
  throw new UsageError(
    `${quote(word)} is no transport, workload, payload size or figure.${didYouMean(lower, [...transportNames, ...workloadNames, ...figures])} Settings are written as delivery-mode=2, names of a table as "HTTP (node:http)".`,
  );
}

/** The names of a variant in tables, from the shortest to the longest. @param {ExpectedCell['labels']} labels */
function namesOf(labels) {
  const {facilitator, qualifier} = labels;
  return [facilitator, nameOfVariant({facilitator, qualifier, settings: []}), nameOfVariant(labels)].map(
    (name) => name.toLowerCase(),
  );
}

/** @param {string} word such as delivery-mode=2 @returns {{kind: string, chooses: Selector}} */
function settingOf(word) {
  const name = word.slice(0, word.indexOf('='));
  const text = word.slice(name.length + 1).replace(/^"(.*)"$/, '$1');
  // Only options of transports and workloads have values that make variants.
  const settings = /** @type {readonly Option[]} */ ([...transportOptions, ...workloadOptions]);
  const option = settings.find((one) => one.name === name.toLowerCase());
  if (option === undefined)
    throw new UsageError(
      `${quote(name)} is no setting of a transport or a workload.${didYouMean(
        name,
        settings.map((one) => one.name),
      )}`,
    );
  const value = option.type.parse(text);
  if (value === undefined)
    throw new UsageError(`${name} must be ${option.type.allowed}; it is ${quote(text)}.`);
  return {kind: name, chooses: ({variant}) => /** @type {any} */ (variant)[option.key] === value};
}

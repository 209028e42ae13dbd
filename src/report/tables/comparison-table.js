import {isDeepStrictEqual} from 'node:util';
import {markdownTable} from 'markdown-table';
import {formatOwnRatio, formatShortMs, formatShortRate} from '../../columns/figures.js';
import {counted, nameOfCell, nameOfVariant} from '../../columns/names.js';
import {formatBytes} from '../../payload/bytes.js';
import {widthOf, wrapIndented} from '../../text/lines.js';
import {withWorkload} from '../../workloads/index.js';
import {fieldColumns, toCsv} from '../for-programs.js';
import {escapeCell, painter, plainText} from '../terminal.js';
import {droppedNote, textTable} from './text-table.js';

/**
 * @import {Comparison, Difference, Result} from '../../compare/types.js'
 * @import {Judgement} from '../../expect/types.js'
 * @import {CellRecord} from '../../results/record-schema.js'
 */

/** @typedef {{names: {old: string, new: string}, comparisons: readonly Comparison[]}} ShownComparison names: of the sides */

/** @type {Record<Result, 'red' | 'green' | 'magenta' | null>} */
const colours = {
  slower: 'red',
  faster: 'green',
  'no difference shown': null,
  'cannot tell': 'magenta',
  'not comparable': 'magenta',
};

const notShown = 'no difference shown';
/** The short form of the battle's table. It leaves room for another column. */
const shortNotShown = 'no diff. shown';

const headings = ['Payload', 'Transport', 'Old', 'New', 'New / old', 'p', 'Result'];

/**
 * Prints a comparison on a terminal: a summary, the differences between the sides, and a row for each cell.
 * @param {ShownComparison} shown @param {Pick<NodeJS.WriteStream, 'write' | 'isTTY' | 'columns'>} stream
 */
export function printComparison({names, comparisons}, stream) {
  const paint = painter(stream);
  const width = widthOf(stream);
  const rows = comparisons.map(cellsOf);
  const columns = headings.map((heading, index) => ({
    heading,
    cells: rows.map((row) => (row[index] === notShown ? shortNotShown : plainText(row[index]))),
    priority: {Old: 2, New: 1, p: 3}[heading] ?? 0,
    isText: ['Payload', 'Transport', 'Result'].includes(heading),
    wraps: heading === 'Transport',
    paint: (/** @type {string} */ text) => {
      const colour = colours[/** @type {Result} */ (text)];
      return heading === 'Result' && colour ? paint(colour, text) : text;
    },
  }));
  const {lines, dropped} = textTable(columns, width);
  const before = [
    `Old: ${names.old}`,
    `New: ${names.new}`,
    summaryOf(comparisons),
    ...floorNote(comparisons),
    ...differingSentences(comparisons),
  ];
  const after = [...droppedNote(dropped, width), ...reasonsOf(comparisons)];
  const wrap = (/** @type {string} */ line) => wrapIndented(plainText(line), width);
  stream.write(`${[...before.flatMap(wrap), '', ...lines, ...after.flatMap(wrap)].join('\n')}\n`);
}

/**
 * Returns a comparison as markdown, for a comment on a pull request.
 * @param {ShownComparison} shown @param {readonly Judgement[]} [judgements] outcomes of the gate @returns {string} without a line ending at its end
 */
export function comparisonMarkdown({names, comparisons}, judgements = []) {
  const rows = [headings, ...comparisons.map(cellsOf)];
  const notes = [...floorNote(comparisons), ...differingSentences(comparisons), ...reasonsOf(comparisons)];
  return [
    `**${summaryOf(comparisons)}**`,
    ...judgements.map(({outcome, sentence}) => `**${outcome}**: ${escapeCell(sentence)}`),
    `Old: ${escapeCell(names.old)}. New: ${escapeCell(names.new)}.`,
    markdownTable(rows.map((row) => row.map(escapeCell))),
    ...(notes.length > 0 ? [notes.map((note) => `- ${escapeCell(note)}`).join('\n')] : []),
  ].join('\n\n');
}

/** Returns a comparison for --json. @param {ShownComparison} shown */
export function comparisonDocument({names, comparisons}) {
  return {
    ...names,
    cells: comparisons.map(({old, new: now, ratio, floor, result, why, differences}) => {
      const {transport, labels, workload, payloadBytes} = /** @type {CellRecord} */ (now ?? old);
      return {
        ...{transport, labels, workload, payloadBytes},
        old: old?.id ?? null,
        new: now?.id ?? null,
        ratio: ratio?.ratio ?? null,
        ratioCi95: ratio?.ci95 ?? null,
        pValue: ratio?.pValue ?? null,
        floorRatio: floor?.ratio ?? null,
        floorRatioCi95: floor?.ci95 ?? null,
        ...{result, why, differences},
      };
    }),
  };
}

/** Returns a comparison for --csv. @param {ShownComparison} shown @param {string} separator */
export function comparisonCsv(shown, separator) {
  return toCsv(csvColumns, comparisonDocument(shown).cells, separator);
}

/** @type {readonly [string, (row: ReturnType<typeof comparisonDocument>['cells'][number]) => unknown][]} */
const csvColumns = [
  ...fieldColumns('transport'),
  ['name', ({labels}) => nameOfVariant(labels)],
  ...fieldColumns('workload', 'payloadBytes', 'old', 'new', 'ratio'),
  ['ratio_low', ({ratioCi95}) => ratioCi95?.[0]],
  ['ratio_high', ({ratioCi95}) => ratioCi95?.[1]],
  ...fieldColumns('pValue', 'floorRatio'),
  ['floor_ratio_low', ({floorRatioCi95}) => floorRatioCi95?.[0]],
  ['floor_ratio_high', ({floorRatioCi95}) => floorRatioCi95?.[1]],
  ...fieldColumns('result', 'why'),
];

/** @param {Comparison} comparison @returns {string[]} by heading */
function cellsOf({old, new: now, ratio, result}) {
  const cell = /** @type {CellRecord} */ (now ?? old);
  return [
    formatBytes(cell.payloadBytes),
    withWorkload(nameOfVariant(cell.labels), cell.workload),
    figureOf(old),
    figureOf(now),
    formatOwnRatio(ratio),
    ratio?.pValue == null ? 'n/a' : formatP(ratio.pValue),
    result,
  ];
}

/** @param {CellRecord | null} record */
function figureOf(record) {
  if (record?.outcome !== 'completed') return 'n/a';
  const {comparedBy, rtt, throughput} = record;
  return comparedBy === 'latency' && rtt
    ? `${formatShortMs(rtt.meanMs, rtt.ci95Ms)} ms`
    : `${formatShortRate(throughput)}/s`;
}

/** @param {number} pValue */
function formatP(pValue) {
  return pValue < 0.001 ? '< 0.001' : pValue.toFixed(3);
}

/** Counts the results, without those of raw TCP, which show how similar the hosts are. @param {readonly Comparison[]} comparisons */
export function summaryOf(comparisons) {
  const others = comparisons.filter(({isFloor}) => !isFloor);
  if (others.length === 0)
    return comparisons.length === 0 ? 'There is no cell.' : 'Raw TCP is the only transport.';
  return `${counted(others.length, 'cell')}: ${resultsOf(others)}.`;
}

/** @param {readonly Comparison[]} comparisons */
function floorNote(comparisons) {
  const floors = comparisons.filter(({isFloor}) => isFloor);
  return floors.length === 0
    ? []
    : [
        `Raw TCP, the floor, is not counted here. It has ${counted(floors.length, 'cell')}: ${resultsOf(floors)}.`,
      ];
}

/** @param {readonly Comparison[]} comparisons */
function resultsOf(comparisons) {
  return Object.keys(colours)
    .map((result) => ({result, count: comparisons.filter((one) => one.result === result).length}))
    .filter(({count}) => count > 0)
    .map(({result, count}) => `${count} ${result}`)
    .join(', ');
}

/** Returns a sentence for each set of cells with the same difference. @param {readonly Comparison[]} comparisons */
function differingSentences(comparisons) {
  const both = comparisons.filter(({old, new: now}) => old !== null && now !== null);
  /** @type {Map<string, string[]>} */
  const namesByText = new Map();
  for (const {new: now, differences} of both) {
    for (const difference of differences) {
      const text = describe(difference);
      const names = namesByText.get(text) ?? [];
      namesByText.set(text, [...names, nameOfCell(/** @type {CellRecord} */ (now))]);
    }
  }
  const [all, some] = [true, false].map((isAll) =>
    [...namesByText].filter(([, names]) => (names.length === both.length) === isAll),
  );
  return [
    ...(all.length > 0 ? [`The sides differ in: ${all.map(([text]) => text).join('; ')}.`] : []),
    ...some.map(([text, names]) => `These cells differ in ${text}: ${names.join('; ')}.`),
  ];
}

/** @param {Difference} difference */
function describe({what, old, new: now}) {
  const fields = areFields(old) && areFields(now) ? fieldsOf(old, now) : null;
  return `${what}: ${fields ?? change(old, now)}`;
}

/** @param {unknown} value @returns {value is Record<string, unknown>} */
function areFields(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The fields that differ: `client vm → a`. @param {Record<string, unknown>} old @param {Record<string, unknown>} now */
function fieldsOf(old, now) {
  return Object.keys({...old, ...now})
    .filter((key) => !isDeepStrictEqual(old[key], now[key]))
    .map((key) => `${wordsOf(key)} ${change(old[key], now[key])}`)
    .join(', ');
}

/** @param {string} key such as sizeMs */
function wordsOf(key) {
  return key.replace(/Ms$/, ' in ms').replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

/** @param {unknown} old @param {unknown} now */
function change(old, now) {
  const [before, after] = [old, now].map((value) => {
    if (value === null || value === undefined) return 'none';
    return typeof value === 'object' ? JSON.stringify(value) : String(value);
  });
  return `${before} → ${after}`;
}

/** Returns the reasons for results that the figures alone do not explain. @param {readonly Comparison[]} comparisons */
function reasonsOf(comparisons) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  const explained = comparisons.filter(({why}) => why !== null);
  for (const {isFloor, result, why} of explained.toSorted(
    (one, other) => Number(one.isFloor) - Number(other.isFloor),
  )) {
    const key = JSON.stringify([isFloor, result, why]);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return [...counts].map(([key, count]) => {
    const [isFloor, result, why] = JSON.parse(key);
    return `${isFloor ? 'Raw TCP, ' : ''}${result}, ${counted(count, 'cell')}: ${why}.`;
  });
}

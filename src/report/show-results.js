import {formatOwnRatio} from '../columns/figures.js';
import {nameOfVariant} from '../columns/names.js';
import {compareInBattle} from '../compare/compare-in-battle.js';
import {formatBytes} from '../payload/bytes.js';
import {presets} from '../presets/index.js';
import {widthOf, wrapIndented} from '../text/lines.js';
import {suspectNote} from './battle-notes.js';
import {
  fieldColumns,
  isForPrograms,
  printForPrograms,
  recordsCsv,
  resultsStream,
  toCsv,
} from './for-programs.js';
import {showExpectations} from './show-outcomes.js';
import {printTable} from './tables/battle-table.js';
import {besidePublished, forTerminal} from './tables/beside-published.js';
import {droppedNote, textTable} from './tables/text-table.js';
import {painter, plainText, printText} from './terminal.js';
import {anatomyText, bandsText, histogramText} from './text-charts.js';

/**
 * @import {BattleContext, BattleState} from '../battle/types.js'
 * @import {SideComparison} from '../compare/types.js'
 * @import {Judgement} from '../expect/types.js'
 * @import {CellRecord} from '../results/record-schema.js'
 * @import {Format} from './types.js'
 */

/**
 * @typedef {object} ShownBattle
 * @property {{id: string}} state
 * @property {{values: BattleState['values']}} settings
 * @property {BattleContext} context
 * @property {CellRecord[]} records
 * @property {Judgement[]} expectations
 * @property {{floor: string, notes: readonly string[]}} transports floor: the transport that the others are compared with; notes: on the others
 */

/**
 * Shows the results of a battle. The caller does this before it writes files, so that the results are seen even if writing fails.
 * @param {ShownBattle} battle
 */
export function showResults({records, expectations, context, transports, settings: {values}}) {
  if (values.quiet) {
    // A busy host must not go unnoticed. A JSON document already has the verdicts.
    const note = isForPrograms(values) ? null : suspectNote(records);
    if (note !== null) printText(`Warning: ${note}`);
    return showExpectations(expectations, process.stderr, {quiet: true});
  }
  const stream = resultsStream(values);
  printTable(records, {...context, ...transports, detail: values.detail}, stream);
  const anatomy = anatomyText(records);
  if (anatomy !== '') stream.write(`\n${anatomy}`);
  const sides = compareInBattle(records);
  if (sides.length > 0) showSides(sides, stream);
  if (values.bands) stream.write(`\n${bandsText(records)}`);
  if (values.histogram) stream.write(`\n${histogramText(records)}`);
  if (values.preset !== null)
    printText(`\n${besidePublished(presets[values.preset], records, forTerminal)}\n`, stream);
  showExpectations(expectations, stream);
}

/** @param {ShownBattle} battle */
export function documentOf({state, context, records, expectations}) {
  const sides = sidesDocument(compareInBattle(records));
  return {
    battle: {id: state.id, ...context},
    cells: records,
    ...(expectations.length > 0 && {expectations}),
    ...(sides.length > 0 && {sides}),
  };
}

/** Prints a comparison of sides, or the records, for --json and --csv. @param {ShownBattle} battle */
export function printBattle(battle) {
  const {records} = battle;
  printForPrograms(battle.settings.values, {
    document: () => documentOf(battle),
    csv: (separator) => {
      const sides = compareInBattle(records);
      return sides.length > 0
        ? toCsv(csvColumns, sidesDocument(sides), separator)
        : recordsCsv(records, separator);
    },
  });
}

/** @param {readonly ShownBattle[]} battles @param {Format} format */
export function printBattles(battles, format) {
  printForPrograms(format, {
    document: () => ({battles: battles.map(documentOf)}),
    csv: (separator) =>
      recordsCsv(
        battles.flatMap(({records}) => records),
        separator,
      ),
  });
}

const meaning =
  'b / a: how many times as long b takes, paired by round, with its 95 % interval; p of a signed-rank test. a / a: the same ratio of two equal sides.';

/**
 * Prints how the sides of a battle compare.
 * @param {readonly SideComparison[]} comparisons at least one @param {Pick<NodeJS.WriteStream, 'write' | 'isTTY' | 'columns'>} stream
 */
export function showSides(comparisons, stream) {
  const width = widthOf(stream);
  const paint = painter(stream);
  const cells = (/** @type {(one: SideComparison) => string} */ cellOf) => comparisons.map(cellOf);
  const {lines, dropped} = textTable(
    [
      {heading: 'Payload', cells: cells(({a}) => formatBytes(a.payloadBytes)), isText: true},
      {heading: 'Transport', cells: cells(({a, b}) => nameInCommon(a, b)), isText: true, wraps: true},
      {heading: 'b / a', cells: cells(({ratio}) => formatOwnRatio(ratio))},
      {heading: 'p', cells: cells(({ratio}) => ratio?.pValue?.toPrecision(2) ?? 'n/a'), priority: 2},
      {heading: 'a / a', cells: cells(({equal}) => formatOwnRatio(equal))},
      {
        heading: 'b is',
        cells: cells(({result}) => result.replace('no difference shown', 'no diff. shown')),
        isText: true,
        paint: (text) =>
          text === 'slower' ? paint('red', text) : text === 'faster' ? paint('green', text) : text,
      },
    ],
    width,
  );
  const why = comparisons.flatMap((one) =>
    one.why === null
      ? []
      : [`${nameInCommon(one.a, one.b)}, ${formatBytes(one.a.payloadBytes)}: ${one.result}: ${one.why}.`],
  );
  const [{a, b}] = comparisons;
  const sides = [`a: ${differenceOf(a, b)}`, `b: ${differenceOf(b, a)}`];
  const text = [...sides, '', ...lines, ...droppedNote(dropped, width), '', meaning, ...why].flatMap(
    (line) => (lines.includes(line) || line === '' ? [line] : wrapIndented(line, width)),
  );
  stream.write(`\n${text.join('\n')}\n`);
}

/** @param {readonly SideComparison[]} comparisons */
export function sidesDocument(comparisons) {
  return comparisons.map(({a, again, b, ratio, equal, result, why}) => ({
    ...{a: a.id, again: again.id, b: b.id},
    ...{workload: a.workload, payloadBytes: a.payloadBytes, transport: nameInCommon(a, b)},
    ...{ratio: ratio?.ratio ?? null, ci95: ratio?.ci95 ?? null, pValue: ratio?.pValue ?? null},
    ...{equalRatio: equal?.ratio ?? null, equalCi95: equal?.ci95 ?? null, result, why},
  }));
}

/** @type {readonly [string, (row: ReturnType<typeof sidesDocument>[number]) => unknown][]} */
const csvColumns = [
  ...fieldColumns('transport', 'workload', 'payloadBytes', 'a'),
  ['a_again', ({again}) => again],
  ...fieldColumns('b', 'ratio'),
  ['ratio_low', ({ci95}) => ci95?.[0]],
  ['ratio_high', ({ci95}) => ci95?.[1]],
  ...fieldColumns('pValue', 'equalRatio'),
  ['equal_ratio_low', ({equalCi95}) => equalCi95?.[0]],
  ['equal_ratio_high', ({equalCi95}) => equalCi95?.[1]],
  ...fieldColumns('result', 'why'),
];

/** Returns the settings that only one side has. @param {CellRecord} one @param {CellRecord} other */
function differenceOf(one, other) {
  const own = namesOf(one).filter((name) => !namesOf(other).includes(name));
  return own.length === 0 ? 'as it is' : own.map(plainText).join(', ');
}

/** @param {CellRecord} a @param {CellRecord} b */
function nameInCommon(a, b) {
  const [facilitator, ...settings] = namesOf(a).filter((name) => namesOf(b).includes(name));
  const isCommon = facilitator === namesOf(a)[0];
  return isCommon
    ? nameOfVariant({facilitator, qualifier: null, settings})
    : nameOfVariant({
        facilitator: a.transport,
        qualifier: null,
        settings: facilitator ? [facilitator, ...settings] : [],
      });
}

/** Returns the parts of a record's name: the transport, and each setting. @param {CellRecord} record */
function namesOf({labels}) {
  // The last setting names the side.
  return [nameOfVariant({...labels, settings: []}), ...labels.settings.slice(0, -1)];
}

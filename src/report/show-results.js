import {compareInBattle} from '../compare/compare-in-battle.js';
import {presets} from '../presets/index.js';
import {suspectNote} from './battle-notes.js';
import {isForPrograms, printForPrograms, recordsCsv, resultsStream} from './for-programs.js';
import {showExpectations} from './show-outcomes.js';
import {showSides, sidesCsv, sidesDocument} from './show-sides.js';
import {printTable} from './tables/battle-table.js';
import {besidePublished, forTerminal} from './tables/beside-published.js';
import {printText} from './terminal.js';
import {anatomyText, bandsText, histogramText} from './text-charts.js';

/**
 * @import {BattleContext} from '../battle/make-records.js'
 * @import {BattleState} from '../battle/state.js'
 * @import {Judgement} from '../expect/judge.js'
 * @import {CellRecord} from '../results/record-schema.js'
 * @import {Format} from './for-programs.js'
 */

/**
 * @typedef {object} ShownBattle
 * @property {{id: string}} state
 * @property {{values: BattleState['values']}} settings
 * @property {BattleContext} context
 * @property {CellRecord[]} records
 * @property {Judgement[]} expectations what became of them
 * @property {{floor: string, notes: readonly string[]}} transports floor: the one that the others are compared with; notes: on those in the table
 */

/**
 * Shows the results of a battle. This comes before anything is written, so that they are seen even if writing fails.
 * @param {ShownBattle} battle
 */
export function showResults({records, expectations, context, transports, settings: {values}}) {
  if (values.quiet) {
    if (!isForPrograms(values)) warnOfSuspects(records);
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

/** A busy host must not go unnoticed. A JSON document has the verdicts itself. @param {readonly CellRecord[]} records */
function warnOfSuspects(records) {
  const note = suspectNote(records);
  if (note !== null) printText(`Warning: ${note}`);
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

/** Prints a battle for a program, if one reads it: a comparison of sides, or the records. @param {ShownBattle} battle */
export function printBattle(battle) {
  const {records} = battle;
  printForPrograms(battle.settings.values, {
    document: () => documentOf(battle),
    csv: (separator) => {
      const sides = compareInBattle(records);
      return sides.length > 0 ? sidesCsv(sides, separator) : recordsCsv(records, separator);
    },
  });
}

/** The same for several battles. @param {readonly ShownBattle[]} battles @param {Format} format */
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

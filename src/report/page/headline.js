import {formatShortRatio, isDifferenceShown} from '../../columns/figures.js';
import {nameOfVariant} from '../../columns/names.js';
import {isRatioSuspect, isSuspect, nameOfFloor} from '../../columns/summaries.js';
import {formatSize} from '../../payload/bytes.js';
import {blocksOf} from '../tables/blocks.js';

/**
 * @import {Table} from '../../columns/column.js'
 * @import {CellRecord, CompletedRecord} from '../../results/record-schema.js'
 */

/** More names make a headline unreadable. */
const maxNamed = 3;

/**
 * The answer of a battle, in one sentence without its full stop for each table. It says nothing that a suspect figure would have to support.
 * @param {readonly CellRecord[]} records at least one
 * @param {string} floor the transport that the others are compared with
 * @returns {{table: string, answer: string}[]} at least one
 */
export function answersOf(records, floor) {
  const completed = records.filter((record) => record.outcome === 'completed');
  if (completed.length === 0)
    return [{table: '', answer: `Nothing was measured: none of ${records.length} cells completed`}];
  const answers = blocksOf(completed).map(({table, blocks}) => {
    const smallestFirst = blocks.toSorted(([one], [other]) => one.payloadBytes - other.payloadBytes);
    const answer = answerOf(table, smallestFirst, floor);
    return {table: table.name, isAnswered: answer !== null, answer: answer ?? nothingQuotable(blocks.flat())};
  });
  if (answers.every(({isAnswered}) => !isAnswered)) return [{table: '', answer: nothingQuotable(completed)}];
  return answers
    .toSorted((one, other) => Number(other.isAnswered) - Number(one.isAnswered))
    .map(({table, answer}) => ({table, answer}));
}

/** @param {readonly CompletedRecord[]} cells */
function nothingQuotable(cells) {
  return `No figure can be quoted: ${cells.length === 1 ? 'the only cell is' : `all ${cells.length} cells are`} suspect`;
}

/**
 * @param {Table} table @param {readonly CompletedRecord[][]} blocks by payload size
 * @param {string} floor @returns {string | null} null if nothing can be quoted
 */
function answerOf(table, blocks, floor) {
  const found = blocks.map((block) => leaderOf(block, table, floor));
  const shown = found.find((one) => one !== null);
  if (!shown) return null;
  const {who, figure, beside, size} = shown;
  const [first, ...more] = [figure, ...beside].filter((part) => part !== '');
  const leadsAlways = found.every((one) => one?.who === who);
  const answer = leadsAlways ? `${who}: ${first} at ${size}` : `${who} at ${size}: ${first}`;
  return [answer, ...more].join(', ');
}

/**
 * Who leads the cells of one payload size, the figure, and how it compares.
 * @param {readonly CompletedRecord[]} block the fastest first
 * @param {Table} table @param {string} floor
 * @returns {{who: string, figure: string, beside: string[], size: string} | null} null if nothing can be quoted
 */
function leaderOf(block, {compared, summarize}, floor) {
  const isFloor = (/** @type {CompletedRecord} */ {transport}) => transport === floor;
  const size = formatSize(block[0].payloadBytes);
  if (!compared) {
    if (block.every(isSuspect)) return null;
    const [[first, ...beside]] = summarize(block, isFloor);
    return {who: 'Offered rates', figure: first, beside, size};
  }
  const others = block.filter((record) => !isFloor(record));
  const cells = others.length > 0 ? others : block;
  const leader = cells.find(isQuotable);
  if (!leader) return null;
  // Cells with different settings, such as windows, have different floors.
  const floorCell = block.find(
    (record) => isFloor(record) && record !== leader && record.floor?.meanMs === leader.floor?.meanMs,
  );
  const ratio = besideFloor(leader, floorCell, compared.what ?? '');
  const figure = isSuspect(leader) ? '' : `${compared.figureOf(leader)} ${compared.name ?? ''}`.trim();
  if (figure === '' && ratio.length === 0) return null;
  const beside = figure === '' ? [...ratio, 'but the figure itself is suspect'] : ratio;
  const equals = equalsOf(leader, cells);
  const names = equals.map(({labels}) => nameOfVariant(labels));
  if (equals.length === 0) return {who: nameOfVariant(leader.labels), figure, beside, size};
  if (equals.length === 1) return {who: `${names[0]} is fastest`, figure, beside, size};
  return {
    who: `${listOf(names)} are fastest`,
    figure,
    beside: [...beside, 'no difference between them shown'],
    size,
  };
}

/**
 * The fastest and those from which it shows no difference.
 * @param {CompletedRecord} leader @param {readonly CompletedRecord[]} cells
 * @returns {CompletedRecord[]} none if the comparisons do not support that it leads
 */
function equalsOf(leader, cells) {
  const others = cells.filter((record) => record !== leader);
  const isRanked = others.every(({vsFastest, verdict}) => {
    const {status} = vsFastest?.verdict ?? verdict;
    return vsFastest?.id === leader.id && status !== 'suspect';
  });
  if (others.length === 0 || !isRanked) return [];
  return [leader, ...others.filter(({vsFastest}) => !vsFastest || !isDifferenceShown(vsFastest))];
}

/** A ratio may hold where the time does not: what slowed both alike cancels. @param {CompletedRecord} record */
function isQuotable(record) {
  return !isSuspect(record) || (Boolean(record.floor?.ratioCi95) && !isRatioSuspect(record));
}

/** @param {CompletedRecord} record @param {CompletedRecord | undefined} floor @param {string} what before the name of the floor */
function besideFloor(record, floor, what) {
  if (!floor || !record.floor?.ratioCi95 || isRatioSuspect(record)) return [];
  return isDifferenceShown(record.floor)
    ? [`${formatShortRatio(record.floor).replace('×', ' times')} ${what}${nameOfFloor(floor)}`]
    : [`no difference from ${nameOfFloor(floor)} shown`];
}

/** @param {readonly string[]} names */
function listOf(names) {
  const shown = names.slice(0, maxNamed);
  const more = names.length - shown.length;
  const last = more > 0 ? `${more} more` : shown.pop();
  return `${shown.join(', ')} and ${last}`;
}

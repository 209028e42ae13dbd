import {formatShortRatio, isDifferenceShown} from './figures.js';
import {nameOfVariant} from './names.js';

/**
 * @import {CompletedRecord} from '../results/record-schema.js'
 * @import {Compared, Summarize} from './column.js'
 */

/** A sentence that names more cells than this is harder to read than the table. */
const maxNamed = 6;

/**
 * Compares the cells with their floor; without a floor, with the fastest of them. A ratio has no more digits than its interval justifies, and none
 * if no difference was shown. Cells with different floors, such as windows of different sizes, have a sentence each.
 * @param {Compared} compared @returns {Summarize}
 */
export function compareCells({figureOf, what = ''}) {
  return (block, isFloor) => {
    const others = block.filter((record) => !isFloor(record));
    if (others.length === 0)
      return [block.map((record) => `${nameOfVariant(record.labels)} ${figureOf(record)}`)];
    const floors = [...new Set(others.map(floorMs))];
    return floors.map((meanMs) =>
      sentenceOf(
        others.filter((record) => floorMs(record) === meanMs),
        {floor: block.find((record) => isFloor(record) && floorMs(record) === meanMs), figureOf, what},
      ),
    );
  };
}

/** @param {CompletedRecord} record */
function floorMs({floor}) {
  return floor?.meanMs ?? null;
}

/**
 * @param {readonly CompletedRecord[]} cells with the same floor
 * @param {{floor: CompletedRecord | undefined, figureOf: (record: CompletedRecord) => string, what: string}} compared
 */
function sentenceOf(cells, {floor, figureOf, what}) {
  const all = floor ? [...cells, floor] : cells;
  const areAllSuspect = all.length > 1 && all.every(isSuspect);
  const areAllRatios = cells.every(isRatioSuspect);
  const parts = cells.slice(0, maxNamed).map((record, index) => {
    const figureMark = isSuspect(record) && !areAllSuspect ? suspectMark : '';
    const ratioMark = isRatioSuspect(record) && !(areAllSuspect && areAllRatios) ? suspectMark : '';
    const name = nameOfVariant(record.labels);
    if (index > 0) return `${name}${besideFirst(record, {first: cells[0], figureOf, figureMark, ratioMark})}`;
    const beside = besideFloor(record, floor, what);
    if (beside === '') return `${name} ${figureOf(record)}${figureMark}`;
    return `${name} ${figureOf(record)}${ratioMark === '' ? figureMark : ''}${beside}${ratioMark}`;
  });
  const more = cells.length - parts.length;
  if (more > 0) parts.push(`and ${more} more`);
  if (areAllSuspect) {
    if (areAllRatios) parts.push('all are suspect');
    else parts.push(`all figures are suspect${cells.some(isRatioSuspect) ? '' : ', the ratios are not'}`);
  } else if (floor && isSuspect(floor) && !cells.every(hasRatioVerdict))
    parts.push(`${nameOfFloor(floor)} is suspect`);
  return parts;
}

const suspectMark = ' (suspect)';

/** @param {CompletedRecord} record */
export function isSuspect({verdict}) {
  return verdict.status === 'suspect';
}

/** Of older records no verdict is on the ratio. @param {CompletedRecord} record */
function hasRatioVerdict({floor, vsFastest}) {
  return Boolean((floor ?? vsFastest)?.verdict);
}

/** Of an older record, the verdict on the figure is that on the ratio. @param {CompletedRecord} record */
export function isRatioSuspect({floor, vsFastest, verdict}) {
  return ((floor ?? vsFastest)?.verdict ?? verdict).status === 'suspect';
}

/** @param {CompletedRecord} record @param {CompletedRecord | undefined} floor @param {string} what */
function besideFloor(record, floor, what) {
  if (!floor || !record.floor?.ratioCi95) return '';
  const name = nameOfFloor(floor);
  return isDifferenceShown(record.floor)
    ? `, ${formatShortRatio(record.floor)} ${what}${name}`
    : `, no difference from ${name} shown`;
}

/**
 * @param {CompletedRecord} record
 * @param {{first: CompletedRecord, figureOf: (record: CompletedRecord) => string, figureMark: string, ratioMark: string}} marks where they are suspect
 */
function besideFirst(record, {first, figureOf, figureMark, ratioMark}) {
  const {floor, vsFastest} = record;
  // The fastest of another class is not compared with the first.
  const isOfFirst = vsFastest?.id !== record.id && vsFastest?.id === (first.vsFastest?.id ?? first.id);
  const ratio = floor ?? (isOfFirst ? vsFastest : null);
  // Without an interval a ratio supports no comparison.
  if (!ratio?.ratioCi95) return ` ${figureOf(record)}${figureMark}`;
  if (!isDifferenceShown(ratio)) return `: no difference shown${ratioMark}`;
  return ` ${formatShortRatio(ratio)}${floor ? '' : ' as long'}${ratioMark}`;
}

/** @param {CompletedRecord} floor */
export function nameOfFloor({labels}) {
  return `raw ${nameOfVariant(labels)}`;
}

/** Names the cells of an open loop that fell behind. @type {Summarize} */
export function listOverloaded(block) {
  const behind = block.filter(({openLoop}) => openLoop && !openLoop.keepsUp);
  if (behind.length === 0)
    return [[block.length === 1 ? 'kept up with the rate' : 'all kept up with their rates']];
  const names = behind.slice(0, maxNamed).map(({labels}) => nameOfVariant(labels));
  const more = behind.length > maxNamed ? ` and ${behind.length - maxNamed} more` : '';
  const others = behind.length < block.length ? ['the others kept up'] : [];
  return [[`${names.join(', ')}${more} fell behind`, ...others]];
}

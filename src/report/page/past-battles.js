import {configurationOf} from '../../results/newest-records.js';
import {groupBy} from '../../stats/numbers.js';
import {asObject, placeOf} from './place.js';

/** @import {CellRecord, CompletedRecord} from '../../results/record-schema.js' */

/**
 * What a journal holds. Its battles are as they stand there.
 * @typedef {{name: string, records: readonly CellRecord[], battles: readonly Record<string, unknown>[]}} ShownJournal name: for a person
 *
 * @typedef {object} PastBattle
 * @property {string} name what was measured: a commit or another label, otherwise the battle
 * @property {string} mark the same in at most eight characters
 * @property {string} when it began, to the minute, in UTC
 * @property {string} host what kind of host it ran on
 * @property {boolean} isElsewhere whether the battle before it ran on another kind of host
 * @property {readonly CellRecord[]} records
 *
 * @typedef {object} PastCell
 * @property {CompletedRecord | null} newest null if it never completed
 * @property {readonly {battle: PastBattle, place: number, record: CellRecord}[]} measured the oldest first; place: of the battle, counted from 1
 */

/** More points than this cannot be told apart. */
export const maxBattles = 100;

/**
 * The newest battles of a journal, the oldest of them first. The sides of a comparison within a battle are left out.
 * @param {ShownJournal} journal
 * @returns {PastBattle[]} at most `maxBattles`
 */
export function pastBattles({records, battles}) {
  const lines = new Map(battles.map((line) => [line.id, asObject(line)]));
  const single = records.filter(({variant}) => variant.side === undefined);
  const shown = [...groupBy(single, ({battleId}) => battleId)]
    .map(([id, cells]) => ({id, cells, startedAt: cells.map(({startedAt}) => startedAt).sort()[0]}))
    .toSorted((one, other) => (one.startedAt < other.startedAt ? -1 : 1))
    .slice(-maxBattles)
    .map(({id, cells, startedAt}) => ({
      ...namesOf(cells[0].config.label, id),
      when: `${startedAt.slice(0, 16).replace('T', ' ')} UTC`,
      host: placeOf(cells, lines.get(id) ?? null).host,
      records: cells,
    }));
  return shown.map((battle, index) => ({
    ...battle,
    isElsewhere: index > 0 && battle.host !== shown[index - 1].host,
  }));
}

/**
 * @param {unknown} label that --label gave
 * @param {string} id of the battle
 * @returns {{name: string, mark: string}}
 */
function namesOf(label, id) {
  if (typeof label !== 'string') return {name: `battle ${id}`, mark: id.slice(0, 8)};
  if (/^[\da-f]{12,64}$/i.test(label))
    return {name: `commit ${label.slice(0, 10)}`, mark: label.slice(0, 7).toLowerCase()};
  return {name: shorten(label, 60), mark: shorten(label, 8)};
}

/** @param {string} text @param {number} length */
function shorten(text, length) {
  const characters = [...text];
  return characters.length > length ? `${characters.slice(0, length - 1).join('')}…` : text;
}

/**
 * The cells of battles, in the order of the newest battle that has them.
 * @param {readonly PastBattle[]} battles
 * @returns {PastCell[]}
 */
export function pastCells(battles) {
  const newestFirst = battles
    .map((battle, index) => ({battle, place: index + 1}))
    .toReversed()
    .flatMap(({battle, place}) => battle.records.map((record) => ({battle, place, record})));
  return [...groupBy(newestFirst, ({record}) => configurationOf(record)).values()].map((measured) => ({
    newest: measured.map(({record}) => record).find((record) => record.outcome === 'completed') ?? null,
    measured: measured.toReversed(),
  }));
}

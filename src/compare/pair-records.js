import {groupBy} from '../stats/numbers.js';

/** @import {CellRecord} from '../results/record-schema.js' */

/**
 * Pairs the records of two sides that are of the same cell: the same workload, payload size and transport, with the same text in a row of a
 * table. Where a side has several of one cell, from several machines say, those of the same place are paired first, and then what is left if
 * it is one on each side.
 *
 * @param {readonly CellRecord[]} olds
 * @param {readonly CellRecord[]} news
 * @returns {Pair[]} in the order of the new side; those that only the old side has are the last
 *
 * @typedef {{old: CellRecord, new: CellRecord} | {old: CellRecord, new: null} | {old: null, new: CellRecord}} Pair
 */
export function pairRecords(olds, news) {
  const partners = partnersOf(olds, news);
  const taken = new Set(partners.values());
  return [
    ...news.map((one) => ({old: partners.get(one) ?? null, new: one})),
    ...olds.filter((one) => !taken.has(one)).map((one) => ({old: one, new: null})),
  ];
}

/** @param {readonly CellRecord[]} olds @param {readonly CellRecord[]} news @returns {Map<CellRecord, CellRecord>} old by new */
function partnersOf(olds, news) {
  /** @type {Map<CellRecord, CellRecord>} */
  const partners = new Map();
  for (const keyOf of [placeOf, cellOf]) {
    const taken = new Set(partners.values());
    const leftOld = groupBy(
      olds.filter((one) => !taken.has(one)),
      keyOf,
    );
    const leftNew = groupBy(
      news.filter((one) => !partners.has(one)),
      keyOf,
    );
    for (const [key, [one, ...others]] of leftNew) {
      const [old, ...more] = leftOld.get(key) ?? [];
      if (old !== undefined && others.length + more.length === 0) partners.set(one, old);
    }
  }
  return partners;
}

/** @param {CellRecord} record */
function cellOf({workload, payloadBytes, transport, labels}) {
  const {facilitator, qualifier, settings, persistent} = labels;
  return JSON.stringify([workload, payloadBytes, transport, facilitator, qualifier, settings, persistent]);
}

/** @param {CellRecord} record */
function placeOf(record) {
  const {environment, machine, config} = record;
  return JSON.stringify([cellOf(record), environment, machine, config.preset ?? null]);
}

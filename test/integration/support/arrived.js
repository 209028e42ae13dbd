import assert from 'node:assert/strict';

/** @import {CellRecord, CompletedRecord} from '../../../src/results/record-schema.js' */

/** Asserts that cells have completed, and that each of their messages arrived once and as it was. @param {readonly CellRecord[]} cells */
export function allArrived(cells) {
  /** @type {CompletedRecord[]} */
  const completed = [];
  for (const cell of cells) {
    assert.ok(cell.outcome === 'completed', JSON.stringify(cell));
    const {lost, corrupted, duplicated} = cell.counts;
    assert.deepEqual(
      {lost, corrupted, duplicated},
      {lost: 0, corrupted: 0, duplicated: 0},
      JSON.stringify(cell),
    );
    completed.push(cell);
  }
  return completed;
}

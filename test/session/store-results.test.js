import assert from 'node:assert/strict';
import {it} from 'node:test';
import {exitCodeOf, worstExitCode} from '../../src/session/store-results.js';

const fine = {outcome: 'completed', counts: {lost: 0, corrupted: 0}};
const lost = {outcome: 'completed', counts: {lost: 1, corrupted: 0}};
const corrupted = {outcome: 'completed', counts: {lost: 0, corrupted: 1}};
const failed = {outcome: 'failed'};

for (const {what, records, codes = [], outcomes = [], exitCode} of [
  {what: 'all cells completed', records: [fine, fine], exitCode: 0},
  {what: 'a message was lost', records: [fine, lost], exitCode: 1},
  {what: 'a message was corrupted', records: [fine, corrupted], exitCode: 1},
  {what: 'a cell failed', records: [fine, failed], codes: [1], exitCode: 1},
  {what: 'a broker was missing', records: [fine, failed], codes: [3], exitCode: 3},
  {
    what: 'a broker was missing and another cell failed',
    records: [failed, failed],
    codes: [1, 3],
    exitCode: 3,
  },
  {what: 'every expectation holds', records: [fine], outcomes: ['holds'], exitCode: 0},
  {what: 'an expectation fails', records: [fine], outcomes: ['cannot tell', 'fails'], exitCode: 4},
  {what: 'an expectation cannot be judged', records: [fine], outcomes: ['holds', 'cannot tell'], exitCode: 5},
  {
    what: 'a cell failed and an expectation, too',
    records: [fine, failed],
    codes: [1],
    outcomes: ['fails'],
    exitCode: 1,
  },
]) {
  it(`a battle ends with ${exitCode} when ${what}`, () => {
    const progress = new Map(codes.map((code, index) => [index, {error: {exitCode: code}}]));
    const expectations = outcomes.map((outcome) => ({outcome}));
    assert.equal(exitCodeOf(/** @type {any} */ ({records, expectations, state: {progress}})), exitCode);
  });
}

it('of two battles the worse one decides: what could not run, was refused, failed, was not as expected', () => {
  const order = [0, 5, 4, 1, 2, 3];
  for (const [index, worse] of order.entries())
    for (const better of order.slice(0, index))
      assert.deepEqual([worstExitCode(worse, better), worstExitCode(better, worse)], [worse, worse]);
});

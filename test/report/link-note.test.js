import assert from 'node:assert/strict';
import {test} from 'node:test';
import {linkNote} from '../../src/report/battle-notes.js';

/** @param {number} payloadBytes @param {number | null} usedShare */
const cell = (payloadBytes, usedShare) =>
  /** @type {any} */ ({
    payloadBytes,
    link: usedShare === null ? null : {bytesPerSecond: 12.5e6, usedShare, isLimit: usedShare >= 0.9},
  });

test('a note says which share of the link was in use where that is the limit', () => {
  const lines = linkNote([
    cell(1024, 0.1),
    cell(1_024_000, 0.96),
    cell(1_024_000, 0.98),
    cell(512_000, 0.92),
  ]);
  assert.deepEqual(lines, [
    'Link-limited: the link carries 100 Mbit/s, and 3 cells (500kb, 1000kb) used at least 92 % of it.',
    'These transports wait for the link: differences between them say little.',
  ]);
});

test('of a single cell nothing is said about differences', () => {
  const [, sentence] = linkNote([cell(1024, 0.95), cell(1, 0.1)]);
  assert.equal(sentence, 'Its transport waits for the link: the figure says little of the transport.');
});

test('without such a cell there is none', () => {
  assert.deepEqual(linkNote([cell(1024, 0.5), cell(1024, null)]), []);
});

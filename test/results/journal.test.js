import assert from 'node:assert/strict';
import {test} from 'node:test';
import {pathBeside} from '../../src/results/journal.js';

for (const [results, journal] of [
  ['results.md', 'results.ndjson'],
  ['a/b.c/results.md', 'a/b.c/results.ndjson'],
  ['a.b.md', 'a.b.ndjson'],
  ['h-1.1', 'h-1.1.ndjson'],
  ['h-1.2', 'h-1.2.ndjson'],
  ['results.txt', 'results.txt.ndjson'],
  ['results.MD', 'results.MD.ndjson'],
  ['results', 'results.ndjson'],
  ['.md', '.md.ndjson'],
])
  test(`the journal of ${results} is ${journal}`, () =>
    assert.equal(pathBeside(results, '.ndjson'), journal));

import assert from 'node:assert/strict';
import {test} from 'node:test';
import {refuseUnusedResults} from '../../src/cli/read-settings.js';

const file = {isOfResults: false};
const battle = {isOfResults: true};

/** @type {[string, 'flag' | 'environment' | 'default', {isOfResults: boolean}[], boolean][]} */
const cases = [
  ['a flag and two files', 'flag', [file, file], true],
  ['a flag and no battle at all', 'flag', [], true],
  ['a flag, a file and a battle of that journal', 'flag', [file, battle], false],
  ['a variable, which may be there for battles', 'environment', [file], false],
  ['the default', 'default', [file, file], false],
];

for (const [what, kind, sides, isRefused] of cases) {
  test(`--results is ${isRefused ? 'refused' : 'accepted'} with ${what}`, () => {
    const settings = {values: {results: 'r.md'}, origins: {results: {kind, name: '--results'}}};
    const read = () => refuseUnusedResults(settings, sides);
    if (isRefused) assert.throws(read, {code: 'PB_USAGE', message: /^--results r\.md has no effect here/});
    else read();
  });
}

import assert from 'node:assert/strict';
import {homedir} from 'node:os';
import {join} from 'node:path';
import {test} from 'node:test';
import {resolveOptions} from '../../src/options/resolve.js';
import {allOptions, optionsOfBattle} from '../../src/settings/index.js';
import {readSides} from '../../src/sides/read-sides.js';

/** @param {Partial<Parameters<typeof resolveOptions>[1]>} sources @returns {any} */
const valuesOf = (sources) =>
  resolveOptions(allOptions, {scope: 'battle', mine: optionsOfBattle, ...sources}).values;

const home = join(homedir(), 'x.md');

test('a leading ~/ is the home directory, wherever the path was given', () => {
  assert.equal(valuesOf({flags: {results: ['~/x.md']}}).results, home);
  assert.equal(valuesOf({environment: {PB_RESULTS: '~/x.md'}}).results, home);
  assert.equal(valuesOf({envFile: {PB_RESULTS: '~/x.md'}}).results, home);
  assert.equal(valuesOf({flags: {results: ['a/~/x.md']}}).results, 'a/~/x.md');
  assert.equal(valuesOf({flags: {results: ['./~x.md']}}).results, './~x.md');
});

test('of every option that names a file', () => {
  const named = allOptions.filter(({type}) => /\bpath of\b/.test(type.allowed));
  assert.ok(named.length >= 10, String(named.length));
  for (const {type, name} of named) assert.equal(type.parse('~/x.md'), home, name);
});

test('another leading tilde is refused, with what to write instead', () => {
  for (const text of ['~bob/x.md', '~', '~x.md', '~+/x.md'])
    assert.throws(() => valuesOf({flags: {results: [text]}}), {
      code: 'PB_USAGE',
      message: /^--results must be .* it is "~.*Only a leading ~\/ stands for a home directory/,
    });
  assert.throws(() => valuesOf({flags: {results: ['~/x.ndjson']}}), /^UsageError: --results must be/);
});

test('the folders and programs of a side may begin with it too', () => {
  assert.throws(
    () => readSides({a: null, b: 'folder=~/no-such-folder'}),
    (error) => /** @type {Error} */ (error).message.includes(join(homedir(), 'no-such-folder')),
  );
  assert.throws(() => readSides({a: null, b: 'node=~bob/node'}), /Only a leading ~\//);
});

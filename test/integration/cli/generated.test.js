import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {readFileSync} from 'node:fs';
import {test} from 'node:test';
import {fileURLToPath} from 'node:url';
import {flagText} from '../../../src/options/show-option.js';
import {meaningOf} from '../../../src/settings/describe-settings.js';
import {allOptions, optionsOfBattle, optionsOfTable} from '../../../src/settings/index.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** @param {...string} words */
function node(...words) {
  return spawnSync(process.execPath, words, {cwd: root, encoding: 'utf8'});
}

test('.env.example, the pages of options and of warnings agree with the declarations', () => {
  const {status, stderr} = node('scripts/generate.js', '--check');
  assert.equal(status, 0, stderr);
});

test('.env.example names every variable once', () => {
  const text = readFileSync(`${root}/.env.example`, 'utf8');
  const names = [...text.matchAll(/^#(PB_\w+)=/gm)].map((match) => match[1]);
  assert.deepEqual(names.toSorted(), allOptions.map(({environmentName}) => environmentName).toSorted());
});

test('--help all names every option of its command, with its variable and what its value is', () => {
  for (const [words, options] of /** @type {const} */ ([
    [['--help', 'all'], optionsOfBattle],
    [['table', '--help=all'], optionsOfTable],
  ])) {
    const {stdout, status} = node('bin/perf-battle.js', ...words);
    assert.equal(status, 0);
    assert.match(stdout, /\nExamples:\n {2}npx perf-battle/);
    const text = stdout.replace(/\s+/g, ' ');
    for (const option of options) {
      const said = `${flagText(option)} ${meaningOf(option)} [${option.environmentName}`;
      assert.ok(text.includes(said.replace(/\s+/g, ' ')), option.name);
    }
  }
});

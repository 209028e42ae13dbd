import assert from 'node:assert/strict';
import {readdir, readFile} from 'node:fs/promises';
import {test} from 'node:test';
import {inAWorkplace} from '../support/each-in-a-workplace.js';

const short = '--transport tcp --payload 1kb --samples 20 --warmup 5 --rounds 1 --quiet'.split(' ');

test(
  'results whose names differ behind a dot have journals of their own; of one that two would share, the second is refused',
  inAWorkplace(async (workplace) => {
    const battle = (/** @type {string} */ results) => workplace.battle([...short, '--results', results]);
    for (const name of ['h-1.1', 'h-1.2']) {
      const {code, stderr} = await battle(name);
      assert.equal(code, 0, stderr);
    }
    const files = await readdir(workplace.path);
    assert.deepEqual(files.filter((name) => name.startsWith('h-')).sort(), [
      'h-1.1',
      'h-1.1.ndjson',
      'h-1.2',
      'h-1.2.ndjson',
    ]);
    for (const name of ['h-1.1', 'h-1.2']) {
      const text = await readFile(workplace.file(`${name}.ndjson`), 'utf8');
      const lines = text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
      assert.equal(lines.filter(({kind}) => kind === 'battle').length, 1);
    }

    const refused = await battle('h-1.1.md');
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, /The journal \S*h-1\.1\.ndjson is that of h-1\.1\. Name another file/);
  }),
);

import assert from 'node:assert/strict';
import {execFile} from 'node:child_process';
import {describe, it} from 'node:test';
import {fileURLToPath} from 'node:url';
import {defaultParts} from '../../overhead/index.js';

const program = fileURLToPath(new URL('../../overhead/bench.js', import.meta.url));

/** @param {string[]} parameters @returns {Promise<{code: number, stdout: string, stderr: string}>} */
function bench(...parameters) {
  return new Promise((resolve) => {
    execFile(process.execPath, [program, ...parameters], (error, stdout, stderr) =>
      resolve({code: Number(error?.code ?? 0), stdout, stderr}),
    );
  });
}

// One pair of very short runs shows that both sides work; it cannot decide a bound.
describe('each part of the bench measures both of its sides', () => {
  for (const {name, title} of defaultParts) {
    it(`${name}: ${title}`, async () => {
      const {code, stdout, stderr} = await bench('--only', name, '--pairs', '1', '--length', '10%');
      assert.equal(code, 3, stderr);
      const rows = stdout.split('\n').filter((line) => /^ {4}\S/.test(line));
      assert.ok(rows.length > 0, stdout);
      for (const row of rows) {
        assert.match(row, / -?\d+(\.\d+)? +too few +1 /);
        assert.doesNotMatch(row, /NaN|Infinity/);
      }
    });
  }
});

describe('the command line of the bench', () => {
  for (const [parameters, message] of /** @type {[string[], RegExp][]} */ ([
    [['--only', 'nosuch'], /--only must be a list of round-trips, .*; it has "nosuch"/],
    [['--pairs', '0'], /--pairs must be an integer of at least 1; it is 0/],
    [['--precision', 'fine'], /--precision must be a share/],
    [['--budget', '90'], /A time needs a unit/],
    [['--budget', '1ms'], /--budget must be a time with its unit/],
    [['--nosuch'], /--nosuch/],
  ])) {
    it(`refuses ${parameters.join(' ')}`, async () => {
      const {code, stderr} = await bench(...parameters);
      assert.equal(code, 2);
      assert.match(stderr, message);
    });
  }
});

import assert from 'node:assert/strict';
import {execFile} from 'node:child_process';
import {readdirSync} from 'node:fs';
import {describe, it} from 'node:test';
import {fileURLToPath} from 'node:url';
import {allowedCores} from '../../../src/measure/cores.js';
import {pollingOf} from '../../../src/measure/polling.js';

/** The parts that run real pairs. The others measure this process alone, and no change of the pairs can break them. */
const parts = ['round-trips', 'floor', 'throughput', 'open-loop'];

/** The bare loops of other parts. */
const ofOtherParts = /^(pipeline-|stream-|undici)/;
/** Pairs whose client is that of another pair. */
const pairsOfOtherLoops = ['http-fastify'];
const folderOfLoops = new URL('../../../overhead/bare/', import.meta.url);

const program = fileURLToPath(new URL('../../../overhead/bench.js', import.meta.url));

/** @param {string[]} parameters @returns {Promise<{code: number, stdout: string, stderr: string}>} */
function bench(...parameters) {
  return new Promise((resolve) => {
    execFile(process.execPath, [program, ...parameters], (error, stdout, stderr) =>
      resolve({code: Number(error?.code ?? 0), stdout, stderr}),
    );
  });
}

describe('the bench', {timeout: 1_200_000}, () => {
  it('measures both sides of comparisons of every pair', async () => {
    // One pair of short runs decides nothing that is measured. Round trips of 1000 KB run the same code.
    const short = ['--pairs', '1', '--length', '7%', '--matching', ', 1 KB'];
    const {code, stdout, stderr} = await bench('--only', parts.join(','), ...short);
    assert.ok([0, 1, 3].includes(code), stderr);
    // A client of perf-battle lets the cores poll. A bare loop must have the same cores.
    const canPoll = (await pollingOf(allowedCores())) !== null;
    assert.match(stdout, canPoll ? /, idle cores poll,/ : /, idle cores sleep,/);
    const sections = stdout.split(/^(?=[a-z-]+: )/m).slice(1);
    assert.deepEqual(
      sections.map((section) => section.slice(0, section.indexOf(':'))),
      parts,
    );
    const loops = readdirSync(folderOfLoops)
      .map((file) => file.replace('.js', ''))
      .filter((name) => !ofOtherParts.test(name));
    assert.deepEqual(
      [...sections[0].matchAll(/^ {4}(\S+), 1 KB /gm)].map(([, name]) => name).sort(),
      [...loops, ...pairsOfOtherLoops].sort(),
    );
    for (const section of sections) {
      const rows = section.split('\n').filter((line) => /^ {4}\S/.test(line));
      assert.ok(rows.length > 0, section);
      for (const row of rows) {
        assert.match(row, / -?\d+(\.\d+)? +(too few|-?\d+(\.\d+)? to -?\d+(\.\d+)?) +\d+( |$)/);
        assert.doesNotMatch(row, /NaN|Infinity/);
      }
    }
    const decides = (/** @type {string} */ outcome) => new RegExp(` ${outcome}$`, 'm').test(stdout);
    assert.equal(code, decides('fails') ? 1 : decides('inconclusive') ? 3 : 0, `${stdout}${stderr}`);
  });
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

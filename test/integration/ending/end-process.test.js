import assert from 'node:assert/strict';
import {execFile} from 'node:child_process';
import {mkdtemp, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, before, describe, it} from 'node:test';

const endProcess = new URL('../../../src/ending/end-process.js', import.meta.url);

/** Ends while V8 compiles several long functions, which takes longer than a busy host may keep the main thread waiting. */
const program = `
import {endProcess} from '${endProcess}';

const branches = Array.from({length: 400}, (_, i) => \`if (n === \${i}) return ('\${i} ' + 'of many').length + list[n % 7];\`);
for (let count = 0; count < 8; count += 1) {
  const long = new Function('n', 'list', 'if (n < -' + count + ') return 0; ' + branches.join(' '));
  %PrepareFunctionForOptimization(long);
  long(399, [1, 2, 3, 4, 5, 6, 7]);
  %OptimizeFunctionOnNextCall(long, 'concurrent');
  long(399, [1, 2, 3, 4, 5, 6, 7]);
}
process.exitCode = 3;
setInterval(() => {}, 1000);
setTimeout(() => { throw new Error('a library is late'); }, 1);
console.log('the end');
await endProcess();
`;

describe('the end of a role', {timeout: 180_000}, () => {
  let folder = '';
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'perf-battle-end-'));
    await writeFile(join(folder, 'program.mjs'), program);
  });
  after(() => rm(folder, {recursive: true}));

  it('comes after the compilations of V8 that are under way, and keeps the exit code', async () => {
    const {code, stdout} = await run(['--allow-natives-syntax', '--trace-opt', join(folder, 'program.mjs')]);
    assert.equal(code, 3, stdout);
    const [before, afterEnd] = stdout.split('the end\n');
    assert.ok(countOf('compiling', before) > countOf('completed', before), `none was under way:\n${before}`);
    assert.equal(countOf('compiling', stdout), countOf('completed', stdout), afterEnd);
  });
});

/** @param {'compiling' | 'completed'} what @param {string} trace */
function countOf(what, trace) {
  const pattern = what === 'compiling' ? /^\[compiling method .*kConcurrent/gm : /^\[completed compiling/gm;
  return trace.match(pattern)?.length ?? 0;
}

/** @param {string[]} parameters @returns {Promise<{code: number | string | null | undefined, stdout: string}>} */
function run(parameters) {
  return new Promise((resolve) => {
    execFile(process.execPath, parameters, (error, stdout) =>
      resolve({code: error ? error.code : 0, stdout}),
    );
  });
}

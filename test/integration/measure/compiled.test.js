import assert from 'node:assert/strict';
import {execFile} from 'node:child_process';
import {readFile} from 'node:fs/promises';
import {describe, it} from 'node:test';
import {fileURLToPath} from 'node:url';
import {promisify} from 'node:util';
import {inAWorkplace} from '../support/each-in-a-workplace.js';

const execute = promisify(execFile);
const program = fileURLToPath(new URL('measure-in-slices.js', import.meta.url));

/**
 * The functions of perf-battle whose compiled code V8 dropped, with the reason.
 * @param {string} log of `--log-deopt` @param {{fromMs: number, toMs: number}} span
 */
function droppedIn(log, {fromMs, toMs}) {
  return log.split('\n').flatMap((line) => {
    const [kind, microseconds, ...rest] = line.split(',');
    const atMs = Number(microseconds) / 1000;
    const isIn = kind === 'code-deopt' && atMs >= fromMs && atMs <= toMs;
    const what = rest.slice(5).join();
    return isIn && what.includes('/src/') ? [what] : [];
  });
}

describe('a measurement in slices runs only what its warm-up has compiled', () => {
  for (const workload of ['rtt', 'pipeline'])
    it(
      workload,
      inAWorkplace(async (workplace) => {
        const logFile = workplace.file('v8.log');
        const flags = ['--log-deopt', `--logfile=${logFile}`, '--no-logfile-per-isolate'];
        /** @type {string[]} */
        let dropped = [];
        // On a busy host, V8 may compile late what it drops once. What the warm-up does not run is dropped each time.
        for (let attempt = 0; attempt < 3; attempt += 1) {
          const {stderr} = await execute(process.execPath, [...flags, program, workload]);
          const log = await readFile(logFile, 'utf8');
          assert.match(log, /^code-deopt,/m, 'V8 always drops something at the start of Node.js');
          dropped = droppedIn(log, JSON.parse(stderr));
          if (dropped.length === 0) return;
        }
        assert.deepEqual(dropped, []);
      }),
    );
});

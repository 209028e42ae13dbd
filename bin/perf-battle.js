#!/usr/bin/env node
import {runProgram} from '../src/cli/index.js';
import {endProcess, failUntilSettled, leaveTerminal, untilCompiled} from '../src/ending/end-process.js';
import {exitCodeOfLostOutput, watchOutput} from '../src/ending/watch-output.js';
import {InterruptedError} from '../src/errors.js';

const settle = failUntilSettled((message) => process.stderr.write(`perf-battle: ${message}\n`));
const life = new AbortController();
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
  process.on(signal, () => {
    // The second signal ends the process at once. Child processes end with it.
    if (life.signal.aborted) {
      process.exitCode = new InterruptedError(signal).exitCode;
      endProcess({isHungUp: signal === 'SIGHUP'});
    }
    life.abort(new InterruptedError(signal));
  });
}
const output = watchOutput();

const exitCode = await runProgram(process.argv.slice(2), life.signal);
// A reader that takes its time is waited for, as Node.js does.
const lost = await output.flushed(Number.POSITIVE_INFINITY);
if (lost !== null) process.stderr.write(`perf-battle: ${lost.message}\n`);
settle(lost === null ? exitCode : exitCodeOfLostOutput(exitCode));
// Node.js may hang at its end while V8 compiles.
await untilCompiled();
if (life.signal.reason?.signal === 'SIGHUP') leaveTerminal();

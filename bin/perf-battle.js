#!/usr/bin/env node
import {runProgram} from '../src/cli/index.js';
import {endProcess, leaveTerminal, untilCompiled} from '../src/ending/end-process.js';
import {InterruptedError} from '../src/errors.js';

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
// A reader that closes the pipe early, such as head, is not an error.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});

process.exitCode = await runProgram(process.argv.slice(2), life.signal);
// Node.js may hang at its end while V8 compiles.
await untilCompiled();
if (life.signal.reason?.signal === 'SIGHUP') leaveTerminal();

#!/usr/bin/env node
import {run} from '../src/cli/index.js';
import {endProcess, leaveTerminal, untilCompiled} from '../src/ending/end-process.js';
import {InterruptedError, PerfBattleError} from '../src/errors.js';

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

try {
  process.exitCode = await run(process.argv.slice(2), life.signal);
} catch (error) {
  const expected = error instanceof PerfBattleError;
  process.exitCode = expected ? error.exitCode : 1;
  process.stderr.write(`perf-battle: ${expected ? error.message : /** @type {Error} */ (error).stack}\n`);
}
// Node.js may hang at its end while V8 compiles.
await untilCompiled();
if (life.signal.reason?.signal === 'SIGHUP') leaveTerminal();

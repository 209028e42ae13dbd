#!/usr/bin/env node
import {run} from '../src/cli/index.js';
import {InterruptedError, PerfBattleError} from '../src/errors.js';

const life = new AbortController();
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
  process.on(signal, () => {
    // Who asks twice does not want to wait: what was started ends with this process.
    if (life.signal.aborted) process.exit(new InterruptedError(signal).exitCode);
    life.abort(new InterruptedError(signal));
  });
}
// A reader that has seen enough, such as head, is no failure.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});

try {
  process.exitCode = await run(process.argv.slice(2), life.signal);
} catch (error) {
  const expected = error instanceof PerfBattleError;
  process.exitCode = expected ? error.exitCode : 1;
  process.stderr.write(`perf-battle: ${expected ? error.message : /** @type {Error} */ (error).stack}\n`);
}

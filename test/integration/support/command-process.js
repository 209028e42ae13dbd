/**
 * Runs commands, one after the other, as the binary does in a process of its own. Most of the time that a short command takes is that in which
 * Node.js starts and loads it; here that is taken once. Its parent is commands.js.
 */
import {setTimeout as sleep} from 'node:timers/promises';
import {runProgram} from '../../../src/cli/index.js';
import {end} from './commands.js';

/** @import {Command} from './commands.js' */

/** How long a command that has returned may still close what it opened. The binary would wait for it. */
const closedWithinMs = 10_000;

/** Node.js opens them when they are first asked for. */
const streams = [process.stdout, process.stderr];
const uninterrupted = new AbortController();

process.on('message', async (/** @type {Command} */ {words, cwd, environment}) => {
  process.chdir(cwd);
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, environment);
  const code = await runProgram(words, uninterrupted.signal);
  const deadline = Date.now() + closedWithinMs;
  while (leftOpen().length > 0 && Date.now() < deadline) await sleep(2);
  process.send?.({code, open: leftOpen()});
  for (const stream of streams) stream.write(end);
});
// Whatever the command started ends with it.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));

/** What would keep the binary from ending. */
function leftOpen() {
  const open = process
    .getActiveResourcesInfo()
    .toSorted()
    .filter((name) => name !== 'CloseReq');
  // The two streams, and the channel to the parent.
  return String(open) === 'PipeWrap,PipeWrap,PipeWrap' ? [] : open;
}

import {realpathSync} from 'node:fs';
import {relative} from 'node:path';
import {fileURLToPath} from 'node:url';
import {endProcess, endUnheard} from '../ending/end-process.js';
import {failUntilSettled} from '../ending/fail-until-settled.js';
import {exitCodeOfLostOutput, watchOutput} from '../ending/watch-output.js';
import {InterruptedError, PerfBattleError, RunError} from '../errors.js';
import {untilAborted} from '../measure/bounds.js';
import {monotonicMs} from '../measure/clock.js';
import {placeMainThread} from '../measure/main-thread.js';
import {observePauses} from '../measure/pauses.js';
import {leaveOutKeeper} from '../measure/usage.js';
import {bounded} from '../transports/bounded.js';
import {abandoned, ControlLine, stopped} from './control-line.js';
import {makeOutput} from './output.js';
import {Profiler} from './profiler.js';
import {endWithParent, keepsMemory, runKeepingMemory} from './start-anew.js';

/**
 * @import {Transport} from '../transports/transport.js'
 * @import {Control} from './control-line.js'
 * @import {Output} from './output.js'
 */

/** A script that is to end has this long to close what it opened. A broker that has ended may leave it waiting for good. */
const endWithinMs = 5000;
/** The last that a script printed may wait this long for its reader. */
const readWithinMs = 2000;

/**
 * What a script of a pair runs with.
 *
 * @template Settings
 * @typedef {object} Role
 * @property {Settings} options
 * @property {Output} output
 * @property {Control<Settings> | null} control null by hand
 * @property {AbortSignal} signal aborted by SIGINT, SIGTERM, SIGHUP, the end of the control line, or a stop
 */

/**
 * Runs a script of a pair if it is the program that was started; does nothing if it was imported. By hand, the configuration comes from
 * flags, the environment and .env, and memory is kept as in a battle. With PB_STDIN=control it comes from standard input, and the script ends when that ends.
 *
 * @template Settings
 * @param {string} scriptUrl import.meta.url of the script
 * @param {Transport} transport
 * @param {(role: Role<Settings>) => Promise<void>} run resolves when the script is done
 */
export async function runScript(scriptUrl, transport, run) {
  if (!isMainScript(scriptUrl)) return;
  const settle = failUntilSettled((message) => outputFor(transport).error(new RunError(message)));
  observePauses();
  const life = new AbortController();
  const underControl = process.env.PB_STDIN === 'control';
  endWithSignals(life, underControl);
  const printed = watchOutput((stream) => {
    // A script whose events or text nobody gets has nothing more to do. One that cannot write a warning goes on.
    if (stream === process.stdout) life.abort(underControl ? abandoned : stopped);
  });
  const exitCode = underControl
    ? await runUnderControl(run, {input: process.stdin, output: outputFor(transport), life})
    : await runByHand(run, transport, life.signal);
  // Nothing that a library keeps open, such as a half-closed socket or a heartbeat, may keep a finished script alive.
  if (life.signal.reason === abandoned) endUnheard();
  const lost = await printed.flushed(readWithinMs);
  if (lost !== null) makeOutput('text', transport).error(lost);
  settle(lost === null ? exitCode : exitCodeOfLostOutput(exitCode));
  await endProcess({isHungUp: life.signal.reason?.signal === 'SIGHUP'});
}

/**
 * Runs a role that takes its configuration from the control line and ends with it.
 * @template Settings
 * @param {(role: Role<Settings>) => Promise<void>} run
 * @param {{input: NodeJS.ReadableStream, output: Output, life: AbortController}} process
 * @returns {Promise<number>} the exit code
 */
export async function runUnderControl(run, {input, output, life}) {
  // The battle and this script resolve the same declarations of options.
  const control = /** @type {Control<any>} */ (new ControlLine(input, life));
  answer(control, output);
  const reason = await endOf(life.signal, async () => {
    const {options} = await untilAborted(control.configurations.next(), life.signal);
    leaveOutKeeper(options.keeperPid ?? null);
    if (options.mainCores) await placeMainThread(options.mainCores);
    await run({options, output, control, signal: life.signal});
  });
  control.close();
  return report(reason, output);
}

/**
 * @template Settings
 * @param {(role: Role<Settings>) => Promise<void>} run
 * @param {Transport} transport
 * @param {AbortSignal} signal
 * @returns {Promise<number>} the exit code
 */
async function runByHand(run, transport, signal) {
  endWithParent();
  let output = outputFor(transport);
  let isToStartAnew = false;
  const [script, ...commandLine] = process.argv.slice(1);
  const reason = await endOf(signal, async () => {
    if (commandLine.some((word) => word === '--help' || word === '-h')) {
      const {helpOfScript} = await import('./help.js');
      process.stdout.write(helpOfScript(transport, relative('', script)));
      return;
    }
    // A role of a battle starts faster without the catalogue of settings, which it does not need.
    const {readConfiguration} = await import('./configuration.js');
    const {options, warnings} = await readConfiguration(transport, commandLine);
    isToStartAnew = options.keepMemory && !keepsMemory();
    if (isToStartAnew) return;
    output = makeOutput(options.output, transport);
    for (const warning of warnings) output.warn(warning);
    signal.throwIfAborted();
    await run({options: /** @type {any} */ (options), output, control: null, signal});
  });
  return isToStartAnew && reason === null ? await runKeepingMemory(signal) : report(reason, output);
}

/** @param {Transport} transport */
function outputFor(transport) {
  return makeOutput(process.env.PB_OUTPUT ?? '', transport);
}

/**
 * @param {AbortSignal} signal
 * @param {() => Promise<void>} run
 * @returns {Promise<unknown>} why it ended; null: it finished
 */
async function endOf(signal, run) {
  const running = run();
  try {
    await untilAborted(running, signal);
    return signal.aborted ? signal.reason : null;
  } catch (error) {
    if (!signal.aborted) return error;
    await bounded(running, endWithinMs).catch(() => {});
    return signal.reason;
  }
}

/**
 * A script that was asked to stop ends without an error.
 * @param {unknown} reason
 * @param {Output} output
 * @returns {number} the exit code
 */
function report(reason, output) {
  if (reason === null || reason === stopped || reason === abandoned) return 0;
  if (!(reason instanceof InterruptedError)) output.error(/** @type {Error} */ (reason));
  return reason instanceof PerfBattleError ? reason.exitCode : 1;
}

/** @param {Control<unknown>} control @param {Output} output */
function answer(control, output) {
  control.onClock = () => output.emit({event: 'progress', phase: 'clock', atMs: monotonicMs()});
  const profiler = new Profiler();
  control.onProfile = async (on) => {
    const profile = on ? await profiler.begin() : await profiler.end();
    output.emit({event: 'progress', phase: 'profile', profile});
  };
}

/** @param {string} scriptUrl */
function isMainScript(scriptUrl) {
  const started = process.argv[1];
  return started !== undefined && realpathSync(started) === realpathSync(fileURLToPath(scriptUrl));
}

/**
 * Under control, the battle handles a terminal's Ctrl-C and then stops its scripts in order.
 * @param {AbortController} life
 * @param {boolean} underControl
 */
function endWithSignals(life, underControl) {
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
    process.on(signal, () => {
      if (underControl && signal === 'SIGINT') return;
      const interrupted = new InterruptedError(signal);
      if (life.signal.aborted) {
        process.exitCode = interrupted.exitCode;
        endProcess();
      }
      life.abort(interrupted);
    });
  }
}

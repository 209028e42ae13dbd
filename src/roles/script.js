import {realpathSync} from 'node:fs';
import {fileURLToPath} from 'node:url';
import {InterruptedError, PerfBattleError} from '../errors.js';
import {monotonicMs} from '../measure/clock.js';
import {readConfiguration} from './configuration.js';
import {ControlLine, stopped} from './control-line.js';
import {makeOutput} from './output.js';

/**
 * @import {Transport} from '../transports/transport.js'
 * @import {Output} from './output.js'
 */

/**
 * What a pair's script is given to run with.
 *
 * @typedef {object} Role
 * @property {Record<string, any>} options every setting of this script
 * @property {Output} output
 * @property {ControlLine | null} control null by hand
 * @property {AbortSignal} signal aborted by SIGINT, SIGTERM, SIGHUP, the end of the control line, or a stop
 */

/**
 * Runs a pair's script when it is the program that was started, and does nothing when it was imported. By hand the
 * configuration comes from flags, the environment and .env; with PB_STDIN=control it comes on standard input, and the
 * script ends with it.
 *
 * @param {string} scriptUrl import.meta.url of the script
 * @param {Transport} transport
 * @param {(role: Role) => Promise<void>} run resolves when the script is done
 */
export async function runScript(scriptUrl, transport, run) {
  if (!isMainScript(scriptUrl)) return;
  const life = new AbortController();
  const underControl = process.env.PB_STDIN === 'control';
  let output = makeOutput(process.env.PB_OUTPUT ?? '', transport);
  endWithSignals(life, underControl);
  const control = underControl ? answeringControlLine(life, output) : null;
  let failure = null;
  try {
    const {options, warnings} = control
      ? {options: await control.configuration, warnings: []}
      : await readConfiguration(transport, process.argv.slice(2));
    if (!control && 'output' in options) output = makeOutput(options.output, transport);
    for (const warning of warnings) output.warn(warning);
    life.signal.throwIfAborted();
    await run({options, output, control, signal: life.signal});
  } catch (error) {
    failure = error;
  } finally {
    control?.close();
  }
  // A server that is told to end does so without an error of its own.
  const reason = life.signal.aborted ? life.signal.reason : failure;
  process.exitCode = reason === null ? 0 : exitCodeOf(reason);
  if (!(reason === null || reason === stopped || reason instanceof InterruptedError))
    output.error(/** @type {Error} */ (reason));
  // Whatever a library still holds open (a socket half closed, a heartbeat) must not keep a finished script alive.
  process.exit();
}

/**
 * @param {AbortController} life
 * @param {Output} output
 */
function answeringControlLine(life, output) {
  const control = new ControlLine(process.stdin, life);
  control.onBeat = () => output.emit({event: 'beat'});
  control.onClock = () => output.emit({event: 'progress', phase: 'clock', atMs: monotonicMs()});
  return control;
}

/** @param {string} scriptUrl */
function isMainScript(scriptUrl) {
  const started = process.argv[1];
  return started !== undefined && realpathSync(started) === realpathSync(fileURLToPath(scriptUrl));
}

/**
 * Under control a terminal's Ctrl-C is the battle's to handle, which then stops its scripts in order.
 * @param {AbortController} life
 * @param {boolean} underControl
 */
function endWithSignals(life, underControl) {
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
    process.on(signal, () => {
      if (underControl && signal === 'SIGINT') return;
      if (life.signal.aborted) process.exit(new InterruptedError(signal).exitCode);
      life.abort(new InterruptedError(signal));
    });
  }
  process.stdout.on('error', () => life.abort(stopped));
}

/** @param {unknown} reason */
function exitCodeOf(reason) {
  if (reason === stopped) return 0;
  return reason instanceof PerfBattleError ? reason.exitCode : 1;
}

import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {writeSync} from 'node:fs';
import {endProcess, endUnheard, failUntilSettled} from '../ending/end-process.js';
import {exitCodeOfLostOutput, watchOutput} from '../ending/watch-output.js';
import {failureOf, InterruptedError, PerfBattleError, RunError} from '../errors.js';
import {keptGarbage, keptMemory} from '../hosts/host.js';
import {untilAborted} from '../measure/bounds.js';
import {monotonicMs} from '../measure/clock.js';
import {allowedCores, placeMainThread} from '../measure/cores.js';
import {observePauses} from '../measure/pauses.js';
import {pollingOf} from '../measure/polling.js';
import {leaveOutAwakeLoop} from '../measure/usage.js';
import {bounded} from '../net/bounded.js';
import {safeText} from '../safe-text.js';
import {abandoned, ControlChannel, stopped} from './control-channel.js';

/**
 * @import {RoleEvent, RoleName} from '../messages.js'
 * @import {Transport} from '../transports/transport.js'
 * @import {OnConsumed} from '../workloads/workload.js'
 * @import {Control} from './control-channel.js'
 * @import {Session} from 'node:inspector/promises'
 */

/** A script that must end has this long to close its resources. A broker that has ended may never answer. */
const endWithinMs = 5000;
/** The last output of a script may wait this long for its reader. */
const readWithinMs = 2000;

/**
 * The environment of a running script of a pair.
 * @template Settings
 * @typedef {object} Role
 * @property {Settings} options
 * @property {Output} output
 * @property {Control<Settings> | null} control null for a script by hand
 * @property {AbortSignal} signal aborted by SIGINT, SIGTERM, SIGHUP, the end of the control channel, or a stop
 */

/**
 * A half of a transport, ready to run.
 * @typedef {object} Half
 * @property {Transport} transport
 * @property {(role: Role<any>) => Promise<void>} run resolves when the role is done
 *
 * @typedef {object} Started how the process was started
 * @property {RoleName} role
 * @property {string} transport name of the transport
 * @property {readonly string[]} commandLine arguments after the names of the program and the transport
 */

/**
 * Runs a half of a transport in this process. By hand, the configuration comes from flags, the environment and .env, and memory is kept as in a
 * battle. With PB_STDIN=control, the configuration comes from standard input, and the process ends when standard input ends.
 * @param {Started} started @param {() => Promise<Half>} load
 */
export async function runScript(started, load) {
  const output = outputFor(started.transport);
  const settle = failUntilSettled((message) => output.error(new RunError(message)));
  observePauses();
  const life = new AbortController();
  const underControl = process.env.PB_STDIN === 'control';
  endWithSignals(life, underControl);
  const printed = watchOutput((stream) => {
    // A script whose standard output has no reader ends. A script that cannot write a warning goes on.
    if (stream === process.stdout) life.abort(underControl ? abandoned : stopped);
  });
  const exitCode = await load().then(
    (half) =>
      underControl
        ? runUnderControl(half.run, {input: process.stdin, output, life})
        : runByHand(half, started, life.signal),
    (error) => report(error, output),
  );
  // A library may leave a half-closed socket or a heartbeat open. It must not keep a finished script alive.
  if (life.signal.reason === abandoned) endUnheard();
  const lost = await printed.flushed(readWithinMs);
  if (lost !== null) makeOutput('text', started.transport).error(lost);
  settle(lost === null ? exitCode : exitCodeOfLostOutput(exitCode));
  await endProcess({isHungUp: life.signal.reason?.signal === 'SIGHUP'});
}

/**
 * Runs a role that gets its configuration from the control channel and ends with the channel.
 * @template Settings
 * @param {(role: Role<Settings>) => Promise<void>} run
 * @param {{input: NodeJS.ReadableStream, output: Output, life: AbortController}} process
 * @returns {Promise<number>} the exit code
 */
export async function runUnderControl(run, {input, output, life}) {
  // The battle and this script resolve the same declarations of options.
  const control = /** @type {Control<any>} */ (new ControlChannel(input, life));
  answer(control, output);
  const reason = await endOf(life.signal, async () => {
    const {options} = await untilAborted(control.configurations.next(), life.signal);
    leaveOutAwakeLoop(options.keeperPid ?? null);
    if (options.mainCores) await placeMainThread(options.mainCores);
    await run({options, output, control, signal: life.signal});
  });
  control.close();
  return report(reason, output);
}

/** @param {Half} half @param {Started} started @param {AbortSignal} signal @returns {Promise<number>} the exit code */
async function runByHand({transport, run}, {role, commandLine}, signal) {
  endWithParent();
  let output = outputFor(transport.name);
  let isToStartAnew = false;
  const reason = await endOf(signal, async () => {
    if (commandLine.some((word) => word === '--help' || word === '-h')) {
      const {helpOfRole} = await import('./by-hand.js');
      process.stdout.write(helpOfRole(transport, role, process.argv[1]));
      return;
    }
    // A role of a battle does not need the catalogue of settings and starts faster without it.
    const {readConfiguration} = await import('./by-hand.js');
    const {options, warnings} = await readConfiguration(transport, commandLine);
    isToStartAnew = options.keepMemory && !keepsMemory();
    if (isToStartAnew) return;
    output = makeOutput(options.output, transport.name);
    for (const warning of warnings) output.warn(warning);
    // The request ends with this process.
    if (role === 'client' && options.cores === 'awake') (await pollingOf(allowedCores()))?.(true);
    signal.throwIfAborted();
    await run({options, output, control: null, signal});
  });
  return isToStartAnew && reason === null ? await runKeepingMemory(signal) : report(reason, output);
}

/** @param {string} transport name of the transport */
function outputFor(transport) {
  return makeOutput(process.env.PB_OUTPUT ?? '', transport);
}

/** @param {AbortSignal} signal @param {() => Promise<void>} run @returns {Promise<unknown>} why it ended; null if it finished */
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
 * Prints the error that ended a script. A script that was asked to stop ends without an error.
 * @param {unknown} reason @param {Output} output @returns {number} the exit code
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

/**
 * Under control, the script ignores SIGINT: the battle handles Ctrl-C in a terminal and then stops its scripts in order.
 * @param {AbortController} life @param {boolean} underControl
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

/** Records where this process spends its CPU time, with V8's sampling profiler and one sample per millisecond. */
class Profiler {
  /** Null while nothing is recorded. @type {Session | null} */
  #session = null;

  /** @returns {Promise<null>} */
  async begin() {
    const {Session} = await import('node:inspector/promises');
    const session = new Session();
    session.connect();
    await session.post('Profiler.enable');
    await session.post('Profiler.start');
    this.#session = session;
    return null;
  }

  /** @returns {Promise<object | null>} the profile in the format of .cpuprofile files; null if none was begun */
  async end() {
    const session = this.#session;
    if (session === null) return null;
    this.#session = null;
    const {profile} = await session.post('Profiler.stop');
    session.disconnect();
    return profile;
  }
}

/** Returns whether this process was started with the settings by which a role of a battle keeps freed memory. */
function keepsMemory() {
  return (
    keptGarbage.every((flag) => process.execArgv.includes(flag)) &&
    Object.entries(keptMemory).every(([name, value]) => process.env[name] === value)
  );
}

/**
 * Restarts this program with the same arguments, so that it keeps memory. From Node.js 22.15 on, the new program replaces this process. In older
 * versions it is a child with the standard streams of this process: it gets this process's signals, and ends when this process ends.
 * @param {AbortSignal} signal aborted by the first signal that this process gets
 * @returns {Promise<number>} the exit code
 */
async function runKeepingMemory(signal) {
  const words = [...keptGarbage, ...process.execArgv, ...process.argv.slice(1)];
  const env = {...process.env, ...keptMemory};
  // The installed types are those of the oldest supported version.
  const {execve} =
    /** @type {{execve?: (file: string, words: string[], env: NodeJS.ProcessEnv) => never}} */ (process);
  execve?.(process.execPath, [process.execPath, ...words], env);
  // In a separate session the child does not get a Ctrl-C twice.
  const child = spawn(process.execPath, words, {
    ...{stdio: ['inherit', 'inherit', 'inherit', 'ipc'], detached: true, env},
  });
  const passOn = () => child.kill(signal.reason.signal);
  if (signal.aborted) passOn();
  signal.addEventListener('abort', passOn, {once: true});
  const [code, endedBy] = await once(child, 'exit');
  if (endedBy !== null) process.kill(process.pid, endedBy);
  return code;
}

/** Ends this process at once when its parent has ended. */
function endWithParent() {
  process.once('disconnect', endUnheard);
  process.channel?.unref();
}

/**
 * The output of a script: plain text for people, events as JSON lines for programs.
 * @typedef {object} Output
 * @property {(event: RoleEvent, text?: string) => void} emit text: replaces the event for people; without it, they see nothing
 * @property {(message: string) => void} warn
 * @property {(error: Error) => void} error
 */

/**
 * @param {string} format ndjson, or anything else for text; a malformed format is reported when the options are read
 * @param {string} transport name of the transport
 * @param {NodeJS.WritableStream} [stdout] gets the events or the text
 * @returns {Output}
 */
export function makeOutput(format, transport, stdout = process.stdout) {
  return format.toLowerCase() === 'ndjson' ? linesOfJson(transport, stdout) : plainText;
}

/** @param {string} transport @param {NodeJS.WritableStream} stdout @returns {Output} */
function linesOfJson(transport, stdout) {
  /** @type {Output['emit']} */
  const emit = ({event, ...fields}) =>
    writeLine(`${JSON.stringify({event, transport, ...fields})}\n`, stdout);
  return {emit, warn, error: (error) => emit({event: 'error', ...failureOf(error)})};
}

/**
 * Avoids the stream if possible. Otherwise the code that streams share with sockets would be recompiled, and the first part of the measurement
 * would be slower.
 * @param {string} line @param {NodeJS.WritableStream} stdout
 */
function writeLine(line, stdout) {
  if (stdout !== process.stdout || process.stdout.writableLength > 0) return void stdout.write(line);
  let written = 0;
  try {
    written = writeSync(process.stdout.fd, line);
  } catch {
    // The pipe is full or broken. The stream waits, or reports the error.
  }
  if (written === line.length) return;
  const bytes = Buffer.from(line);
  if (written < bytes.length) stdout.write(bytes.subarray(written));
}

/** @param {string} message */
function warn(message) {
  process.stderr.write(`Warning: ${safeText(message)}\n`);
}

/**
 * Returns what passes the reports of a receiver of messages to the battle.
 * @param {Output} output @returns {OnConsumed}
 */
export function consumedBy(output) {
  return (done) => output.emit({event: 'progress', phase: 'consumed', atMs: monotonicMs(), ...done});
}

/** @type {Output} */
const plainText = {
  emit(_event, text) {
    if (text !== undefined) process.stdout.write(`${safeText(text)}\n`);
  },
  warn,
  error(error) {
    const unexpected = !('exitCode' in error);
    process.stderr.write(
      `perf-battle: ${safeText(unexpected ? (error.stack ?? error.message) : error.message)}\n`,
    );
  },
};

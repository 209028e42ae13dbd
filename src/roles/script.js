import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {writeSync} from 'node:fs';
import {Socket} from 'node:net';
import {endProcess, endUnheard, failUntilSettled} from '../ending/end-process.js';
import {failureOf, InterruptedError, PerfBattleError, RunError} from '../errors.js';
import {keptGarbage, keptMemory} from '../hosts/host.js';
import {untilAborted} from '../measure/bounds.js';
import {monotonicMs} from '../measure/clock.js';
import {placeMainThread} from '../measure/cores.js';
import {leaveOutAwakeLoop, observePauses} from '../measure/usage.js';
import {bounded} from '../net/bounded.js';
import {safeText} from '../safe-text.js';
import {abandoned, ControlChannel, stopped} from './control-channel.js';

/**
 * @import {RoleEvent, RoleName} from '../messages.js'
 * @import {Transport} from '../transports/transport.js'
 * @import {Control} from './control-channel.js'
 * @import {Session} from 'node:inspector/promises'
 */

/** A script that is to end has this long to close what it opened. A broker that has ended may leave it waiting for good. */
const endWithinMs = 5000;
/** The last that a script printed may wait this long for its reader. */
const readWithinMs = 2000;

/**
 * What a script of a pair runs with.
 * @template Settings
 * @typedef {object} Role
 * @property {Settings} options
 * @property {Output} output
 * @property {Control<Settings> | null} control null by hand
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
 * @property {string} transport its name
 * @property {readonly string[]} commandLine what follows the names of the program and the transport
 */

/**
 * Runs a half of a transport as this process. By hand, the configuration comes from flags, the environment and .env, and memory is kept as in a
 * battle. With PB_STDIN=control it comes from standard input, and the process ends when that ends.
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
    // A script whose events or text nobody gets has nothing more to do. One that cannot write a warning goes on.
    if (stream === process.stdout) life.abort(underControl ? abandoned : stopped);
  });
  const exitCode = await load().then(
    (half) =>
      underControl
        ? runUnderControl(half.run, {input: process.stdin, output, life})
        : runByHand(half, started, life.signal),
    (error) => report(error, output),
  );
  // Nothing that a library keeps open, such as a half-closed socket or a heartbeat, may keep a finished script alive.
  if (life.signal.reason === abandoned) endUnheard();
  const lost = await printed.flushed(readWithinMs);
  if (lost !== null) makeOutput('text', started.transport).error(lost);
  settle(lost === null ? exitCode : exitCodeOfLostOutput(exitCode));
  await endProcess({isHungUp: life.signal.reason?.signal === 'SIGHUP'});
}

/**
 * Runs a role that takes its configuration from the control channel and ends with it.
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

/**
 * @param {Half} half @param {Started} started @param {AbortSignal} signal
 * @returns {Promise<number>} the exit code
 */
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
    // A role of a battle starts faster without the catalogue of settings, which it does not need.
    const {readConfiguration} = await import('./by-hand.js');
    const {options, warnings} = await readConfiguration(transport, commandLine);
    isToStartAnew = options.keepMemory && !keepsMemory();
    if (isToStartAnew) return;
    output = makeOutput(options.output, transport.name);
    for (const warning of warnings) output.warn(warning);
    signal.throwIfAborted();
    await run({options, output, control: null, signal});
  });
  return isToStartAnew && reason === null ? await runKeepingMemory(signal) : report(reason, output);
}

/** @param {string} transport its name */
function outputFor(transport) {
  return makeOutput(process.env.PB_OUTPUT ?? '', transport);
}

/**
 * @param {AbortSignal} signal @param {() => Promise<void>} run
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
 * @param {unknown} reason @param {Output} output
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

/**
 * Under control, the battle handles a terminal's Ctrl-C and then stops its scripts in order.
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

/** Records where this process spends its CPU time, by V8's sampling profiler: a sample each millisecond. */
class Profiler {
  /** null: it does not record. @type {Session | null} */
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

  /** @returns {Promise<object | null>} the profile, as .cpuprofile files contain it; null: none was begun */
  async end() {
    const session = this.#session;
    if (session === null) return null;
    this.#session = null;
    const {profile} = await session.post('Profiler.stop');
    session.disconnect();
    return profile;
  }
}

/** Whether this process was started with the settings by which a role of a battle keeps freed memory. */
function keepsMemory() {
  return (
    keptGarbage.every((flag) => process.execArgv.includes(flag)) &&
    Object.entries(keptMemory).every(([name, value]) => process.env[name] === value)
  );
}

/**
 * Runs this program anew, with the same words, so that it keeps memory. Node.js puts it in place of this process, from 22.15 on. Before, it is a child with
 * the standard streams of this process: signals are passed on, and it ends with this process, however that ends.
 * @param {AbortSignal} signal aborted by the first signal that this process gets
 * @returns {Promise<number>} the exit code
 */
async function runKeepingMemory(signal) {
  const words = [...keptGarbage, ...process.execArgv, ...process.argv.slice(1)];
  const env = {...process.env, ...keptMemory};
  // The types are those of the oldest version.
  const {execve} =
    /** @type {{execve?: (file: string, words: string[], env: NodeJS.ProcessEnv) => never}} */ (process);
  execve?.(process.execPath, [process.execPath, ...words], env);
  // In a session of its own it does not get a Ctrl-C twice.
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

/** Ends this process at once when the one that it runs for has ended. */
function endWithParent() {
  process.once('disconnect', endUnheard);
  process.channel?.unref();
}

/**
 * What became of what this process printed.
 *
 * @typedef {object} WatchedOutput
 * @property {(withinMs: number) => Promise<RunError | null>} flushed resolves when all of it was handed over to the system, or the time is over: to the
 *   error of what could not be written. A reader that closes its pipe early, such as head, is no error
 */

/** The longest delay of a Node.js timer. */
const maxTimerMs = 2 ** 31 - 1;

/**
 * Watches whether what this process prints can be written. It is to be called before anything is printed.
 * @param {(stream: NodeJS.WriteStream) => void} [onError] gets each stream at its first error
 * @returns {WatchedOutput}
 */
export function watchOutput(onError = () => {}) {
  const streams = [process.stdout, process.stderr];
  /** @type {Map<NodeJS.WriteStream, NodeJS.ErrnoException>} */
  const errors = new Map();
  for (const stream of streams) {
    // A file or a device. Pipes and terminals go on by themselves with what was not taken at once.
    if (!(stream instanceof Socket)) Object.assign(stream, {_write: writeWhole});
    stream.on('error', (error) => {
      // Others follow from the first one.
      if (errors.has(stream)) return;
      errors.set(stream, error);
      onError(stream);
    });
  }
  return {
    async flushed(withinMs) {
      await Promise.all(streams.map((stream) => flush(stream, withinMs)));
      const failed = [...errors].find(([, {code}]) => code !== 'EPIPE');
      return failed ? await outputError(...failed) : null;
    },
  };
}

/** @param {NodeJS.WriteStream} stream @param {NodeJS.ErrnoException} error */
async function outputError(stream, error) {
  const {explainFileError} = await import('../files/writable-file.js');
  const name = stream === process.stdout ? 'standard output' : 'standard error';
  const explained = explainFileError(name, error);
  return explained instanceof RunError
    ? explained
    : new RunError(`Cannot write ${name}: ${error.message}`, {cause: error});
}

/**
 * The exit code of a process whose output could not be written. What went wrong at run time comes before what became of expectations.
 * @param {number} code without that
 */
export function exitCodeOfLostOutput(code) {
  return [0, 4, 5].includes(code) ? 1 : code;
}

/**
 * Writes a chunk into a file. Node.js calls `write` once, and loses what a nearly full disk did not take.
 * @this {NodeJS.WriteStream & {fd: number}}
 * @param {Uint8Array | string} chunk @param {BufferEncoding} _encoding
 * @param {(error?: Error | null) => void} done
 */
function writeWhole(chunk, _encoding, done) {
  const bytes = Buffer.from(chunk);
  try {
    for (let written = 0; written < bytes.length; ) written += writeSync(this.fd, bytes, written);
  } catch (error) {
    return done(/** @type {Error} */ (error));
  }
  done();
}

/** @param {NodeJS.WriteStream} stream @param {number} withinMs @returns {Promise<void>} */
function flush(stream, withinMs) {
  return new Promise((resolve) => {
    // The event of an error comes after the write.
    if (stream.writableLength === 0 || stream.destroyed) return void setImmediate(resolve);
    const timer = setTimeout(resolve, Math.min(withinMs, maxTimerMs));
    stream.write('', () => {
      clearTimeout(timer);
      setImmediate(resolve);
    });
  });
}

/**
 * What a script writes: plain text for people, events as JSON lines for programs.
 *
 * @typedef {object} Output
 * @property {(event: RoleEvent, text?: string) => void} emit text: printed for people in place of the event; nothing unless given
 * @property {(message: string) => void} warn
 * @property {(error: Error) => void} error
 */

/**
 * @param {string} format ndjson, or anything else for text; a malformed format is reported when the options are read
 * @param {string} transport its name
 * @param {NodeJS.WritableStream} [stdout] takes the events or the text
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
 * Not through the stream, if it can be helped: what it has in common with the sockets would be compiled anew, and the first part of the
 * measurement would be slower.
 * @param {string} line @param {NodeJS.WritableStream} stdout
 */
function writeLine(line, stdout) {
  if (stdout !== process.stdout || process.stdout.writableLength > 0) return void stdout.write(line);
  let written = 0;
  try {
    written = writeSync(process.stdout.fd, line);
  } catch {
    // The pipe is full or broken; the stream waits or reports that.
  }
  if (written === line.length) return;
  const bytes = Buffer.from(line);
  if (written < bytes.length) stdout.write(bytes.subarray(written));
}

/** @param {string} message */
function warn(message) {
  process.stderr.write(`Warning: ${safeText(message)}\n`);
}

/** @type {Output} */
const plainText = {
  emit(_event, text) {
    if (text !== undefined) process.stdout.write(`${safeText(text)}\n`);
  },
  warn,
  error(error) {
    const unexpected = !('exitCode' in error);
    process.stderr.write(`Error: ${safeText(unexpected ? (error.stack ?? error.message) : error.message)}\n`);
  },
};

import {spawn} from 'node:child_process';
import {randomUUID} from 'node:crypto';
import {readdirSync} from 'node:fs';
import {setTimeout as sleep} from 'node:timers/promises';
import {heartbeatEveryMs} from '../../ending/heartbeat.js';
import {RunError, UsageError} from '../../errors.js';
import {inOwnGroup, withoutOurVariables} from '../../hosts/host.js';
import {RoleProcess} from '../../hosts/role-process.js';
import {TimeLimitError, within} from '../../measure/bounds.js';
import {readSystemFile, sendSignal, startedAt} from '../../measure/system.js';
import {mapTexts} from '../../safe-text.js';
import {conforming, contractVersion, events, notAllowed} from './contract.js';
import {processesOf} from './group-usage.js';

/**
 * @import {PipedProcess} from '../../hosts/role-process.js'
 * @import {RoleName, RoleSettings} from '../../messages.js'
 * @import {Programs} from '../../transports/external/index.js'
 * @import {Transport} from '../../transports/transport.js'
 * @import {ServerOptions} from './contract.js'
 */

/** A program that is asked to end has this long, and the same time again after SIGTERM. */
const graceMs = 1500;
/** By hand, only this time bounds a program's answer that is not a measurement. */
export const answerByHandMs = 20_000;
/** The last output of a program is read within this time, even if a child process still holds its pipes. */
const afterEndMs = 100;

/** If setpriv is available, the kernel kills the program when its parent ends, however it ends. */
const launcher = `if setpriv --pdeathsig KILL true 2>/dev/null; then eval "exec setpriv --pdeathsig KILL env $1"; fi
eval "exec env $1"`;

/**
 * A third-party program in a role: its process group, its control channel, and its events, each of which is checked.
 * @template {RoleName} Role
 */
export class Program {
  /**
   * @param {string} command a program and its arguments, in shell syntax
   * @param {Role} role @param {string} [folder] working directory; default: the current one
   * @throws {UsageError} on other systems than Linux
   */
  constructor(command, role, folder = process.cwd()) {
    if (process.platform !== 'linux')
      throw new UsageError('Programs of --external run on Linux only: their CPU time is read from /proc.');
    this.role = role;
    this.mark = randomUUID();
    this.secrets = new Secrets();
    // Because of the separate group, Ctrl-C in a terminal does not reach the program, and its children end with it.
    const [shell, ...parameters] = [...inOwnGroup, 'sh', '-c', launcher, 'sh', command];
    const child = spawn(shell, parameters, {
      cwd: folder,
      stdio: ['pipe', 'pipe', 'pipe'],
      env: {
        ...withoutOurVariables(process.env),
        ...{PB_STDIN: 'control', PB_OUTPUT: 'ndjson', [markName]: this.mark},
      },
    });
    this.group = child.pid ?? 0;
    const isRunning = () => child.exitCode === null && child.signalCode === null;
    /** The group begins some milliseconds after its first process. @param {NodeJS.Signals} signal */
    this.killFirst = (signal) => isRunning() && sendSignal(this.group, signal);
    const kill = (/** @type {NodeJS.Signals} */ signal) => this.kill(signal);
    const hangUp = () => {
      child.stdout.destroy();
      child.stderr.destroy();
    };
    child.once('exit', () => setTimeout(hangUp, afterEndMs).unref());
    const piped = /** @type {PipedProcess} */ (Object.assign(child, {kill}));
    this.process = new RoleProcess(piped, role, null, this.secrets);
    this.beat = setInterval(() => this.send({type: 'beat'}), heartbeatEveryMs);
    /** Rejects when the program ends, or with the error that the program wrote. @type {Promise<never>} */
    this.died = this.process.exited.then(() => {
      this.fallSilent();
      throw this.process.failure ?? new RunError(`The program of the ${role} ended.`);
    });
    this.died.catch(() => {});
  }

  /** @param {{type: string, options?: object}} message lost if the program has ended */
  send(message) {
    const password = /** @type {{broker?: {password?: unknown} | null} | undefined} */ (message.options)
      ?.broker?.password;
    if (typeof password === 'string') this.secrets.add(password);
    this.process.send(/** @type {any} */ (message));
  }

  /**
   * @template {keyof typeof events[Role] & string} Name
   * @param {Name} name of an event, or of its phase
   * @param {AbortSignal} signal @param {number} [ms] time limit
   * @returns the next event of that name
   * @throws {RunError} the error that the program wrote, its unexpected end, or PB_ADAPTER
   */
  async next(name, signal, ms = Number.POSITIVE_INFINITY) {
    const isWanted = (/** @type {any} */ one) => (one.event === 'progress' ? one.phase : one.event) === name;
    const event = await within(ms, signal, (soon) =>
      this.process.waitFor(/** @type {any} */ (isWanted), soon),
    ).catch((error) => this.#explain(error, name));
    return conforming(/** @type {any} */ (events[this.role])[name], event, this.role);
  }

  /** @param {any} error @param {string} awaited @returns {never} */
  #explain(error, awaited) {
    if (error instanceof TimeLimitError)
      throw new SilentError(`The ${this.role} program did not write "${awaited}". ${error.message}`);
    // An error that the program wrote has no code of perf-battle.
    if (error.code !== 'PB_UNEXPECTED') throw error;
    throw notAllowed(`The ${this.role} program reported: ${error.message}`);
  }

  fallSilent() {
    clearInterval(this.beat);
  }

  /** @param {NodeJS.Signals} signal to the group @returns {boolean} whether there was a process */
  kill(signal) {
    return this.group > 1 && (sendSignal(-this.group, signal) || this.killFirst(signal));
  }

  /** Whether a process is the program itself, or was started by it. @param {number} pid */
  owns(pid) {
    return offspringOf(this).has(pid);
  }

  /** Ends the program and all of its descendants in any session: first by a message, then by SIGTERM, then by SIGKILL. */
  async stop() {
    const known = offspringOf(this);
    await this.process.stop({graceMs});
    this.kill('SIGKILL');
    await endOffspring(this, known);
  }
}

/** The error of a program that does not answer: the program neither rejected nor noticed a message. */
export class SilentError extends RunError {
  /** @param {string} message */
  constructor(message) {
    super(message, {code: 'PB_ADAPTER'});
  }
}

/** The passwords that a program got. The program may write them in several forms; they must not be shown or stored. */
export class Secrets {
  /** All forms of the secrets, the longest first. @type {readonly string[]} */
  #forms = [];

  /** @param {string} secret */
  add(secret) {
    const forms = secret === '' ? [] : formsOf(secret);
    this.#forms = [...new Set([...this.#forms, ...forms])].sort((one, other) => other.length - one.length);
  }

  /** @param {string} text */
  conceal = (text) => this.#forms.reduce((shown, form) => shown.replaceAll(form, '***'), text);

  /**
   * @template {object} Event
   * @param {Event} event that a program wrote
   * @returns {Event} without secrets in its free texts
   */
  concealIn(event) {
    if (this.#forms.length === 0) return event;
    const {message, mismatch, details, arrived} = /** @type {Record<string, any>} */ (event);
    return {
      ...event,
      ...(message !== undefined && {message: mapTexts(message, this.conceal)}),
      ...(mismatch !== undefined && {mismatch: mapTexts(mismatch, this.conceal)}),
      ...(details !== undefined && {details: mapTexts(this.#withoutNumbers(details), this.conceal)}),
      ...(arrived?.mismatch !== undefined && {arrived: this.concealIn(arrived)}),
    };
  }

  /** A number may be a password, too. @param {any} details */
  #withoutNumbers(details) {
    if (typeof details !== 'object' || details === null) return details;
    const entries = Object.entries(details);
    return Object.fromEntries(
      entries.map(([name, value]) => [name, this.#forms.includes(String(value)) ? '***' : value]),
    );
  }
}

/** Returns a secret as text, in JSON, in a URL and in base64. @param {string} secret */
function formsOf(secret) {
  const base64 = Buffer.from(secret).toString('base64');
  return [...new Set([secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret), base64])];
}

/** This environment variable identifies descendants in any session, even if their parent has ended. */
const markName = 'PERF_BATTLE_PROGRAM';

/** After a kill, the kernel needs some time to remove a process. */
const afterKillMs = 20;
const maxKills = 50;

/**
 * Returns the processes of a program: its group, the descendants of the group, and all processes with its mark.
 * @param {{group: number, mark: string}} program @returns {Map<number, string>} start times by process id
 */
function offspringOf({group, mark}) {
  const marked = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && hasMark(name, mark))
    .map(Number);
  const ids = [...new Set([...processesOf(group), ...marked])];
  return new Map(
    ids.flatMap((id) => {
      const began = startedAt(id);
      return began === null ? [] : [/** @type {const} */ ([id, began])];
    }),
  );
}

/**
 * Kills the processes that a program left.
 * @param {{group: number, mark: string}} program
 * @param {Map<number, string>} known processes of the program, from before its end
 */
async function endOffspring(program, known) {
  for (let kills = 0; kills < maxKills; kills += 1) {
    const left = [...known, ...offspringOf(program)].filter(([id, began]) => startedAt(id) === began);
    if (left.length === 0) return;
    for (const [id] of left) sendSignal(id, 'SIGKILL');
    await sleep(afterKillMs);
  }
}

/** @param {string} id @param {string} mark */
function hasMark(id, mark) {
  return readSystemFile(`/proc/${id}/environ`)?.split('\0').includes(`${markName}=${mark}`) ?? false;
}

/** @typedef {RoleSettings & {brokerPrefix?: string, deliveryMode?: number, programsIn?: string, only?: RoleName,
 *   rows?: number | null, answer?: ServerOptions['reply'], verify?: number}} SharedSettings */

/**
 * Returns the programs that the settings of a role name.
 * @param {object} settings @param {Transport} transport a transport that runs programs
 * @returns {Programs}
 */
export function programsIn(settings, {impliedBy = ''}) {
  return /** @type {Record<string, Programs>} */ (settings)[impliedBy];
}

/**
 * Returns the folder in which a side of a comparison starts the program of a role; undefined: the current folder.
 * @param {{programsIn?: string, only?: RoleName}} settings @param {RoleName} role
 */
export function folderOf({programsIn: folder, only}, role) {
  return only === undefined || only === role ? folder : undefined;
}

/**
 * Returns the options that both programs get, which are only options of the contract.
 * @param {SharedSettings} settings @returns {Omit<ServerOptions, 'listenAddress' | 'serverPort'>}
 */
export function sharedOptions({
  brokerPrefix,
  deliveryMode,
  broker = null,
  answer: reply = 'echo',
  verify = 1,
  rows,
  ...settings
}) {
  const {workload, payloadBytes, seed, timeoutMs, noDelay} = settings;
  const shared = {
    ...{contract: contractVersion, workload, payloadBytes, seed, reply, verify, timeoutMs, noDelay},
    ...(rows != null && {rows}),
  };
  if (broker === null) return {...shared, broker};
  const ofRabbitmq = deliveryMode !== undefined && {queue: brokerPrefix, deliveryMode};
  return {...shared, broker: {...broker}, prefix: brokerPrefix, ...ofRabbitmq};
}

/**
 * Rejects a program that does not know the option reply. It would reply, or compare, with other bytes. It may ignore most other new options.
 * @param {{reply: ServerOptions['reply']}} options that the program got
 * @param {{reply?: string | undefined}} ready @param {RoleName} role @throws {RunError} PB_ADAPTER
 */
export function requireReply({reply}, ready, role) {
  if (reply !== 'echo' && ready.reply !== reply)
    throw notAllowed(
      `The program of the ${role} does not know --reply ${reply}: its ready event does not repeat it (perf-battle help adapter-contract).`,
    );
}

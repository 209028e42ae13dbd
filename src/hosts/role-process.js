import {createInterface} from 'node:readline';
import {errorCodes, RunError, UnavailableError} from '../errors.js';
import {parseEvent} from '../protocol.js';
import {endInSteps} from './end-in-steps.js';

/**
 * @import {CodeOf, PerfBattleError} from '../errors.js'
 * @import {Failed, Lines, RoleName} from '../protocol.js'
 * @import {ChildProcessWithoutNullStreams} from 'node:child_process'
 */

const beatEveryMs = 1000;
const maxSilenceMs = 5000;
const stderrTailCharacters = 2000;
/** ssh's own exit code when the connection fails. */
const sshFailed = 255;

/** The environment of a role that takes its configuration from the control line. */
export const underControl = {PB_STDIN: 'control', PB_OUTPUT: 'ndjson'};

/**
 * The process of a role, under the battle's control: its control line, its events and its end.
 * @template {RoleName} [Role=RoleName]
 */
export class RoleProcess {
  /**
   * @param {ChildProcessWithoutNullStreams} child with the control line on its stdin
   * @param {Role} role
   * @param {{place: string, lost: () => Error} | null} [remote] on another host: its name, and the error when its connection
   *   has ended
   */
  constructor(child, role, remote = null) {
    this.child = child;
    this.role = role;
    this.remote = remote;
    /** When its last line arrived; null: none yet. @type {number | null} */
    this.lastLineAt = null;
    /** @type {Lines[Role]['event'][]} events that have not been taken yet */
    this.events = [];
    /** @type {Error | null} why no more events will come */
    this.failure = null;
    this.stopping = false;
    this.stderrTail = '';
    /** @type {Set<() => void>} */
    this.watchers = new Set();
    /** @type {Promise<void>} */
    this.exited = new Promise((resolve) => {
      child.once('error', (error) =>
        this.#end(new RunError(`The ${role} could not be started: ${error.message}.`), resolve),
      );
      child.once('close', (code, signal) => this.#end(this.#explainExit(code, signal), resolve));
    });
    createInterface({input: child.stdout}).on('line', (line) => this.#read(line));
    child.stderr.setEncoding('utf8').on('data', (text) => {
      this.stderrTail = (this.stderrTail + text).slice(-stderrTailCharacters);
    });
    child.stdin.on('error', () => {});
    this.beatAt = performance.now();
    this.beat = setInterval(() => this.#beat(), beatEveryMs);
  }

  /** @param {Lines[Role]['message']} message lost if the process has ended */
  send(message) {
    if (this.child.stdin.writable) this.child.stdin.write(`${JSON.stringify(message)}\n`);
  }

  /**
   * @template {Lines[Role]['event']} Wanted
   * @param {(event: Lines[Role]['event']) => event is Wanted} wanted
   * @param {AbortSignal} signal
   * @returns {Promise<Wanted>} the next such event
   * @throws {PerfBattleError} the error that the role reported, or how it ended
   */
  waitFor(wanted, signal) {
    return new Promise((resolve, reject) => {
      const look = () => {
        const event = this.events.find(wanted);
        if (event) done(() => resolve(this.#take(event)));
        else if (this.failure) done(() => reject(this.failure));
        else if (signal.aborted) done(() => reject(signal.reason));
      };
      const done = (/** @type {() => void} */ settle) => {
        this.watchers.delete(look);
        signal.removeEventListener('abort', look);
        settle();
      };
      this.watchers.add(look);
      signal.addEventListener('abort', look);
      look();
    });
  }

  /**
   * Ends the process: asks first, then sends SIGTERM, then SIGKILL.
   * @param {{graceMs?: number}} [bounds] graceMs: between two steps
   */
  async stop({graceMs = 4000} = {}) {
    this.stopping = true;
    const ask = () => {
      this.send({type: 'stop'});
      this.child.stdin.end();
    };
    const {child} = this;
    await endInSteps(this.exited, [ask, () => child.kill('SIGTERM'), () => child.kill('SIGKILL')], graceMs);
  }

  /** Both ends notice when the other falls silent: the connection to a remote role is killed here, and the role there ends by itself. */
  #beat() {
    this.send({type: 'beat'});
    const now = performance.now();
    // This process was itself stopped, for example by Ctrl-Z, and could not read.
    if (this.lastLineAt !== null && now - this.beatAt >= maxSilenceMs) this.lastLineAt = now;
    this.beatAt = now;
    if (!this.remote || this.lastLineAt === null || now - this.lastLineAt < maxSilenceMs) return;
    const message = `The ${this.role} on ${this.remote.place} has not answered for ${maxSilenceMs / 1000} s: its network connection is interrupted, or it hangs.`;
    this.failure ??= new UnavailableError(message, {code: 'PB_HOST_LOST'});
    this.#wake();
    this.child.kill('SIGKILL');
  }

  /** @param {string} line */
  #read(line) {
    this.lastLineAt = performance.now();
    const event = /** @type {Lines[Role]['event'] | null} */ (parseEvent(line));
    if (event === null || event.event === 'beat') return;
    if (event.event === 'error') this.failure ??= toError(event);
    else this.events.push(event);
    this.#wake();
  }

  /**
   * @template {Lines[Role]['event']} Event
   * @param {Event} event that was waited for
   */
  #take(event) {
    this.events.splice(this.events.indexOf(event), 1);
    return event;
  }

  /** @param {Error | null} failure @param {() => void} resolve */
  #end(failure, resolve) {
    clearInterval(this.beat);
    this.failure ??= failure;
    this.#wake();
    resolve();
  }

  #wake() {
    for (const look of [...this.watchers]) look();
  }

  /** @param {number | null} code @param {NodeJS.Signals | null} signal */
  #explainExit(code, signal) {
    if (this.remote && code === sshFailed) return this.remote.lost();
    const how = signal ? `was killed by ${signal}` : `ended with exit code ${code}`;
    const output = this.stderrTail.trim() ? ` Its last output: ${this.stderrTail.trim()}` : '';
    const place = this.remote ? ` on ${this.remote.place}` : '';
    return new RunError(`The ${this.role}${place} ${how}.${output}`, {code: 'PB_ROLE_DIED'});
  }
}

/** Undeclared codes come from unexpected errors. @param {Failed} event @returns {PerfBattleError} */
function toError({code, message, exitCode}) {
  const known = Object.hasOwn(errorCodes, code);
  if (exitCode === 3)
    return new UnavailableError(message, {code: /** @type {CodeOf<3>} */ (known ? code : 'PB_UNAVAILABLE')});
  return new RunError(message, {code: /** @type {CodeOf<1>} */ (known ? code : 'PB_UNEXPECTED')});
}

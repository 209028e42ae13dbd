import {createInterface} from 'node:readline';
import {errorCodes, RunError, UnavailableError} from '../errors.js';
import {parseEvent} from '../protocol.js';
import {endInSteps} from './end-in-steps.js';

/**
 * @import {CodeOf, PerfBattleError} from '../errors.js'
 * @import {Failed, LineName, Lines, RoleName} from '../protocol.js'
 * @import {EventEmitter} from 'node:events'
 * @import {Readable, Writable} from 'node:stream'
 */

const stderrTailCharacters = 2000;

/**
 * A process of this host, or one of another host that its agent relays. Emits `error` if it could not be started, then or otherwise `close` with
 * exit code and signal; or `lost` with an error when the other host is gone.
 * @typedef {EventEmitter & {stdin: Writable, stdout: Readable, stderr: Readable, kill: (signal: NodeJS.Signals) => boolean}} PipedProcess
 */

/**
 * The process of a role, under the battle's control: its control line, its events and its end.
 * @template {LineName} [Role=RoleName]
 */
export class RoleProcess {
  /**
   * @param {PipedProcess} child with the control line on its stdin
   * @param {Role} role
   * @param {string | null} [hostName] of the other host on which it runs; null: this one
   */
  constructor(child, role, hostName = null) {
    this.child = child;
    this.role = role;
    this.hostName = hostName;
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
      child.once('lost', (error) => this.#end(error, resolve));
      child.once('close', (code, signal) => this.#end(this.#explainExit(code, signal), resolve));
    });
    createInterface({input: child.stdout}).on('line', (line) => this.#read(line));
    child.stderr.setEncoding('utf8').on('data', (text) => {
      this.stderrTail = (this.stderrTail + text).slice(-stderrTailCharacters);
    });
    child.stdin.on('error', () => {});
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

  /** @param {string} line */
  #read(line) {
    const event = /** @type {Lines[Role]['event'] | null} */ (parseEvent(line));
    if (event === null) return;
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
    this.failure ??= failure;
    this.#wake();
    resolve();
  }

  #wake() {
    for (const look of [...this.watchers]) look();
  }

  /** @param {number | null} code @param {NodeJS.Signals | null} signal */
  #explainExit(code, signal) {
    const how = signal ? `was killed by ${signal}` : `ended with exit code ${code}`;
    const output = this.stderrTail.trim() ? ` Its last output: ${this.stderrTail.trim()}` : '';
    const where = this.hostName === null ? '' : ` on ${this.hostName}`;
    return new RunError(`The ${this.role}${where} ${how}.${output}`, {code: 'PB_ROLE_DIED'});
  }
}

/** Undeclared codes come from unexpected errors. @param {Failed} event @returns {PerfBattleError} */
function toError({code, message, exitCode}) {
  const known = Object.hasOwn(errorCodes, code);
  if (exitCode === 3)
    return new UnavailableError(message, {code: /** @type {CodeOf<3>} */ (known ? code : 'PB_UNAVAILABLE')});
  return new RunError(message, {code: /** @type {CodeOf<1>} */ (known ? code : 'PB_UNEXPECTED')});
}

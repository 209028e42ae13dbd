import {errorCodes, RunError, UnavailableError} from '../errors.js';
import {parseEvent} from '../protocol.js';
import {endInSteps, readLines} from './child-process.js';

/**
 * @import {CodeOf, PerfBattleError} from '../errors.js'
 * @import {Failed, LineName, Lines, RoleName} from '../messages.js'
 * @import {EventEmitter} from 'node:events'
 * @import {Readable, Writable} from 'node:stream'
 */

const stderrTailCharacters = 2000;
/** Additional characters that are kept, so that secrets are concealed before the text is cut. */
const stderrMarginCharacters = 2000;
const maxMessageCharacters = 4000;
/** The maximum number of events that wait to be taken. A role writes one event per control message. */
const maxEventsKept = 1000;

/**
 * A process of this host, or a process of another host that an agent relays. It emits `error` if it could not be started, and `close` with exit code and
 * signal when it has ended. It emits `lost` with an error when the other host is gone.
 * @typedef {EventEmitter & {stdin: Writable, stdout: Readable, stderr: Readable, kill: (signal: NodeJS.Signals) => boolean}} PipedProcess
 */

/**
 * Hides secrets in the output of a process: in a text, and in the texts of an event.
 * @typedef {{conceal: (text: string) => string, concealIn: <Event extends object>(event: Event) => Event}} Concealer
 */

/** @type {Concealer} */
const noSecrets = {conceal: (text) => text, concealIn: (event) => event};

/** The battle's side of the process of a role: its control channel, its events and its end. @template {LineName} [Role=RoleName] */
export class RoleProcess {
  /** @type {(event: any) => boolean} */
  #listener = () => false;

  /**
   * @param {PipedProcess} child with the control channel on its stdin
   * @param {Role} role
   * @param {string | null} [hostName] the other host on which the process runs; null: this host
   * @param {Concealer} [secrets]
   */
  constructor(child, role, hostName = null, secrets = noSecrets) {
    this.child = child;
    this.role = role;
    this.hostName = hostName;
    this.secrets = secrets;
    /** @type {Lines[Role]['event'][]} events that have not been taken yet */
    this.events = [];
    /** @type {Error | null} why no more events will come */
    this.failure = null;
    /** The cores for the main thread; null: any. @type {readonly number[] | null} */
    this.mainCores = null;
    /** The action that the battle waits for, worded to follow "did not"; null: none. @type {string | null} */
    this.awaited = null;
    this.stopping = false;
    this.hasEnded = false;
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
    readLines(
      child.stdout,
      (line) => this.#read(line),
      (reason) => this.#refuse(reason),
    );
    child.stderr.setEncoding('utf8').on('data', (text) => {
      this.stderrTail = (this.stderrTail + text).slice(-stderrTailCharacters - stderrMarginCharacters);
    });
    child.stdin.on('error', () => {});
  }

  /**
   * Passes events to a listener when they arrive. Events that the listener does not take are kept for `waitFor`.
   * @param {(event: Lines[Role]['event']) => boolean} listener returns whether it has taken the event
   */
  listen(listener) {
    this.#listener = listener;
  }

  /** @param {Lines[Role]['message']} message lost if the process has ended */
  send(message) {
    if (this.child.stdin.writable) this.child.stdin.write(`${JSON.stringify(message)}\n`);
  }

  /**
   * @template {Lines[Role]['event']} Wanted
   * @param {(event: Lines[Role]['event']) => event is Wanted} wanted @param {AbortSignal} signal
   * @returns {Promise<Wanted>} the next such event
   * @throws {PerfBattleError} the error that the role reported, or the way in which it ended
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
   * Ends the process by a `stop` message, then SIGTERM, then SIGKILL.
   * @param {{graceMs?: number}} [bounds] graceMs: the time between two steps
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
    if (this.#listener(event)) return;
    if (event.event === 'error')
      this.failure ??= toError(/** @type {Failed} */ (this.secrets.concealIn(event)));
    else if (this.events.length < maxEventsKept) this.events.push(this.secrets.concealIn(event));
    else return this.#refuse(`wrote ${maxEventsKept} events that it was not asked for`);
    this.#wake();
  }

  /** @param {string} what the forbidden action of the role, as a predicate */
  #refuse(what) {
    this.failure ??= new RunError(`The ${this.role}${this.#where} ${what}.`, {code: 'PB_ADAPTER'});
    this.#wake();
  }

  /** @template {Lines[Role]['event']} Event @param {Event} event */
  #take(event) {
    this.events.splice(this.events.indexOf(event), 1);
    return event;
  }

  /** @param {Error | null} failure @param {() => void} resolve */
  #end(failure, resolve) {
    this.hasEnded = true;
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
    const tail = this.secrets.conceal(this.stderrTail).slice(-stderrTailCharacters).trim();
    const output = tail ? ` Its last output: ${tail}` : '';
    return new RunError(`The ${this.role}${this.#where} ${how}.${output}`, {code: 'PB_ROLE_DIED'});
  }

  get #where() {
    return this.hostName === null ? '' : ` on ${this.hostName}`;
  }
}

/** Undeclared codes come from unexpected errors. @param {Failed} event */
function toError({code, message: said, exitCode}) {
  const message =
    typeof said === 'string' && said !== '' ? shorten(said) : 'It wrote an error without a message.';
  const known = Object.hasOwn(errorCodes, code);
  if (exitCode === 3)
    return new UnavailableError(message, {code: /** @type {CodeOf<3>} */ (known ? code : 'PB_UNAVAILABLE')});
  return new RunError(message, {code: /** @type {CodeOf<1>} */ (known ? code : 'PB_UNEXPECTED')});
}

/** @param {string} text */
function shorten(text) {
  return text.length <= maxMessageCharacters ? text : `${text.slice(0, maxMessageCharacters)} …`;
}

import {heartbeatEveryMs} from '../ending/heartbeat.js';
import {TimeLimitError, untilAborted, within} from '../measure/bounds.js';
import {endInSteps, readLines} from './child-process.js';

/**
 * @import {ChildProcessWithoutNullStreams} from 'node:child_process'
 * @import {AwakeRequest, Host, Hosts} from './types.js'
 */

const script = new URL('keep-awake.js', import.meta.url);
const startsWithinMs = 10_000;
const graceMs = 1000;
/** T types of EC2 earn CPU credits while they are idle. */
const isBurstable = /^t\d/;

/**
 * The cores that a battle keeps awake while it measures: a process on each host, which ends with the battle.
 */
export class AwakeCores {
  /** pid: null until it is ready. @type {Map<Host, {child: ChildProcessWithoutNullStreams, pid: number | null, exited: Promise<void>}>} */
  #loops = new Map();
  #isComplete = true;
  /** @type {NodeJS.Timeout | undefined} */
  #beat;

  /**
   * Starts what keeps them awake. Until `on`, they sleep. Unless a person wants it, cores of instances that pay for CPU time in credits sleep.
   * @param {Pick<Hosts, 'all' | 'placement'>} hosts @param {AwakeRequest} request
   */
  static async start(hosts, {wanted, instanceTypeOf, log, signal}) {
    const awake = new AwakeCores();
    awake.#beat = setInterval(() => awake.#tell('beat'), heartbeatEveryMs).unref();
    try {
      for (const host of wanted === 'sleeping' ? [] : hosts.all) {
        const used = hosts.placement.used(host);
        const type = instanceTypeOf(host);
        const refuse = (/** @type {string} */ reason) => {
          awake.#isComplete = false;
          log(`The cores of ${host.name} may sleep while it is measured: ${reason}.`);
        };
        if (wanted === null && used.length === 0) awake.#isComplete = false;
        else if (wanted === null && type && isBurstable.test(type))
          refuse(`a ${type} pays in CPU credits for what keeps them awake`);
        else await awake.#startOn(host, used.length > 0 ? used : null, {refuse, signal});
      }
    } catch (error) {
      await awake.end();
      throw error;
    }
    return awake;
  }

  /** Whether the cores of all hosts are kept awake. */
  get isAwake() {
    return this.#isComplete && this.#loops.size > 0;
  }

  /** @param {Host} host @returns {number | null} of the process that keeps its cores awake; null if there is none */
  pidOn(host) {
    return this.#loops.get(host)?.pid ?? null;
  }

  on() {
    this.#tell('on');
  }

  off() {
    this.#tell('off');
  }

  async end() {
    clearInterval(this.#beat);
    const ending = [...this.#loops.values()].map(({child, exited}) =>
      endInSteps(exited, [() => child.stdin.end(), () => child.kill('SIGKILL')], graceMs),
    );
    this.#loops.clear();
    await Promise.all(ending);
  }

  /**
   * @param {Host} host
   * @param {readonly number[] | null} cores null: all that it may use
   * @param {{refuse: (reason: string) => void, signal: AbortSignal}} deps
   */
  async #startOn(host, cores, {refuse, signal}) {
    const child = await host.startSupervisor(script, null);
    child.stdin.on('error', () => {});
    /** @type {Promise<void>} */
    const exited = new Promise((resolve) => {
      child.once('error', () => resolve());
      child.once('close', () => resolve());
    });
    /** @type {Promise<{event: string, pid?: number, reason?: string}>} */
    const answered = new Promise((resolve) => {
      const fail = (/** @type {string} */ reason) => resolve({event: 'failed', reason});
      const read = (/** @type {string} */ line) => {
        // Another host may greet with lines of its own.
        if (line.startsWith('{"event":')) resolve(JSON.parse(line));
      };
      readLines(child.stdout, read, fail);
      exited.then(() => fail('what keeps them awake ended'));
    });
    child.stderr.resume();
    child.stdin.write(`${JSON.stringify(cores)}\n`);
    this.#loops.set(host, {child, pid: null, exited});
    /** @type {Awaited<typeof answered>} */
    const answer = await within(startsWithinMs, signal, (soon) => untilAborted(answered, soon)).catch(
      (error) => {
        if (!(error instanceof TimeLimitError)) throw error;
        return {event: 'failed', reason: 'what keeps them awake did not start'};
      },
    );
    const {event, pid = null, reason = ''} = answer;
    if (event !== 'ready' || pid === null) {
      this.#loops.delete(host);
      refuse(reason);
      child.kill('SIGKILL');
      return await exited;
    }
    this.#loops.set(host, {child, pid, exited});
    exited.then(() => {
      if (this.#loops.delete(host)) refuse('what kept them awake has ended');
    });
  }

  /** @param {string} word */
  #tell(word) {
    for (const {child} of this.#loops.values()) if (child.stdin.writable) child.stdin.write(`${word}\n`);
  }
}

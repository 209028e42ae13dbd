import {setTimeout as sleep} from 'node:timers/promises';
import {RunError} from '../../errors.js';
import {untilAborted} from '../../measure/bounds.js';
import {readMainThread} from '../../measure/cores.js';
import {sendSignal} from '../../measure/system.js';

/**
 * @import {Step} from '../../faults/faults.js'
 * @import {RoleProcess} from '../../hosts/role-process.js'
 * @import {LoadContext} from './types.js'
 *
 * @typedef {RoleProcess<'server'>} Server
 */

/** A server with requests uses more CPU time than an idle one within this time. */
const watchedMs = 200;

/** The signal for each step that needs one. @type {Partial<Record<Step, NodeJS.Signals>>} */
const signals = {kill: 'SIGKILL', stop: 'SIGTERM', pause: 'SIGSTOP', resume: 'SIGCONT'};
/** The share of the time in which a slowed-down process runs. */
const slowShare = 0.1;
const slowEveryMs = 100;

/** What faults do to the processes of a load. A process that a fault has ended does not fail the load. */
export class LoadTargets {
  /** The server that the next fault hits. @type {Server | undefined} */
  #server = undefined;
  /** The processes that faults ended. @type {WeakSet<RoleProcess<any>>} */
  #ended = new WeakSet();
  #areDaemonsKilled = false;
  /** @type {WeakMap<Server, number>} */
  #pids = new WeakMap();
  #quicken = () => {};

  /** @param {Pick<LoadContext, 'hosts' | 'signal'>} context */
  constructor({hosts, signal}) {
    this.hosts = hosts;
    this.signal = signal;
    /** The pids of the daemons that the servers' programs named. @type {readonly number[]} */
    this.daemons = [];
  }

  /** @param {Server} server @param {number} pid on the server's host */
  note(server, pid) {
    this.#pids.set(server, pid);
  }

  /**
   * Selects the server that the next fault hits: the one that uses most CPU time, because others may have no requests.
   * @param {readonly Server[]} servers
   * @param {number} turn selects the server where the CPU times are unknown: a client that has lost a server uses another one
   */
  async selectServer(servers, turn) {
    this.#server = servers[turn % servers.length];
    if (servers.length < 2 || this.hosts.server.isRemote) return;
    const cpuMsOf = (/** @type {Server} */ server) =>
      readMainThread(undefined, `/proc/${this.#pids.get(server)}`).cpuMs ?? Number.NaN;
    const before = servers.map(cpuMsOf);
    await untilAborted(sleep(watchedMs), this.signal);
    const spentMs = servers.map((server, index) => cpuMsOf(server) - before[index]);
    const most = spentMs.indexOf(Math.max(...spentMs));
    if (most >= 0) this.#server = servers[most];
  }

  /** Applies a step to the selected server. @param {Step} step */
  async strikeServer(step) {
    const server = this.#server;
    if (!server) return;
    const ends = step === 'kill' || step === 'stop';
    if (ends) this.#ended.add(server);
    this.#signal(server, step);
    if (ends) await server.exited;
  }

  /** Applies a step to the consumer of a queue. @param {RoleProcess<'client'>} consumer @param {Step} step */
  async strikeConsumer(consumer, step) {
    this.refuseEnded([consumer]);
    if (step === 'kill') this.#ended.add(consumer);
    this.#signal(consumer, step);
    // All reports of the consumer are read when it has exited.
    if (step === 'kill') await consumer.exited;
  }

  /** @throws {RunError} when the server's program has named no daemon */
  killDaemons() {
    if (this.daemons.length === 0)
      throw new RunError(
        'The program of the server has named no daemon: its ready event has no daemons (perf-battle help adapter-contract).',
        {code: 'PB_ADAPTER'},
      );
    this.#areDaemonsKilled = true;
    const ended = this.daemons.find((pid) => !sendSignal(pid, 'SIGKILL'));
    if (ended !== undefined)
      throw new RunError(`The daemon ${ended} of the server's program had ended before the fault.`, {
        code: 'PB_ADAPTER',
      });
  }

  /** @param {readonly RoleProcess<any>[]} processes @throws {Error} when one of them has ended without a fault */
  refuseEnded(processes) {
    // Servers that lose the daemons of their program may end.
    if (this.#areDaemonsKilled) return;
    const lost = processes.find((one) => one.failure && !this.#ended.has(one));
    if (lost) throw lost.failure;
  }

  /** Lets a slowed-down process run again. */
  release() {
    this.#quicken();
    this.#quicken = () => {};
  }

  /** @param {RoleProcess<any>} role @param {Step} step */
  #signal({child}, step) {
    this.release();
    if (step === 'slow') {
      this.#quicken = slowDown(child);
      return;
    }
    const signal = signals[step];
    if (signal === undefined) throw new TypeError(`${step} cannot be done to a role.`);
    child.kill(signal);
  }
}

/** Stops a process most of the time. @param {Pick<Server['child'], 'kill'>} child @returns {() => void} lets the process run again */
function slowDown(child) {
  let still = setTimeout(() => {}, 0);
  const turn = setInterval(() => {
    child.kill('SIGCONT');
    still = setTimeout(() => child.kill('SIGSTOP'), slowShare * slowEveryMs);
  }, slowEveryMs);
  child.kill('SIGSTOP');
  return () => {
    clearInterval(turn);
    clearTimeout(still);
    child.kill('SIGCONT');
  };
}

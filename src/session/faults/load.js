import {setTimeout as sleep} from 'node:timers/promises';
import {allOf, answerOf} from '../../battle/roles.js';
import {RunError} from '../../errors.js';
import {TimeLimitError, untilAborted, within} from '../../measure/bounds.js';
import {monotonicMs} from '../../measure/clock.js';
import {readMainThread} from '../../measure/cores.js';
import {decodeLog} from '../../measure/message-log.js';
import {sendSignal} from '../../measure/system.js';
import {splitAddress} from '../../net/address.js';
import {inPhase, named} from '../../protocol.js';
import {Consumption} from './consumption.js';
import {configure, startRole} from './row-roles.js';
import {loadWorkloadOf} from './rows.js';

/**
 * @import {Roles} from '../../battle/types.js'
 * @import {Step} from '../../faults/faults.js'
 * @import {Row} from '../../faults/found.js'
 * @import {RoleProcess} from '../../hosts/role-process.js'
 * @import {Log} from '../../measure/message-log.js'
 * @import {ClientEvent, ClientMessage, RoleEvent, RoleName, ServerReady} from '../../messages.js'
 * @import {BattleValues} from '../../settings/index.js'
 * @import {LoadContext, LoadSettings} from './types.js'
 */

/** How long the report of a client may take after the timeout of its open messages. Its log has some megabytes. */
const reportWithinMs = 30_000;
/** A server notices immediately that it has lost its broker. */
const endWithinMs = 10_000;

/** One-way messages that no broker holds are in the buffers of sockets. They have all arrived if none has arrived for this time. */
const directMs = 1000;
/** A broker that redelivers after a time does it this long after the return of its target. Sooner, it would send a paused server its messages twice. */
const redeliverAfterMs = 4000;
/** All one-way messages arrive within this time after a load, unless they are lost. */
const arriveWithinMs = 120_000;
const arrivalCheckMs = 20;
const backWithinMs = 30_000;
/** How long a client may take to connect, and more for each subscriber, which connect one after the other. */
const connectWithinMs = 20_000;
const connectEachMs = 1000;

/** A server with requests uses more CPU time than an idle one within this time. */
const watchedMs = 200;

/** The signal for each step that needs one. @type {Partial<Record<Step, NodeJS.Signals>>} */
const signals = {kill: 'SIGKILL', stop: 'SIGTERM', pause: 'SIGSTOP', resume: 'SIGCONT'};
/** The share of the time in which a slowed-down process runs. */
const slowShare = 0.1;
const slowEveryMs = 100;

const isConsumed = inPhase('consumed');

/** The processes of a row under a steady load. */
export class SteadyLoad {
  /**
   * @param {Row} row @param {LoadContext} context @param {LoadSettings} load
   * @param {{keepsStore?: boolean, isConsumed?: boolean, programMs?: number, restartAfterMs?: number}} [how] keepsStore: whether the queue is kept at the
   *   end of the load, which is the default; isConsumed: whether a consumer takes messages out of the queue during the load; programMs: the length of a
   *   load of programs; restartAfterMs: how long a target of the fault is away
   */
  constructor(
    row,
    context,
    load,
    {keepsStore = true, isConsumed = false, programMs = 0, restartAfterMs = 0} = {},
  ) {
    this.redeliverMs = restartAfterMs + redeliverAfterMs;
    this.programMs = programMs;
    /** The pids of the daemons that the servers' programs named. @type {readonly number[]} */
    this.daemons = [];
    this.keepsStore = keepsStore;
    this.isConsumed = isConsumed;
    /** Whether the servers report the one-way messages that arrive, rather than a process with all subscribers. */
    this.isHeardAtServers = row.isOneWay === true && row.subscribers === undefined;
    this.consumption =
      isConsumed || row.isOneWay ? new Consumption({areParallel: this.isHeardAtServers}) : null;
    /** Why the load is of no use. @type {Error | null} */
    this.failure = null;
    /** The server that the next fault hits. @type {RoleProcess<'server'> | undefined} */
    this.target = undefined;
    /** Servers that faults ended. @type {Set<RoleProcess<'server'>>} */
    this.ended = new Set();
    this.areDaemonsKilled = false;
    /** @type {WeakMap<RoleProcess<'server'>, number>} */
    this.pids = new WeakMap();
    /** @type {RoleProcess<'client'> | null} */
    this.consumer = null;
    this.isConsumerKilled = false;
    this.row = row;
    this.context = context;
    this.load = load;
    /** @type {Roles} */
    this.roles = {servers: [], clients: []};
    /** The host:port of each server; null for a server behind a broker. @type {readonly (string | null)[]} */
    this.addresses = [];
    this.quicken = () => {};
  }

  async open() {
    const {row} = this;
    // A broker copies messages for subscribers without a server.
    const needsServer = !row.stores && (row.subscribers === undefined || row.broker === null);
    const servers = needsServer ? Number(row.variant.servers ?? 0) : 0;
    for (let index = 0; index < servers; index += 1) this.roles.servers.push(await this.#spawnServer());
    const client = await this.#spawn('client');
    this.roles.clients.push(client);
    if (row.subscribers !== undefined) this.#hear(client);
    const ready = await this.#configure(this.roles, loadWorkloadOf(row));
    const ofServers = /** @type {ServerReady[]} */ (ready.slice(0, this.roles.servers.length));
    this.addresses = ofServers.map(({address}) => address ?? null);
    this.daemons = ofServers.flatMap(({daemons = []}) => daemons);
    const connectMs = connectWithinMs + (row.subscribers ?? 0) * connectEachMs;
    await this.#ask(this.#client, {type: 'start'}, inPhase('warm'), 'connect', connectMs);
    if (this.isConsumed) await this.#startConsumer();
  }

  async begin() {
    await this.#ask(this.#client, {type: 'go', inSlices: true}, inPhase('measuring'), 'begin');
  }

  /**
   * Ends the load and its processes. Servers of one-way messages live on, until `receiveRest`.
   * @returns {Promise<Log>} the outcome of each message, as far as its sender knows
   */
  async end() {
    const {timeoutMs} = this.context.values;
    if (this.failure) throw this.failure;
    // Servers that lose their broker, or the daemons of their program, may end.
    if (this.row.broker === null && !this.areDaemonsKilled) this.refuseEndedServers();
    const result = await this.#ask(
      this.#client,
      {type: 'end'},
      named('result'),
      'report',
      reportWithinMs + timeoutMs,
    );
    await this.#endConsumer();
    const log = result.account?.log;
    if (!log) throw new RunError('The client of a steady load reported no log.', {code: 'PB_RUN'});
    if (!this.isHeardAtServers) await this.close();
    return decodeLog(log);
  }

  /** Lets servers receive what is on its way after the load, also ended servers if a broker may hold messages for them. @param {Pick<Log, 'messages'>} log */
  async receiveRest({messages}) {
    if (!this.isHeardAtServers) return;
    if (this.row.broker !== null) await this.#startServers();
    await this.#untilAllArrived(messages);
    await this.close();
  }

  async close() {
    this.quicken();
    await Promise.all([...allOf(this.roles), this.consumer].map((role) => role?.stop()));
  }

  /** @throws {Error} when a server has ended without a fault */
  refuseEndedServers() {
    const lost = this.roles.servers.find((server) => server.failure && !this.ended.has(server));
    if (lost) throw lost.failure;
  }

  /**
   * Selects the server that the next fault hits: the one that uses most CPU time, because others may have no requests.
   * @param {number} turn selects the server where the CPU times are unknown: a client that has lost a server uses another one
   */
  async selectServer(turn) {
    const {servers} = this.roles;
    this.target = servers[turn % servers.length];
    if (servers.length < 2 || this.context.hosts.server.isRemote) return;
    const cpuMsOf = (/** @type {RoleProcess<'server'>} */ server) =>
      readMainThread(undefined, `/proc/${this.pids.get(server)}`).cpuMs ?? Number.NaN;
    const before = servers.map(cpuMsOf);
    await untilAborted(sleep(watchedMs), this.context.signal);
    const spentMs = servers.map((server, index) => cpuMsOf(server) - before[index]);
    const most = spentMs.indexOf(Math.max(...spentMs));
    if (most >= 0) this.target = servers[most];
  }

  /** Applies a step to the selected server. @param {Step} step */
  async strike(step) {
    if (step === 'start') return await this.#startServers();
    const server = this.target;
    if (!server) return;
    const ends = step === 'kill' || step === 'stop';
    if (ends) this.ended.add(server);
    this.#signal(server, step);
    if (ends) await server.exited;
  }

  /** @param {RoleProcess<any>} role @param {Step} step */
  #signal({child}, step) {
    this.quicken();
    this.quicken = () => {};
    if (step === 'slow') {
      this.quicken = slowDown(child);
      return;
    }
    const signal = signals[step];
    if (signal === undefined) throw new TypeError(`${step} cannot be done to a role.`);
    child.kill(signal);
  }

  /** @throws {RunError} when the server's program has named no daemon */
  async killDaemons() {
    if (this.daemons.length === 0)
      throw new RunError(
        'The program of the server has named no daemon: its ready event has no daemons (perf-battle help adapter-contract).',
        {code: 'PB_ADAPTER'},
      );
    this.areDaemonsKilled = true;
    const ended = this.daemons.find((pid) => !sendSignal(pid, 'SIGKILL'));
    if (ended !== undefined)
      throw new RunError(`The daemon ${ended} of the server's program had ended before the fault.`, {
        code: 'PB_ADAPTER',
      });
  }

  /** Applies a step to the consumer. @param {Step} step */
  async strikeConsumer(step) {
    const {consumer} = this;
    if (!consumer) throw new TypeError('This load has no consumer.');
    if (step === 'start') return await this.#startConsumer();
    this.#refuseDeadConsumer();
    if (step === 'kill') this.isConsumerKilled = true;
    this.#signal(consumer, step);
    // All reports of the consumer are read when it has exited.
    if (step === 'kill') await consumer.exited;
  }

  /** Waits at most `endWithinMs` until the servers have ended because they lost their broker. */
  async untilServersEnded() {
    const ended = Promise.all(this.roles.servers.map(({exited}) => exited));
    try {
      await within(endWithinMs, this.context.signal, (soon) => untilAborted(ended, soon));
    } catch (error) {
      if (!(error instanceof TimeLimitError)) throw error;
    }
  }

  /** Waits until the consumer, or all subscribers, have a new message, for a limited time: they may not be served at once. */
  async untilReceivedAgain() {
    if (!this.consumption || this.isHeardAtServers) return;
    const {consumption, context} = this;
    const {size} = consumption.finishedMs;
    const endMs = monotonicMs() + backWithinMs;
    while (consumption.finishedMs.size === size && monotonicMs() < endMs)
      await untilAborted(sleep(arrivalCheckMs), context.signal);
  }

  /** Restarts each ended server at its port, like the service manager of a host. */
  async #startServers() {
    for (const [index, server] of this.roles.servers.entries()) {
      if (server.failure === null) continue;
      const fresh = await this.#spawnServer();
      this.roles.servers[index] = fresh;
      const address = this.addresses[index];
      const port = address === null ? 0 : splitAddress(address).port;
      await this.#configure({servers: [fresh], clients: []}, loadWorkloadOf(this.row), {serverPort: port});
    }
  }

  async #startConsumer() {
    const consumer = await this.#spawn('client');
    this.consumer = consumer;
    this.isConsumerKilled = false;
    this.#hear(consumer);
    await this.#configure({servers: [], clients: [consumer]}, 'account/consume');
    await this.#ask(consumer, {type: 'start'}, inPhase('warm'), 'connect');
    await this.#ask(consumer, {type: 'go', inSlices: true}, inPhase('measuring'), 'begin');
  }

  /** Lets the consumer finish the messages that it has. A killed consumer that was not restarted has already ended. */
  async #endConsumer() {
    const {consumer} = this;
    this.#refuseDeadConsumer();
    if (consumer === null || consumer.hasEnded) return;
    await this.#ask(consumer, {type: 'end'}, named('result'), 'finish', reportWithinMs);
  }

  /** @throws {Error} when the consumer has ended without a fault */
  #refuseDeadConsumer() {
    const {consumer, isConsumerKilled} = this;
    if (consumer?.failure && !isConsumerKilled) throw consumer.failure;
  }

  get #client() {
    return this.roles.clients[0];
  }

  async #spawnServer() {
    const server = await this.#spawn('server');
    if (this.isHeardAtServers) this.#hear(server);
    return server;
  }

  /** Collects the reports of a receiver of messages. @param {RoleProcess<any>} receiver */
  #hear(receiver) {
    const isServer = this.isHeardAtServers && receiver !== this.consumer;
    const isElsewhere = isServer && this.context.hosts.server.isRemote;
    receiver.listen((/** @type {RoleEvent} */ event) => {
      if (!isConsumed(event)) return false;
      // The clock of another host differs.
      this.consumption?.add(receiver, isElsewhere ? {...event, atMs: monotonicMs()} : event);
      return true;
    });
  }

  /**
   * Waits until all one-way messages have arrived, or none has arrived for some time: a broker may deliver what it has after a server's return.
   * @param {number} messages
   */
  async #untilAllArrived(messages) {
    const {consumption, context, row} = this;
    const {signal, values} = context;
    if (!consumption) return;
    const patienceMs =
      row.broker === null ? directMs : Math.max(values.timeoutMs, this.redeliverMs + directMs);
    const endMs = monotonicMs() + arriveWithinMs;
    let sinceMs = monotonicMs();
    while (consumption.finishedMs.size < messages && monotonicMs() < Math.min(endMs, sinceMs + patienceMs)) {
      await untilAborted(sleep(arrivalCheckMs), signal);
      sinceMs = Math.max(sinceMs, consumption.lastMs);
    }
  }

  /** @template {RoleName} Role @param {Role} role */
  async #spawn(role) {
    return await startRole(this.row, this.context.hosts, role);
  }

  /** @param {Roles} roles @param {string} workload @param {Partial<BattleValues>} [values] */
  async #configure(roles, workload, values = {}) {
    const context = {...this.context, values: {...this.context.values, ...values}};
    const ready = await configure(this.row, context, {
      roles,
      workload,
      settings: {
        ...this.load,
        resend: this.row.resend ?? false,
        findsQueue: true,
        keepsStore: this.keepsStore,
        ...(this.row.isOneWay && {redeliverMs: this.redeliverMs}),
        ...(this.row.subscribers !== undefined && {quietMs: quietMsOf(this.row)}),
      },
      programMs: this.programMs,
    });
    for (const [index, server] of roles.servers.entries()) this.pids.set(server, ready[index].pid);
    return ready;
  }

  /**
   * @template {ClientEvent} Wanted @param {RoleProcess<'client'>} client @param {ClientMessage} message
   * @param {(event: ClientEvent) => event is Wanted} wanted @param {string} what the expected action, worded to follow "did not" @param {number} [ms]
   */
  async #ask(client, message, wanted, what, ms) {
    client.send(message);
    return await answerOf(client, wanted, {what, signal: this.context.signal, ...(ms !== undefined && {ms})});
  }
}

/** Returns how long after the last copy all copies have arrived. @param {Row} row */
function quietMsOf({broker}) {
  return broker === null ? directMs : redeliverAfterMs + directMs;
}

/** Stops a process most of the time. @param {Pick<RoleProcess<'server'>['child'], 'kill'>} child @returns {() => void} lets the process run again */
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

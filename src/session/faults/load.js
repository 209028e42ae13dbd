import {setTimeout as sleep} from 'node:timers/promises';
import {allOf, answerOf} from '../../battle/roles.js';
import {RunError} from '../../errors.js';
import {TimeLimitError, untilAborted, within} from '../../measure/bounds.js';
import {monotonicMs} from '../../measure/clock.js';
import {decodeLog} from '../../measure/message-log.js';
import {splitAddress} from '../../net/address.js';
import {inPhase, named} from '../../protocol.js';
import {Consumption} from './consumption.js';
import {LoadTargets} from './load-targets.js';
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
    this.keepsStore = keepsStore;
    this.isConsumed = isConsumed;
    /** Whether the servers report the one-way messages that arrive, rather than a process with all subscribers. */
    this.isHeardAtServers = row.isOneWay === true && row.subscribers === undefined;
    this.consumption =
      isConsumed || row.isOneWay ? new Consumption({areParallel: this.isHeardAtServers}) : null;
    /** Why the load is of no use. @type {Error | null} */
    this.failure = null;
    this.targets = new LoadTargets(context);
    /** @type {RoleProcess<'client'> | null} */
    this.consumer = null;
    this.row = row;
    this.context = context;
    this.load = load;
    /** @type {Roles} */
    this.roles = {servers: [], clients: []};
    /** The host:port of each server; null for a server behind a broker. @type {readonly (string | null)[]} */
    this.addresses = [];
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
    this.targets.daemons = ofServers.flatMap(({daemons = []}) => daemons);
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
    // Servers that lose their broker may end.
    if (this.row.broker === null) this.refuseEndedServers();
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
    this.targets.release();
    await Promise.all([...allOf(this.roles), this.consumer].map((role) => role?.stop()));
  }

  /** @throws {Error} when a server has ended without a fault */
  refuseEndedServers() {
    this.targets.refuseEnded(this.roles.servers);
  }

  /** Selects the server that the next fault hits. @param {number} turn as in `LoadTargets` */
  async selectServer(turn) {
    await this.targets.selectServer(this.roles.servers, turn);
  }

  /** Applies a step to the selected server. @param {Step} step */
  async strike(step) {
    await (step === 'start' ? this.#startServers() : this.targets.strikeServer(step));
  }

  async killDaemons() {
    this.targets.killDaemons();
  }

  /** Applies a step to the consumer. @param {Step} step */
  async strikeConsumer(step) {
    const {consumer} = this;
    if (!consumer) throw new TypeError('This load has no consumer.');
    await (step === 'start' ? this.#startConsumer() : this.targets.strikeConsumer(consumer, step));
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
    this.#hear(consumer);
    await this.#configure({servers: [], clients: [consumer]}, 'account/consume');
    await this.#ask(consumer, {type: 'start'}, inPhase('warm'), 'connect');
    await this.#ask(consumer, {type: 'go', inSlices: true}, inPhase('measuring'), 'begin');
  }

  /** Lets the consumer finish the messages that it has. A killed consumer that was not restarted has already ended. */
  async #endConsumer() {
    const {consumer} = this;
    if (consumer === null) return;
    this.targets.refuseEnded([consumer]);
    if (consumer.hasEnded) return;
    await this.#ask(consumer, {type: 'end'}, named('result'), 'finish', reportWithinMs);
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
    for (const [index, server] of roles.servers.entries()) this.targets.note(server, ready[index].pid);
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

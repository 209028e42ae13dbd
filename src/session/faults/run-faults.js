import {setTimeout as sleep} from 'node:timers/promises';
import {whyNoDisk} from '../../brokers/disk.js';
import {brokerKindNamed} from '../../brokers/index.js';
import {provisionBroker} from '../../brokers/provision.js';
import {failureOf, RunError} from '../../errors.js';
import {accountOf} from '../../faults/account.js';
import {faultNamed} from '../../faults/faults.js';
import {outageOf} from '../../faults/outage.js';
import {timelineOf} from '../../faults/timeline.js';
import {LocalHost} from '../../hosts/local.js';
import {monotonicMs} from '../../measure/clock.js';
import {splitAddress} from '../../net/address.js';
import {randomSource} from '../../payload/random.js';
import {cutConnections, whyNoCut} from './cut-connections.js';
import {gatherEvidence} from './evidence.js';
import {drain, SteadyLoad} from './load.js';

/**
 * @import {Broker} from '../../brokers/kind.js'
 * @import {FaultSettings} from '../../settings/index.js'
 * @import {Log} from '../../measure/message-log.js'
 * @import {FaultName, Fault, Step} from '../../faults/faults.js'
 * @import {Drained, LoadContext, LoadSettings} from './load.js'
 * @import {FoundFaults, FoundOfFault, FoundOfRow, NotTried, Row, Try} from '../../faults/found.js'
 */

/** The size of the private broker's disk: RabbitMQ needs some 50 MB for itself, and 50 MB must stay free. */
const diskBytes = 768 * 1024 ** 2;
/** Rows whose loads run at the same time on one broker, which takes seconds to start. Each has a process of its own. Without a broker, one is enough. */
const rowsAtOnce = 6;
/** A broker that has just declared a queue needs a moment before a power cut shows what its messages are worth, and not its own records. */
const settleMs = 2500;
const beforeMs = 2000;
/** After a fault, until the next one or the end. */
const afterMs = 3000;
/** Between two power cuts, at random. */
const betweenCutsMs = {from: 300, to: 1000};
/** What the broker has sent, and its clients have not read yet, when it is stopped for a power cut. */
const inFlightMs = 50;
/** RabbitMQ looks at its disk every 10 s, by default. */
const alarmWithinMs = 60_000;

/**
 * @typedef {object} FaultRun
 * @property {string} id part of the names of queues
 * @property {readonly Row[]} rows
 * @property {FaultSettings} settings
 * @property {LoadSettings} load
 * @property {(line: string) => void} note
 * @property {(found: {row: Row, found: FoundOfFault}) => Promise<void>} save is called when a fault was done to a row
 * @property {AbortSignal} signal
 */

/**
 * Does faults to the parts of each row under a steady load, and accounts for every message. The brokers are private ones, which are removed at the end.
 * @param {FaultRun} run
 * @returns {Promise<FoundFaults>} without a broker, only the rows that need it fail
 */
export async function runFaults(run) {
  const {id, rows, settings, signal} = run;
  const noDisk = await whyNoDisk();
  const asked = settings.values.fault.filter((name) => rows.some((row) => applies(name, row)));
  const notTried = await findImpossible(asked, noDisk);
  const tried = asked.filter((name) => notTried.every(({fault}) => fault !== name));
  /** @type {FoundOfRow[]} */
  const found = rows.map((row) => ({row, evidence: null, faults: [], error: null}));
  /** @type {Record<string, string | null>} */
  const versions = {};
  for (const kind of new Set(rows.map(({broker}) => broker))) {
    const own = found.filter(({row}) => row.broker === kind);
    /** @type {Broker | null} */
    let broker = null;
    try {
      broker = kind === null ? null : await startBroker(kind, run, noDisk === null);
      Object.assign(versions, broker?.versions);
      await new FaultsOfBroker(run, {id, broker, hasDisk: noDisk === null, own}).run(tried);
    } catch (error) {
      signal.throwIfAborted();
      for (const one of own) one.error ??= failureOf(error);
    } finally {
      await broker?.release();
    }
  }
  return {rows: found, notTried, versions};
}

/** @param {readonly FaultName[]} asked @param {string | null} noDisk why there is none @returns {Promise<NotTried[]>} */
async function findImpossible(asked, noDisk) {
  const noCut = await whyNoCut();
  return asked.flatMap((fault) => {
    const {isCut, untilAlarm, target} = faultNamed(fault);
    const needed = isCut || untilAlarm ? noDisk : target === 'connection' ? noCut : null;
    return needed === null ? [] : [{fault, why: `it needs ${needed}`}];
  });
}

/** @param {string} name @param {FaultRun} run @param {boolean} hasDisk */
async function startBroker(name, {note, signal}, hasDisk) {
  const kind = brokerKindNamed(name);
  return await provisionBroker(kind, {
    ...{choice: 'private', given: null, log: note, signal},
    ...(hasDisk && {diskBytes}),
  });
}

/** Whether a fault has a target in a row. @param {FaultName} name @param {Row} row */
export function applies(name, {stores, broker}) {
  const {target} = faultNamed(name);
  if (target === 'connection') return true;
  return target === 'broker' ? broker !== null : !stores;
}

/** The faults of the rows that share a broker, or need none. */
class FaultsOfBroker {
  /**
   * @param {FaultRun} run
   * @param {{id: string, broker: Broker | null, hasDisk: boolean, own: FoundOfRow[]}} what
   */
  constructor({settings, load, note, save, signal}, {id, broker, hasDisk, own}) {
    this.settings = settings;
    this.load = load;
    this.note = note;
    this.save = save;
    this.signal = signal;
    this.id = id;
    this.broker = broker;
    this.hasDisk = hasDisk;
    this.own = own;
    this.host = new LocalHost();
    this.random = randomSource(settings.values.seed, 'times of faults');
    this.phases = 0;
  }

  /** @param {readonly FaultName[]} asked */
  async run(asked) {
    await this.#gatherEvidence();
    for (const name of asked) {
      const hit = this.own.filter(({row, error}) => applies(name, row) && error === null);
      const together = this.broker ? rowsAtOnce : 1;
      for (let first = 0; first < hit.length; first += together)
        await this.#phase(name, hit.slice(first, first + together));
    }
  }

  /** One row after the other: what the broker writes must be for the messages of this one. */
  async #gatherEvidence() {
    const {broker, signal} = this;
    if (broker === null) return;
    for (const found of this.own) {
      const {row} = found;
      if (!row.stores) continue;
      this.note(`${nameOf(row)}: what an acknowledgement is worth`);
      this.phases += 1;
      await this.#guarded([found], async () => {
        found.evidence = await gatherEvidence(row, {...this.#contextOf(row), broker, signal}, this.load);
      });
    }
  }

  /**
   * One fault, done to rows under load at the same time.
   * @param {FaultName} name
   * @param {FoundOfRow[]} hit
   */
  async #phase(name, hit) {
    const fault = faultNamed(name);
    this.phases += 1;
    this.note(`${name}: ${hit.map(({row}) => nameOf(row)).join(', ')}`);
    const loads = hit.map(({row}) => new SteadyLoad(row, this.#contextOf(row), this.load));
    try {
      await this.#guarded(hit, () => Promise.all(loads.map((load) => load.open())));
      if (hit.some(({error}) => error !== null)) return;
      if (this.broker) await this.#sleep(settleMs);
      if (this.hasDisk && this.broker) await this.broker.perform?.({type: 'sync'});
      await Promise.all(loads.map((load) => load.begin()));
      await this.#sleep(beforeMs);
      const strikes = fault.isCut ? await this.#cutPower() : await this.#strike(fault, loads);
      const endMs = monotonicMs();
      const logs = await Promise.all(loads.map((load) => load.end()));
      const tries = fault.isCut
        ? await this.#accountForCuts(hit, logs, strikes)
        : await this.#account(hit, logs, {strikes, endMs});
      for (const [index, found] of hit.entries()) {
        const timeline = timelineOf(logs[index], strikes);
        const done = {fault: name, tries: tries[index], timeline};
        found.faults.push(done);
        await this.save({row: found.row, found: done});
      }
    } catch (error) {
      this.signal.throwIfAborted();
      for (const found of hit) found.error ??= failureOf(error);
    } finally {
      await Promise.all(loads.map((load) => load.close()));
    }
  }

  /**
   * @param {Fault} fault
   * @param {readonly SteadyLoad[]} loads
   * @returns {Promise<Strike[]>}
   */
  async #strike({target, steps, after, untilAlarm = false}, loads) {
    /** @type {Strike[]} */
    const strikes = [];
    const {tries, restartAfterMs} = this.settings.values;
    const perform = async (/** @type {Step} */ step, /** @type {number} */ turn) => {
      if (target === 'broker') await this.broker?.perform?.({type: step});
      else await Promise.all(loads.map((load) => load.strike(step, turn)));
    };
    for (let count = 0; count < tries; count += 1) {
      const fromMs = monotonicMs();
      if (target === 'connection') await cutConnections(this.#portsOf(loads));
      for (const step of steps) await perform(step, count);
      if (untilAlarm) await this.#untilAlarm(true);
      if (after.length > 0) await this.#sleep(restartAfterMs);
      for (const step of after) await perform(step, count);
      if (untilAlarm) await this.#untilAlarm(false);
      const losesServers =
        target === 'connection' || steps.some((step) => step === 'kill' || step === 'stop');
      if (losesServers && target !== 'server' && this.broker) await this.#startServers(loads);
      strikes.push({fromMs, untilMs: monotonicMs()});
      await this.#sleep(afterMs);
    }
    return strikes;
  }

  /** Waits until the broker says that it takes no messages, or that it takes them again. @param {boolean} isWanted */
  async #untilAlarm(isWanted) {
    const broker = /** @type {Broker} */ (this.broker);
    const {readAlarm} = await brokerKindNamed(broker.kind).load();
    if (!readAlarm) throw new RunError(`${broker.label} does not say whether it takes messages.`);
    const deadline = performance.now() + alarmWithinMs;
    for (;;) {
      const reason = await readAlarm(broker.connection, {timeoutMs: 5000, signal: this.signal});
      if ((reason !== null) === isWanted)
        return reason && this.note(`The broker takes no messages: ${reason}`);
      if (performance.now() > deadline)
        throw new RunError(
          `The broker ${isWanted ? 'goes on' : 'does not go on'} to take messages after ${alarmWithinMs / 1000} s.`,
        );
      await this.#sleep(200);
    }
  }

  /** @param {readonly SteadyLoad[]} loads @returns {number[]} where their clients connect to */
  #portsOf(loads) {
    if (this.broker) return [this.broker.connection.port];
    return loads
      .flatMap(({addresses}) => addresses.flatMap((address) => address ?? []))
      .map((address) => splitAddress(address).port);
  }

  /** Servers that use the broker end with their connections to it. @param {readonly SteadyLoad[]} loads */
  async #startServers(loads) {
    const asking = loads.filter(({row}) => !row.stores);
    await Promise.all(
      asking.map(async (load) => {
        await load.untilServersEnded();
        await load.strike('start');
      }),
    );
  }

  /** @returns {Promise<Strike[]>} the disk of the broker, as a power cut would have left it, at random times */
  async #cutPower() {
    const broker = /** @type {Broker & {perform: NonNullable<Broker['perform']>}} */ (this.broker);
    /** @type {Strike[]} */
    const strikes = [];
    const {from, to} = betweenCutsMs;
    for (let count = 0; count < this.settings.values.tries; count += 1) {
      await this.#sleep(from + this.random() * (to - from));
      // What was sent before it stood still may have reached it.
      const {atMs: fromMs} = await broker.perform({type: 'pause'});
      try {
        const {copy = 0} = await broker.perform({type: 'copy'});
        await this.#sleep(inFlightMs);
        strikes.push({fromMs, untilMs: monotonicMs(), copy});
      } finally {
        await broker.perform({type: 'resume'});
      }
    }
    return strikes;
  }

  /**
   * @param {FoundOfRow[]} hit
   * @param {readonly Log[]} logs
   * @param {{strikes: readonly Strike[], endMs: number}} phase
   * @returns {Promise<Try[][]>} of each row
   */
  async #account(hit, logs, {strikes, endMs}) {
    const drained = await this.#drainAll(hit, {keepsStore: false});
    return hit.map((_, index) =>
      strikes.map(({fromMs, untilMs}, number) => {
        const next = strikes[number + 1];
        const outage = outageOf(logs[index], {fromMs, untilMs, endMs: next ? next.fromMs : endMs});
        const hit = {sentMs: fromMs, settledMs: untilMs};
        return {...(next ? nothingRead : tryOf(logs[index], drained[index], hit)), outage};
      }),
    );
  }

  /**
   * Starts the broker on each copy of its disk, and reads the queues.
   * @param {FoundOfRow[]} hit
   * @param {readonly Log[]} logs
   * @param {readonly Strike[]} cuts
   * @returns {Promise<Try[][]>} of each row
   */
  async #accountForCuts(hit, logs, cuts) {
    const broker = /** @type {Broker & {perform: NonNullable<Broker['perform']>}} */ (this.broker);
    /** @type {Try[][]} */
    const tries = hit.map(() => []);
    for (const [number, {fromMs, untilMs, copy = 0}] of cuts.entries()) {
      this.note(`power cut ${number + 1} of ${cuts.length}: the broker starts on what it left`);
      await broker.perform({type: 'kill'});
      await broker.perform({type: 'use', copy});
      const failure = await broker.perform({type: 'start'}).then(
        () => null,
        (error) => `the broker does not return: ${firstLine(error)}`,
      );
      const drained =
        failure === null ? await this.#drainAll(hit, {keepsStore: true}) : hit.map(() => failure);
      for (const [index, own] of tries.entries())
        own.push(tryOf(logs[index], drained[index], {sentMs: fromMs, settledMs: untilMs, isCut: true}));
      this.signal.throwIfAborted();
    }
    return tries;
  }

  /** @param {FoundOfRow[]} hit @param {{keepsStore: boolean}} how @returns {Promise<(Drained | string | null)[]>} string: why it is unavailable; null: it has no queue */
  async #drainAll(hit, how) {
    return await Promise.all(
      hit.map(async ({row}) => {
        if (!row.stores) return null;
        try {
          return await drain(row, this.#contextOf(row), how);
        } catch (error) {
          this.signal.throwIfAborted();
          return `the queue is unavailable: ${firstLine(error)}`;
        }
      }),
    );
  }

  /** @param {FoundOfRow[]} hit @param {() => Promise<unknown>} work */
  async #guarded(hit, work) {
    try {
      await work();
    } catch (error) {
      this.signal.throwIfAborted();
      for (const found of hit) found.error ??= failureOf(error);
    }
  }

  /** @param {Row} row @returns {LoadContext} */
  #contextOf(row) {
    const {host, broker, signal} = this;
    const {values} = this.settings;
    return {host, broker, values, signal, names: namesFor(row, `${this.id}-${this.phases}-${row.number}`)};
  }

  /** @param {number} ms */
  async #sleep(ms) {
    await sleep(ms, undefined, {signal: this.signal}).catch(() => {});
    this.signal.throwIfAborted();
  }
}

/** @typedef {{fromMs: number, untilMs: number, copy?: number}} Strike */

/** @type {Omit<Try, 'outage'>} */
const nothingRead = {account: null, atRisk: null, unavailable: null, arrival: null};

/**
 * @param {Log} log
 * @param {Drained | string | null} drained string: why it was not possible; null: there is no queue
 * @param {{sentMs: number, settledMs: number, isCut?: boolean}} hit what was sent and confirmed by then was hit; isCut: nothing else can be there
 * @returns {Try}
 */
function tryOf(log, drained, {isCut = false, ...hit}) {
  if (typeof drained === 'string') return {...nothingRead, outage: null, unavailable: drained};
  const received = drained?.received ?? null;
  const atRisk = accountOf(log, received, hit);
  return {
    account: isCut ? atRisk : accountOf(log, received),
    atRisk,
    outage: null,
    unavailable: null,
    arrival: drained && arrivalOf(drained),
  };
}

/** @param {Drained} drained */
function arrivalOf({duplicated, reordered, corrupted}) {
  return {duplicated, reordered, corrupted};
}

/**
 * @param {Row} row
 * @param {string} pair
 * @returns {Record<string, string>} by the keys of the options of the row's kind of broker
 */
function namesFor({broker}, pair) {
  if (broker === null) return {pair};
  const own = brokerKindNamed(broker).nameOptions.map(({key, default: name}) => [key, `${name}-${pair}`]);
  return {...Object.fromEntries(own), pair};
}

/** How a row is named in lines of progress. @param {Row} row */
export function nameOf({labels: {facilitator, qualifier, settings}}) {
  const details = [qualifier, ...settings].filter(Boolean).join(', ');
  return details ? `${facilitator} (${details})` : facilitator;
}

/** @param {unknown} error */
function firstLine(error) {
  return /** @type {Error} */ (error).message.split('\n')[0];
}

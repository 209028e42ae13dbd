import {setTimeout as sleep} from 'node:timers/promises';
import {brokerKindNamed} from '../../brokers/index.js';
import {failureOf, PerfBattleError, RunError} from '../../errors.js';
import {accountOf} from '../../faults/account.js';
import {faultNamed} from '../../faults/faults.js';
import {outageOf} from '../../faults/outage.js';
import {timelineOf} from '../../faults/timeline.js';
import {LocalHost} from '../../hosts/local.js';
import {untilAborted} from '../../measure/bounds.js';
import {monotonicMs} from '../../measure/clock.js';
import {splitAddress} from '../../net/address.js';
import {randomSource} from '../../payload/random.js';
import {cutConnections} from './cut-connections.js';
import {gatherEvidence} from './evidence.js';
import {drain, SteadyLoad} from './load.js';
import {applies, nameOf, rowNames} from './rows.js';

/**
 * @import {ActionDone, Broker, BrokerAction} from '../../brokers/kind.js'
 * @import {Fault, FaultName, Step} from '../../faults/faults.js'
 * @import {FoundOfFault, FoundOfRow, Row, Try} from '../../faults/found.js'
 * @import {Log} from '../../measure/message-log.js'
 * @import {FaultSettings} from '../../settings/index.js'
 * @import {Drained, LoadContext, LoadSettings} from './load.js'
 */

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
 * When a fault was done, by the monotonic clock of this host: its begin; until when messages could still reach what it hit; and when that was there
 * again. copy: of the disk.
 * @typedef {{fromMs: number, hitMs: number, untilMs: number, copy?: number}} Strike
 *
 * @typedef {{found: FoundOfRow, load: SteadyLoad, log: Log}} Loaded a row whose load has ended
 */

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

/** The errors of a client that the broker causes. A queue that cannot be read is one of them. */
const ofBroker = new Set([
  'PB_STALLED',
  'PB_TOPOLOGY',
  'PB_BROKER_UNAVAILABLE',
  'PB_BROKER_BLOCKED',
  'PB_CONNECTION_LOST',
  'PB_NO_CONNECTION',
  'PB_NO_SERVER',
]);

/** The faults of the rows that share a broker, or need none, one after the other. */
export class FaultPhases {
  /**
   * @param {FaultRun} run
   * @param {{broker: Broker | null, hasDisk: boolean, own: FoundOfRow[]}} what
   */
  constructor(run, {broker, hasDisk, own}) {
    this.task = run;
    this.values = run.settings.values;
    this.signal = run.signal;
    this.broker = broker;
    this.hasDisk = hasDisk && broker !== null;
    this.own = own;
    this.host = new LocalHost();
    this.random = randomSource(this.values.seed, 'times of faults');
    this.phases = 0;
  }

  /** @param {readonly FaultName[]} asked */
  async run(asked) {
    await this.#gatherEvidence();
    const together = this.broker ? rowsAtOnce : 1;
    for (const name of asked) {
      const hit = this.own.filter(({row, error}) => applies(name, row) && error === null);
      for (let first = 0; first < hit.length; first += together)
        await this.#phase(name, hit.slice(first, first + together));
    }
  }

  /** One row after the other: what the broker writes must be for the messages of this one. */
  async #gatherEvidence() {
    const {broker} = this;
    if (broker === null) return;
    for (const found of this.own.filter(({row}) => row.stores)) {
      this.task.note(`${nameOf(found.row)}: what an acknowledgement is worth`);
      this.phases += 1;
      await this.#each([found], async () => {
        found.evidence = await gatherEvidence(
          found.row,
          {...this.#contextOf(found.row), broker},
          this.task.load,
        );
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
    this.task.note(`${name}: ${hit.map(({row}) => nameOf(row)).join(', ')}`);
    const loads = new Map(
      hit.map((found) => [found, new SteadyLoad(found.row, this.#contextOf(found.row), this.task.load)]),
    );
    const loadOf = (/** @type {FoundOfRow} */ found) => /** @type {SteadyLoad} */ (loads.get(found));
    try {
      const opened = await this.#each(hit, (found) => loadOf(found).open());
      if (opened.length === 0) return;
      if (this.broker) await this.#sleep(settleMs);
      if (this.hasDisk) await this.#perform({type: 'sync'});
      const begun = await this.#each(opened, (found) => loadOf(found).begin());
      await this.#sleep(beforeMs);
      const strikes = fault.isCut ? await this.#cutPower() : await this.#strike(fault, begun.map(loadOf));
      const endMs = monotonicMs();
      /** @type {Loaded[]} */
      const loaded = [];
      await this.#each(begun, async (found) => {
        loaded.push({found, load: loadOf(found), log: await loadOf(found).end()});
      });
      const tries = fault.isCut
        ? await this.#accountForCuts(loaded, strikes)
        : await this.#account(loaded, {strikes, endMs});
      for (const {found, log} of loaded) {
        if (found.error !== null) continue;
        const done = {fault: name, tries: tries.get(found) ?? [], timeline: timelineOf(log, strikes)};
        found.faults.push(done);
        await this.task.save({row: found.row, found: done});
      }
    } catch (error) {
      this.signal.throwIfAborted();
      for (const found of hit) found.error ??= failureOf(error);
    } finally {
      await Promise.all([...loads.values()].map((load) => load.close()));
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
    const {tries, restartAfterMs} = this.values;
    const endsServers = target === 'connection' || steps.includes('kill') || steps.includes('stop');
    for (let turn = 0; turn < tries; turn += 1) {
      const perform = async (/** @type {Step} */ step) => {
        if (target === 'broker') return await this.#perform({type: step});
        const fromMs = monotonicMs();
        await Promise.all(loads.map((load) => load.strike(step, turn)));
        return {fromMs, atMs: monotonicMs()};
      };
      const done = target === 'connection' ? [await this.#cutConnections(loads)] : [];
      try {
        for (const step of steps) done.push(await perform(step));
        if (untilAlarm) await this.#untilAlarm(true);
        if (after.length > 0) await this.#sleep(restartAfterMs);
      } finally {
        for (const step of after) await perform(step);
      }
      if (untilAlarm) await this.#untilAlarm(false);
      if (this.broker && target !== 'server') await this.#startServers(loads, endsServers);
      const [{fromMs, atMs: hitMs}] = done;
      strikes.push({fromMs, hitMs, untilMs: monotonicMs()});
      await this.#sleep(afterMs);
    }
    return strikes;
  }

  /** Waits until the broker says that it takes no messages, or that it takes them again. @param {boolean} isWanted */
  async #untilAlarm(isWanted) {
    const {kind, connection, label} = /** @type {Broker} */ (this.broker);
    const {readAlarm} = await brokerKindNamed(kind).load();
    if (!readAlarm) throw new RunError(`${label} does not say whether it takes messages.`);
    const deadline = performance.now() + alarmWithinMs;
    for (;;) {
      const reason = await readAlarm(connection, {timeoutMs: 5000, signal: this.signal});
      if (reason !== null && isWanted) this.task.note(`The broker takes no messages: ${reason}`);
      if ((reason !== null) === isWanted) return;
      if (performance.now() > deadline) throw lateAlarm(isWanted);
      await this.#sleep(200);
    }
  }

  /** @param {readonly SteadyLoad[]} loads */
  async #cutConnections(loads) {
    const fromMs = monotonicMs();
    const addresses = loads.flatMap((load) => load.addresses.flatMap((address) => address ?? []));
    const {hostname = '', port = 0} = this.broker?.connection ?? {};
    await cutConnections(this.broker ? [{host: hostname, port}] : addresses.map(splitAddress));
    return {fromMs, atMs: monotonicMs()};
  }

  /**
   * Starts the servers that have ended with their connections to the broker.
   * @param {readonly SteadyLoad[]} loads
   * @param {boolean} areLost whether all have lost their connections
   */
  async #startServers(loads, areLost) {
    const asking = loads.filter(({row}) => !row.stores);
    await Promise.all(
      asking.map(async (load) => {
        if (areLost) await load.untilServersEnded();
        await load.strike('start');
      }),
    );
  }

  /** @returns {Promise<Strike[]>} the disk of the broker, as a power cut would have left it, at random times */
  async #cutPower() {
    /** @type {Strike[]} */
    const strikes = [];
    const {from, to} = betweenCutsMs;
    for (let count = 0; count < this.values.tries; count += 1) {
      await this.#sleep(from + this.random() * (to - from));
      const {fromMs, atMs: hitMs} = await this.#perform({type: 'pause'});
      try {
        const {copy = 0} = await this.#perform({type: 'copy'});
        await this.#sleep(inFlightMs);
        strikes.push({fromMs, hitMs, untilMs: monotonicMs(), copy});
      } finally {
        await this.broker?.perform?.({type: 'resume'});
      }
    }
    return strikes;
  }

  /**
   * @param {readonly Loaded[]} loaded
   * @param {{strikes: readonly Strike[], endMs: number}} phase
   * @returns {Promise<Map<FoundOfRow, Try[]>>}
   */
  async #account(loaded, {strikes, endMs}) {
    const drained = await this.#drainAll(loaded, {keepsStore: false});
    const triesOf = (/** @type {Loaded} */ {found, log}) =>
      strikes.map((strike, number) => {
        const next = strikes[number + 1];
        const outage = outageOf(log, {...strike, endMs: next ? next.fromMs : endMs});
        return {...(next ? nothingRead : tryOf(log, drained.get(found), strike)), outage};
      });
    return new Map(loaded.map((one) => [one.found, triesOf(one)]));
  }

  /**
   * Starts the broker on each copy of its disk, and reads the queues. Afterwards it runs on its own disk again.
   * @param {readonly Loaded[]} loaded
   * @param {readonly Strike[]} cuts
   * @returns {Promise<Map<FoundOfRow, Try[]>>}
   */
  async #accountForCuts(loaded, cuts) {
    /** @type {Map<FoundOfRow, Try[]>} */
    const tries = new Map(loaded.map(({found}) => [found, []]));
    try {
      for (const [number, cut] of cuts.entries()) {
        this.task.note(`power cut ${number + 1} of ${cuts.length}: the broker starts on what it left`);
        await this.#perform({type: 'kill'});
        await this.#perform({type: 'use', copy: cut.copy ?? 0});
        const failure = await this.#perform({type: 'start'}).then(() => null, firstLine);
        this.signal.throwIfAborted();
        const drained = failure === null ? await this.#drainAll(loaded, {keepsStore: true}) : null;
        for (const {found, log} of loaded) {
          const own = drained ? drained.get(found) : `the broker does not return: ${failure}`;
          tries.get(found)?.push({...tryOf(log, own, cut), outage: null});
        }
      }
    } finally {
      if (!this.signal.aborted)
        for (const type of /** @type {const} */ (['kill', 'restore', 'start'])) await this.#perform({type});
    }
    return tries;
  }

  /**
   * @param {readonly Loaded[]} loaded
   * @param {{keepsStore: boolean}} how
   * @returns {Promise<Map<FoundOfRow, Drained | string>>} string: why a queue cannot be read. A row without a queue is missing
   */
  async #drainAll(loaded, how) {
    /** @type {Map<FoundOfRow, Drained | string>} */
    const drained = new Map();
    const storing = loaded.map(({found}) => found).filter(({row}) => row.stores);
    await this.#each(storing, async (found) => {
      try {
        drained.set(found, await drain(found.row, this.#contextOf(found.row), how));
      } catch (error) {
        if (!(error instanceof PerfBattleError && ofBroker.has(error.code))) throw error;
        drained.set(found, `the queue is unavailable: ${firstLine(error)}`);
      }
    });
    return drained;
  }

  /**
   * Does something for each of some rows at once. One that fails has its error, and is left out from then on.
   * @param {readonly FoundOfRow[]} rows
   * @param {(found: FoundOfRow) => Promise<unknown>} work
   * @returns {Promise<FoundOfRow[]>} those that have not failed
   */
  async #each(rows, work) {
    await Promise.all(
      rows.map(async (found) => {
        try {
          await work(found);
        } catch (error) {
          this.signal.throwIfAborted();
          found.error ??= failureOf(error);
        }
      }),
    );
    return rows.filter(({error}) => error === null);
  }

  /** @param {BrokerAction} action @returns {Promise<ActionDone>} */
  async #perform(action) {
    if (!this.broker?.perform) throw new TypeError('Only a private broker takes faults.');
    return await untilAborted(this.broker.perform(action), this.signal);
  }

  /** @param {Row} row @returns {LoadContext} */
  #contextOf(row) {
    const {host, broker, values, signal} = this;
    const names = rowNames(row, `${this.task.id}-${this.phases}-${row.number}`);
    return {host, broker, values, signal, names};
  }

  /** @param {number} ms */
  async #sleep(ms) {
    await sleep(ms, undefined, {signal: this.signal}).catch(() => {});
    this.signal.throwIfAborted();
  }
}

/** @type {Omit<Try, 'outage'>} */
const nothingRead = {account: null, atRisk: null, unavailable: null, arrival: null};

/**
 * @param {Log} log
 * @param {Drained | string | undefined} drained string: why the queue cannot be read; undefined: there is none
 * @param {Strike} strike what was sent and confirmed by then was hit. Of a power cut, nothing else can be there
 * @returns {Omit<Try, 'outage'>}
 */
function tryOf(log, drained, {hitMs, untilMs, copy}) {
  if (typeof drained === 'string') return {...nothingRead, unavailable: drained};
  const received = drained?.received ?? null;
  const atRisk = accountOf(log, received, {sentMs: hitMs, settledMs: untilMs});
  return {
    account: copy === undefined ? accountOf(log, received) : atRisk,
    atRisk,
    unavailable: null,
    arrival: drained ? arrivalOf(drained) : null,
  };
}

/** @param {Drained} drained */
function arrivalOf({duplicated, reordered, corrupted}) {
  return {duplicated, reordered, corrupted};
}

/** @param {boolean} isWanted */
function lateAlarm(isWanted) {
  const what = isWanted ? 'still takes messages, although its disk is full,' : 'takes no messages';
  return new RunError(`The broker ${what} after ${alarmWithinMs / 1000} s.`, {code: 'PB_STALLED'});
}

/** @param {unknown} error */
function firstLine(error) {
  return /** @type {Error} */ (error).message.split('\n')[0];
}

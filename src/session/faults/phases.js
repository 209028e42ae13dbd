import {failureOf, firstLineOf, PerfBattleError} from '../../errors.js';
import {accountOf, outageOf, timelineOf} from '../../faults/account.js';
import {faultNamed, targetIn} from '../../faults/faults.js';
import {monotonicMs} from '../../measure/clock.js';
import {ConnectionProxy} from './cut-connections.js';
import {gatherEvidence} from './evidence.js';
import {SteadyLoad} from './load.js';
import {drain} from './row-roles.js';
import {applies, loadOfRow, nameOf, rowNames, timeoutOf} from './rows.js';
import {loadMsOf, minStrikeMs, Strikes} from './strikes.js';

/**
 * @import {Broker} from '../../brokers/kind.js'
 * @import {AskedFault, FaultName} from '../../faults/faults.js'
 * @import {FoundOfRow, Row, Try} from '../../faults/found.js'
 * @import {CuttableNetwork} from '../../hosts/cuttable-network.js'
 * @import {Log} from '../../measure/message-log.js'
 * @import {FaultSettings} from '../../settings/index.js'
 * @import {Consumption} from './consumption.js'
 * @import {Drained, FaultRun, LoadContext, Places, Strike} from './types.js'
 */

/** The number of rows whose loads run at the same time on one broker, which takes seconds to start. Rows without a broker run one at a time. */
const rowsAtOnce = 6;
/** A broker needs time to store a new queue. A later power cut then shows the fate of messages, rather than of the broker's own records. */
const settleMs = 2500;

/** The queues of a cluster have no leaders for some seconds after its start. */
const electionMs = 3000;
const electionAttempts = 5;

/** @typedef {{found: FoundOfRow, log: Log, seen: Log, consumption: Consumption | null}} Loaded a row whose load has ended; seen: the log that shows outages */

/** The errors of a client that its broker causes, such as an unreadable queue. */
const ofBroker = new Set([
  'PB_STALLED',
  'PB_TOPOLOGY',
  'PB_BROKER_UNAVAILABLE',
  'PB_BROKER_BLOCKED',
  'PB_CONNECTION_LOST',
  'PB_NO_CONNECTION',
  'PB_NO_SERVER',
]);

/**
 * Returns a lower bound of the time that a run takes. The starts of brokers and servers, and the reading of queues, add to it.
 * @param {readonly {asked: AskedFault, rows: readonly Pick<Row, 'broker'>[]}[]} plan the rows that each fault hits @param {FaultSettings} settings
 */
export function minRunMs(plan, settings) {
  return plan.reduce((sum, {asked, rows}) => {
    const strikeMs = minStrikeMs(asked, settings);
    const {length: withBroker} = rows.filter(({broker}) => broker !== null);
    const together = Math.ceil(withBroker / rowsAtOnce) * (settleMs + strikeMs);
    return sum + together + (rows.length - withBroker) * strikeMs;
  }, 0);
}

/** Runs the faults of rows that share a broker, or need none, one after the other. */
export class FaultPhases {
  /**
   * @param {FaultRun} run
   * @param {{broker: Broker | null, network: CuttableNetwork | null, places: Places, hasDisk: boolean, noCut: string | null, own: FoundOfRow[]}} what
   *   noCut: what the kernel needs to cut connections; null if it can cut them; own: the rows
   */
  constructor(run, {broker, network, places, hasDisk, noCut, own}) {
    this.task = run;
    this.signal = run.signal;
    this.broker = broker;
    this.hasDisk = hasDisk && broker !== null;
    this.own = own;
    this.noCut = noCut;
    const {server, client} = places;
    this.hosts = network ? {server: network.far, client: network.near} : {server, client};
    this.strikes = new Strikes(run, broker, network);
    this.phases = 0;
  }

  /** @param {readonly AskedFault[]} asked */
  async run(asked) {
    await this.#gatherEvidence();
    const together = this.broker ? rowsAtOnce : 1;
    for (const one of asked) {
      const hit = this.own.filter(({row, error}) => applies(one.name, row) && error === null);
      for (let first = 0; first < hit.length; first += together)
        await this.#phase(one, hit.slice(first, first + together));
    }
  }

  /** Measures one row after the other, so that all writes of the broker are for the messages of one row. */
  async #gatherEvidence() {
    const {broker} = this;
    if (broker === null) return;
    const isOpen = (/** @type {FoundOfRow} */ {row, error, evidence}) =>
      row.stores && error === null && evidence === null;
    for (const found of this.own.filter(isOpen)) {
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

  /** Injects a fault into several rows under load at the same time. @param {AskedFault} asked @param {FoundOfRow[]} hit */
  async #phase(asked, hit) {
    const {name} = asked;
    this.phases += 1;
    this.task.note(`${name}: ${hit.map(({row}) => nameOf(row)).join(', ')}`);
    const needsProxy = faultNamed(name).target === 'connection' && this.noCut !== null;
    this.strikes.proxy = needsProxy ? await this.#startProxy(hit) : null;
    try {
      await this.#strikeUnderLoad(asked, hit);
    } finally {
      await this.strikes.proxy?.close();
      this.strikes.proxy = null;
    }
  }

  /** @param {AskedFault} asked @param {FoundOfRow[]} hit */
  async #strikeUnderLoad(asked, hit) {
    const {name} = asked;
    const fault = faultNamed(name);
    const loads = new Map(
      hit.map((found) => [
        found,
        new SteadyLoad(found.row, this.#contextOf(found.row, name), this.#loadOf(found), {
          isConsumed: targetIn(fault, found.row) === 'consumer',
          programMs: loadMsOf(asked, this.task.settings.values),
          restartAfterMs: this.task.settings.values.restartAfterMs,
        }),
      ]),
    );
    const loadOf = (/** @type {FoundOfRow} */ found) => /** @type {SteadyLoad} */ (loads.get(found));
    try {
      const opened = await this.#each(hit, (found) => loadOf(found).open());
      if (opened.length === 0) return;
      if (this.broker) await this.strikes.sleep(settleMs);
      if (this.hasDisk) await this.strikes.perform({type: 'sync'});
      const begun = await this.#each(opened, (found) => loadOf(found).begin());
      if (begun.length === 0) return;
      const strikes = await this.strikes.strike(asked, begun.map(loadOf));
      const endMs = monotonicMs();
      /** @type {Map<FoundOfRow, Log>} */
      const logs = new Map();
      await this.#each(begun, async (found) => logs.set(found, await loadOf(found).end()));
      await this.strikes.revive();
      const loaded = await this.#receiveRest(logs, loadOf);
      const tries = fault.isCut
        ? await this.#accountForCuts(loaded, strikes)
        : await this.#account(loaded, {strikes, endMs});
      const {alarm} = strikes.find((strike) => strike.alarm !== undefined) ?? {};
      // A target that stayed down was down until the end.
      const outages = strikes.map(({fromMs, untilMs}) => ({fromMs, untilMs: untilMs ?? endMs}));
      for (const {found, seen} of loaded) {
        if (found.error !== null) continue;
        const done = {
          fault: name,
          ...(alarm !== undefined && {alarm}),
          ...(this.strikes.proxy && {isThroughProxy: /** @type {const} */ (true)}),
          tries: tries.get(found) ?? [],
          timeline: timelineOf(seen, outages),
        };
        found.faults.push(done);
        await this.task.save({row: found.row, evidence: found.evidence, found: done});
      }
    } catch (error) {
      this.signal.throwIfAborted();
      for (const found of hit) found.error ??= failureOf(error);
    } finally {
      await Promise.all([...loads.values()].map((load) => load.close()));
      // The next fault also needs the broker.
      if (!this.signal.aborted) await this.strikes.revive();
    }
  }

  /**
   * Lets servers of one-way messages receive the rest, from a broker that was started again, too.
   * @param {ReadonlyMap<FoundOfRow, Log>} logs @param {(found: FoundOfRow) => SteadyLoad} loadOf @returns {Promise<Loaded[]>}
   */
  async #receiveRest(logs, loadOf) {
    await this.#each(
      [...logs.keys()].filter(({row}) => row.isOneWay),
      (found) => loadOf(found).receiveRest(/** @type {Log} */ (logs.get(found))),
    );
    return [...logs].map(([found, log]) => {
      const {consumption} = loadOf(found);
      return {found, log, consumption, seen: consumption?.finishedIn(log) ?? log};
    });
  }

  /** Starts a proxy that cuts connections if the kernel cannot. @param {readonly FoundOfRow[]} hit */
  async #startProxy(hit) {
    this.task.note(`The connections go through a proxy of perf-battle: ss -K needs ${this.noCut}.`);
    const servers = hit.reduce((sum, {row}) => sum + Number(row.variant.servers ?? 1), 0);
    const ofBroker = this.broker?.connections.map(({otherPorts = {}}) => 1 + Object.keys(otherPorts).length);
    return await ConnectionProxy.start(ofBroker?.reduce((sum, ports) => sum + ports, 0) ?? servers);
  }

  /** @param {readonly Loaded[]} loaded @param {{strikes: readonly Strike[], endMs: number}} phase @returns {Promise<Map<FoundOfRow, Try[]>>} */
  async #account(loaded, {strikes, endMs}) {
    const drained = await this.#drainAll(loaded, {keepsStore: false});
    const triesOf = (/** @type {Loaded} */ {found, log, seen, consumption}) =>
      strikes.map((strike, number) => {
        const next = strikes[number + 1];
        // The queue of a row is available with its broker, before the servers of other rows.
        const servedMs = found.row.stores ? strike.untilMs : (strike.servedMs ?? strike.untilMs);
        const outage = outageOf(seen, {...strike, servedMs, endMs: next ? next.fromMs : endMs});
        return {...(next ? nothingRead : tryOf(log, drained.get(found), {strike, consumption})), outage};
      });
    return new Map(loaded.map((one) => [one.found, triesOf(one)]));
  }

  /**
   * Starts the broker on each copy of its disk, and reads the queues. Finally the broker runs on its own disk again.
   * @param {readonly Loaded[]} loaded @param {readonly Strike[]} cuts
   */
  async #accountForCuts(loaded, cuts) {
    /** @type {Map<FoundOfRow, Try[]>} */
    const tries = new Map(loaded.map(({found}) => [found, []]));
    try {
      for (const [number, cut] of cuts.entries()) {
        this.task.note(`power cut ${number + 1} of ${cuts.length}: the broker starts on what it left`);
        await this.strikes.perform({type: 'kill'});
        await this.strikes.perform({type: 'use', copy: cut.copy ?? 0});
        const failure = await this.strikes.perform({type: 'start'}).then(() => null, firstAndLastLine);
        this.signal.throwIfAborted();
        const drained = failure === null ? await this.#drainAll(loaded, {keepsStore: true}) : null;
        for (const {found, log} of loaded) {
          const own = drained ? drained.get(found) : `the broker does not return: ${failure}`;
          tries.get(found)?.push({...tryOf(log, own, {strike: cut}), outage: null});
        }
      }
    } finally {
      if (!this.signal.aborted)
        for (const type of /** @type {const} */ (['kill', 'restore', 'start']))
          await this.strikes.perform({type});
    }
    return tries;
  }

  /**
   * @param {readonly Loaded[]} loaded @param {{keepsStore: boolean}} how
   * @returns {Promise<Map<FoundOfRow, Drained | string>>} string: why a queue cannot be read. Rows without a queue are missing
   */
  async #drainAll(loaded, how) {
    /** @type {Map<FoundOfRow, Drained | string>} */
    const drained = new Map();
    const storing = loaded.map(({found}) => found).filter(({row}) => row.stores);
    await this.#each(storing, async (found) => {
      drained.set(found, await this.#drain(found.row, how));
    });
    return drained;
  }

  /** @param {Row} row @param {{keepsStore: boolean}} how @returns {Promise<Drained | string>} string: why the queue cannot be read */
  async #drain(row, how) {
    for (let attempts = 1; ; attempts += 1) {
      try {
        return await drain(row, this.#contextOf(row), how);
      } catch (error) {
        if (!(error instanceof PerfBattleError && ofBroker.has(error.code))) throw error;
        if (row.brokerNodes === 1 || attempts === electionAttempts)
          return `the queue is unavailable: ${firstLineOf(error.message)}`;
        await this.strikes.sleep(electionMs);
      }
    }
  }

  /**
   * Does some work for several rows at the same time. A failed row keeps its error.
   * @param {readonly FoundOfRow[]} rows @param {(found: FoundOfRow) => Promise<unknown>} work
   * @returns {Promise<FoundOfRow[]>} the rows that have not failed
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

  /** @param {FoundOfRow} found */
  #loadOf(found) {
    const {load, settings, note} = this.task;
    const own = loadOfRow(found, load, settings);
    if (own.rate < load.rate)
      note(`${nameOf(found.row)}: ${own.rate} messages per second, half of what it sustains`);
    return own;
  }

  /** @param {Row} row @param {FaultName | null} [fault] the fault under which the load runs @returns {LoadContext} */
  #contextOf(row, fault = null) {
    const {settings} = this.task;
    const values = {...settings.values, timeoutMs: timeoutOf(row, fault, settings)};
    const {proxy} = this.strikes;
    const names = rowNames(row, `${this.task.id}-${this.phases}-${row.number}`);
    const hosts = proxy && !this.broker ? {...this.hosts, server: proxy.serverHost()} : this.hosts;
    const broker = proxy && this.broker ? proxy.inFrontOf(this.broker) : this.broker;
    return {hosts, broker, values, signal: this.signal, names};
  }
}

/** @type {Omit<Try, 'outage'>} */
const nothingRead = {account: null, atRisk: null, unavailable: null, arrival: null};

/**
 * @param {Log} log @param {Drained | string | undefined} drained string: why the queue cannot be read; undefined: there is no queue
 * @param {{strike: Strike, consumption?: Consumption | null}} what strike: only messages sent and confirmed before its end are at risk. The copy of a
 *   power cut can have no other messages; consumption: messages that consumers took out of the queue before, or that servers received
 * @returns {Omit<Try, 'outage'>}
 */
function tryOf(log, drained, {strike: {hitMs, untilMs, copy}, consumption = null}) {
  if (typeof drained === 'string') return {...nothingRead, unavailable: drained};
  const seen = consumption?.with(drained) ?? drained ?? null;
  const {duplicated = 0, reordered = 0, corrupted = 0} = seen ?? {};
  const atRisk = accountOf(log, seen, {sentMs: hitMs, settledMs: untilMs ?? Number.POSITIVE_INFINITY});
  return {
    account: copy === undefined ? accountOf(log, seen) : atRisk,
    atRisk,
    unavailable: null,
    arrival: seen ? {duplicated, reordered, corrupted} : null,
  };
}

/** Returns how a program that does not start has ended, and the last line of its log. @param {unknown} error */
function firstAndLastLine(error) {
  const [first, ...others] = /** @type {Error} */ (error).message.split('\n');
  return [first, ...others.slice(-1)].join(' ');
}

import {setTimeout as sleep} from 'node:timers/promises';
import {brokerKindNamed} from '../../brokers/index.js';
import {RunError} from '../../errors.js';
import {faultNamed, targetIn} from '../../faults/faults.js';
import {untilAborted} from '../../measure/bounds.js';
import {monotonicMs} from '../../measure/clock.js';
import {splitAddress} from '../../net/address.js';
import {randomSource} from '../../payload/random.js';
import {cutConnections} from './cut-connections.js';
import {staysDown, triesOf} from './rows.js';

/**
 * @import {Broker, BrokerAction} from '../../brokers/kind.js'
 * @import {AskedFault, Fault, Step} from '../../faults/faults.js'
 * @import {FaultSettings} from '../../settings/index.js'
 * @import {CuttableNetwork} from '../../hosts/cuttable-network.js'
 * @import {ConnectionProxy} from './cut-connections.js'
 * @import {SteadyLoad} from './load.js'
 * @import {Strike} from './types.js'
 */

/** How long the load is steady before a fault whose time the user did not choose. */
const beforeMs = 2000;
/**
 * The time after a fault until the next fault or the end. The retransmission timeouts of TCP double: after a silent network, TCP may be silent for
 * the same time again (https://www.rfc-editor.org/rfc/rfc6298#section-5).
 */
const afterMs = 3000;
/** For how long a load of fixed length goes on after the end of a fault. */
const spareMs = 1000;
/** The range of the random time between two power cuts. */
const betweenCutsMs = {from: 300, to: 1000};
/** The time for clients to read messages that the broker sent before it was stopped for a power cut. */
const inFlightMs = 50;
/** RabbitMQ checks its disk every 10 s by default. */
const alarmWithinMs = 60_000;

/** Injects faults into a broker, the servers of loads, and their connections. */
export class Strikes {
  /**
   * @param {{settings: FaultSettings, note: (line: string) => void, signal: AbortSignal}} run
   * @param {Broker | null} broker null if the loads need no broker
   * @param {CuttableNetwork | null} network between the clients and the other parts; null if the network cannot be cut
   */
  constructor({settings, note, signal}, broker, network) {
    this.settings = settings;
    this.values = settings.values;
    this.note = note;
    this.signal = signal;
    this.broker = broker;
    this.network = network;
    /** The proxy of all connections; null for direct connections. @type {ConnectionProxy | null} */
    this.proxy = null;
    this.isBrokerDown = false;
    this.random = randomSource(settings.values.seed, 'times of faults');
  }

  /**
   * Injects a fault as often as `triesOf` says.
   * @param {AskedFault} asked @param {readonly SteadyLoad[]} loads that have just begun @returns {Promise<Strike[]>}
   */
  async strike(asked, loads) {
    const {name, at} = asked;
    const fault = faultNamed(name);
    const tries = triesOf(asked, this.settings);
    await this.sleep(at === null ? beforeMs : at.fromMs + this.random() * (at.toMs - at.fromMs));
    await this.#each(loads, async (load) => load.refuseEndedServers());
    if (fault.isCut) return await this.#cutPower(tries);
    if (!staysDown(name, this.values)) return await this.#interrupt(fault, loads, tries);
    return [await this.#end(fault, loads)];
  }

  async revive() {
    if (!this.isBrokerDown) return;
    await this.perform({type: 'start'});
    this.isBrokerDown = false;
  }

  /** Ends a target that stays down during the load. @param {Fault} fault @param {readonly SteadyLoad[]} loads */
  async #end(fault, loads) {
    this.isBrokerDown = fault.target === 'broker' || fault.target === 'node';
    const done = [];
    if (fault.target === 'server') await this.#each(loads, (load) => load.selectServer(0));
    for (const step of fault.steps) done.push(await this.#do(step, fault, {loads, turn: 0}));
    await this.sleep(this.values.restartAfterMs + afterMs);
    const hitMs = fault.acceptsMessages ? Number.POSITIVE_INFINITY : done[0].atMs;
    return {fromMs: done[0].fromMs, hitMs, untilMs: null};
  }

  /** @param {Fault} fault @param {readonly SteadyLoad[]} loads @param {number} tries */
  async #interrupt(fault, loads, tries) {
    const {target, steps, after, untilAlarm = false} = fault;
    /** @type {Strike[]} */
    const strikes = [];
    const {restartAfterMs} = this.values;
    const endsServers = target === 'connection' || steps.includes('kill') || steps.includes('stop');
    for (let turn = 0; turn < tries; turn += 1) {
      const perform = (/** @type {Step} */ step) => this.#do(step, fault, {loads, turn});
      if (target === 'server') await this.#each(loads, (load) => load.selectServer(turn));
      const done = target === 'connection' ? [await this.#cutConnections(loads)] : [];
      /** @type {string | null} */
      let alarm = null;
      try {
        for (const step of steps) done.push(await perform(step));
        if (untilAlarm) alarm = await this.#untilAlarm(true);
        if (after.length > 0) await this.sleep(restartAfterMs);
      } finally {
        for (const step of after) await perform(step);
      }
      if (untilAlarm) await this.#untilAlarm(false);
      const [{fromMs, atMs}] = done;
      const untilMs = monotonicMs();
      if (this.broker && target !== 'server' && target !== 'consumer')
        await this.#startServers(loads, endsServers && target !== 'node');
      const hitMs = fault.acceptsMessages ? untilMs : atMs;
      strikes.push({fromMs, hitMs, untilMs, servedMs: monotonicMs(), ...(alarm !== null && {alarm})});
      await this.#each(loads, (load) => load.untilReceivedAgain());
      await this.sleep(afterMs + (target === 'network' ? restartAfterMs : 0));
    }
    return strikes;
  }

  /** @param {Step} step @param {Fault} fault @param {{loads: readonly SteadyLoad[], turn: number}} to */
  async #do(step, fault, {loads, turn}) {
    const {target, nodesHit} = fault;
    if (step === 'cut' || step === 'mend') return await this.#switchNetwork(step);
    if (target === 'broker' || target === 'node')
      return await this.perform(actionOf(step, nodesHit && this.#nodes(nodesHit, turn)));
    const fromMs = monotonicMs();
    await this.#each(loads, (load) => {
      if (target === 'daemon') return load.killDaemons();
      return targetIn(fault, load.row) === 'consumer' ? load.strikeConsumer(step) : load.strike(step);
    });
    return {fromMs, atMs: monotonicMs()};
  }

  /** @param {'cut' | 'mend'} step */
  async #switchNetwork(step) {
    if (!this.network) throw new TypeError('This network cannot be cut.');
    const fromMs = monotonicMs();
    await this.network[step]();
    return {fromMs, atMs: monotonicMs()};
  }

  /** Selects the nodes of a cluster in turn. @param {(size: number) => number} nodesHit @param {number} turn @returns {number[]} the indexes of the nodes */
  #nodes(nodesHit, turn) {
    const size = this.broker?.connections.length ?? 1;
    return Array.from({length: nodesHit(size)}, (_, index) => (turn + index) % size);
  }

  /**
   * Waits until the broker reports an alarm, so that it takes no messages, or the end of the alarm.
   * @param {boolean} isWanted @returns {Promise<string | null>} the broker's reason
   */
  async #untilAlarm(isWanted) {
    const {kind, connection, label} = /** @type {Broker} */ (this.broker);
    const {readAlarm} = await brokerKindNamed(kind).load();
    if (!readAlarm) throw new RunError(`${label} does not say whether it takes messages.`);
    const deadline = performance.now() + alarmWithinMs;
    for (;;) {
      const reason = await readAlarm(connection, {timeoutMs: 5000, signal: this.signal});
      if (reason !== null && isWanted) this.note(`The broker takes no messages: ${reason}`);
      if ((reason !== null) === isWanted) return reason;
      if (performance.now() > deadline) throw lateAlarm(isWanted);
      await this.sleep(200);
    }
  }

  /** @param {readonly SteadyLoad[]} loads */
  async #cutConnections(loads) {
    const fromMs = monotonicMs();
    if (this.proxy) {
      await untilAborted(this.proxy.cut(), this.signal);
      return {fromMs, atMs: monotonicMs()};
    }
    const addresses = loads.flatMap((load) => load.addresses.flatMap((address) => address ?? []));
    const ofBroker = this.broker?.connections.flatMap(({hostname: host, port, otherPorts = {}}) =>
      [port, ...Object.values(otherPorts)].map((one) => ({host, port: one})),
    );
    await cutConnections(ofBroker ?? addresses.map(splitAddress));
    return {fromMs, atMs: monotonicMs()};
  }

  /**
   * Starts the servers that have ended with their connections to the broker.
   * @param {readonly SteadyLoad[]} loads @param {boolean} areLost whether all servers have lost their connections
   */
  async #startServers(loads, areLost) {
    await this.#each(loads, async (load) => {
      if (load.row.stores) return;
      if (areLost) await load.untilServersEnded();
      await load.strike('start');
    });
  }

  /**
   * Acts on each load that has not failed. A load that fails keeps its error, and the others go on.
   * @param {readonly SteadyLoad[]} loads @param {(load: SteadyLoad) => Promise<unknown>} act @throws when all loads have failed
   */
  async #each(loads, act) {
    await Promise.all(
      loads.map(async (load) => {
        if (load.failure) return;
        try {
          await act(load);
        } catch (error) {
          this.signal.throwIfAborted();
          load.failure = /** @type {Error} */ (error);
        }
      }),
    );
    if (loads.length > 0 && loads.every(({failure}) => failure)) throw loads[0].failure;
  }

  /** Copies the disk of the broker at random times, as a power cut would have left it. */
  async #cutPower(/** @type {number} */ tries) {
    /** @type {Strike[]} */
    const strikes = [];
    const {from, to} = betweenCutsMs;
    for (let count = 0; count < tries; count += 1) {
      await this.sleep(from + this.random() * (to - from));
      const {fromMs, atMs: hitMs} = await this.perform({type: 'pause'});
      try {
        const {copy = 0} = await this.perform({type: 'copy'});
        await this.sleep(inFlightMs);
        strikes.push({fromMs, hitMs, untilMs: monotonicMs(), copy});
      } finally {
        await this.broker?.perform?.({type: 'resume'});
      }
    }
    return strikes;
  }

  /** @param {BrokerAction} action */
  async perform(action) {
    if (!this.broker?.perform) throw new TypeError('Only a private broker takes faults.');
    return await untilAborted(this.broker.perform(action), this.signal);
  }

  /** @param {number} ms */
  async sleep(ms) {
    await sleep(ms, undefined, {signal: this.signal}).catch(() => {});
    this.signal.throwIfAborted();
  }
}

/**
 * Returns an upper bound of the time from the begin of a load to the end of a fault that is injected once, for a load that cannot be ended early.
 * @param {AskedFault} asked @param {Pick<FaultSettings['values'], 'restartAfterMs'>} values
 */
export function loadMsOf({at}, {restartAfterMs}) {
  return (at?.toMs ?? beforeMs) + restartAfterMs + afterMs + spareMs;
}

/**
 * Returns a lower bound of the time for which a fault is injected under a load. How long brokers and servers take to start is not known before.
 * @param {AskedFault} asked @param {FaultSettings} settings
 */
export function minStrikeMs(asked, settings) {
  const {name, at} = asked;
  const {target, after, isCut} = faultNamed(name);
  const {restartAfterMs} = settings.values;
  const tries = triesOf(asked, settings);
  const beginMs = at?.fromMs ?? beforeMs;
  if (isCut) return beginMs + tries * (betweenCutsMs.from + inFlightMs);
  const downMs = after.length > 0 || staysDown(name, settings.values) ? restartAfterMs : 0;
  const silentMs = target === 'network' ? restartAfterMs : 0;
  return beginMs + tries * (downMs + afterMs + silentMs);
}

/** @param {Step} step @param {number[] | undefined} nodes @returns {BrokerAction} */
function actionOf(step, nodes) {
  if (step === 'slow' || step === 'cut' || step === 'mend')
    throw new TypeError(`${step} cannot be done to a broker.`);
  return step === 'kill' && nodes ? {type: step, nodes} : {type: step};
}

/** @param {boolean} isWanted */
function lateAlarm(isWanted) {
  const what = isWanted ? 'still takes messages' : 'takes no messages';
  return new RunError(`The broker ${what} after ${alarmWithinMs / 1000} s.`, {code: 'PB_STALLED'});
}

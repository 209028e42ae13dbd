import {setImmediate as turn} from 'node:timers/promises';
import {brokerKindNamed, givenBroker} from '../brokers/index.js';
import {provisionBroker} from '../brokers/provision.js';
import {failureOf} from '../errors.js';
import {listenerPid} from '../hosts/processes.js';
import {isHere} from '../measure/network.js';
import {readProcessTimes} from '../measure/system.js';
import {keyOfNeed} from '../transports/index.js';

/**
 * @import {BattleEvent, GivenServer} from '../battle/types.js'
 * @import {Broker, BrokerKind, PairNames} from '../brokers/kind.js'
 * @import {Host} from '../hosts/types.js'
 * @import {Settings} from '../options/contract.js'
 * @import {BattleSettings} from '../settings/index.js'
 * @import {BrokerNeed} from '../transports/transport.js'
 */

/**
 * @typedef {object} ProvisionDeps
 * @property {(need: BrokerNeed) => Promise<Broker>} provision
 * @property {(broker: Broker, need: BrokerNeed) => Promise<void>} onBroker
 * @property {(event: BattleEvent) => void} onEvent
 * @property {AbortSignal} signal
 */

/** The maximum number of brokers per need, including replacements. */
const maxBrokers = 3;

/** The brokers of a battle: one for each combination of kind and settings that its transports need. */
export class BrokerProvisions {
  /** @param {ProvisionDeps} deps */
  constructor(deps) {
    this.deps = deps;
    /** @type {Map<string, BrokerProvision>} */
    this.provisions = new Map();
  }

  /** @param {BrokerNeed} need */
  current(need) {
    const key = keyOfNeed(need);
    const provision = this.provisions.get(key) ?? new BrokerProvision(need, this.deps);
    this.provisions.set(key, provision);
    return provision.current();
  }

  async release() {
    await Promise.all([...this.provisions.values()].map((provision) => provision.release()));
  }
}

/** A broker. If a private broker dies, a new one replaces it for the next trials. */
class BrokerProvision {
  /** @type {Promise<Broker> | null} */
  #provisioned = null;
  #count = 0;

  /** @param {BrokerNeed} need @param {ProvisionDeps} deps */
  constructor(need, deps) {
    this.need = need;
    this.deps = deps;
  }

  async current() {
    if (this.#count < maxBrokers && this.#provisioned && (await this.#isDead())) this.#provisioned = null;
    this.#provisioned ??= this.#next();
    return this.#provisioned;
  }

  async release() {
    const broker = await this.#provisioned?.catch(() => null);
    await broker?.release();
  }

  async #isDead() {
    const broker = await this.#provisioned?.catch(() => null);
    if (!broker) return false;
    // The race needs a full turn of the event loop, because a settled promise takes several microtasks to pass each `then`.
    const dead = await Promise.race([broker.died.then(() => true), turn(false)]);
    if (dead) await broker.release();
    return dead;
  }

  async #next() {
    this.#count += 1;
    const {onBroker, onEvent} = this.deps;
    const broker = {...(await this.#provision()), isReplacement: this.#count > 1};
    try {
      await onBroker(broker, this.need);
    } catch (error) {
      await broker.release();
      throw error;
    }
    onEvent({type: 'broker', label: broker.label});
    return broker;
  }

  async #provision() {
    const {provision, onEvent, signal} = this.deps;
    try {
      return await provision(this.need);
    } catch (error) {
      signal.throwIfAborted();
      const {code, message} = failureOf(error);
      onEvent({type: 'broker-missing', message, code});
      throw error;
    }
  }
}

/** The maximum delay of a battle's end by the removal of queues that roles have left on a broker. */
const removeWithinMs = 10_000;

/**
 * Returns the functions that provision the brokers of a battle and choose the names on them. Names are unique for each trial, unless the user set them.
 * @param {BattleSettings} settings
 * @param {{id: string, hosts: readonly Host[] | undefined, coresOn: (host: Host) => number[] | null, log: (line: string) => void, signal: AbortSignal}} battle
 */
export function makeBrokerSource(settings, {id, hosts, coresOn, log, signal}) {
  /** @type {Settings} */
  const {values, origins} = settings;
  const clients = Math.max(1, ...[values.clients].flat().map((count) => Number(count) || 1));
  /** The names of each kind of broker. @type {Record<string, PairNames[]>} */
  const used = {};
  /** @type {'auto' | 'private'} */
  const choice = settings.values.broker === 'private' ? 'private' : 'auto';
  return {
    /** @param {BrokerNeed} need */
    provision: async ({kind: name, settings: ofBroker}) => {
      const kind = brokerKindNamed(name);
      const given = givenBroker(kind, settings)?.connection ?? null;
      const nodes = kind.nodes(values);
      const request = {choice, given, nodes, settings: ofBroker, hosts, coresOn, log, signal};
      const broker = await provisionBroker(kind, request);
      used[name] ??= [];
      return broker.source === 'private' ? broker : releasedClean(kind, broker, used[name]);
    },
    /**
     * @param {string} name of a kind @param {string} trial
     * @returns {Record<string, string>} names by the key of their option; and `pair`, which is unique even if the user set the names
     */
    namesFor: (name, trial) => {
      const pair = `${id}-${trial}`;
      const keys = brokerKindNamed(name).nameOptions.map(({key}) => key);
      const isOwn = (/** @type {string} */ key) => origins[key].kind === 'default';
      const own = keys.map((key) => [key, isOwn(key) ? `${values[key]}-${pair}` : values[key]]);
      const names = {...Object.fromEntries(own), pair};
      used[name]?.push({names, clients, isUnique: keys.every(isOwn)});
      return names;
    },
  };
}

/**
 * Makes the release of a broker that outlives the battle remove the names of the battle. All roles have ended by then.
 * @param {BrokerKind} kind @param {Broker} broker @param {PairNames[]} pairs the names that the battle used; emptied by the release
 */
function releasedClean(kind, broker, pairs) {
  const release = async () => {
    const left = pairs.splice(0);
    const {removeLeft} = await kind.load();
    // Queues that cannot be removed now expire.
    if (left.length > 0)
      await removeLeft?.(broker.connection, left, {timeoutMs: removeWithinMs}).catch(() => {});
    await broker.release();
  };
  return {...broker, release};
}

/**
 * Finds a server that ran before the battle.
 * @param {{host: string, port: number}} place of the server @param {readonly Host[]} clients the hosts that reach it @returns {Promise<GivenServer>}
 */
export async function findGivenServer({host, port}, clients) {
  if (!isHere(host)) return {readTimes: async () => null, hosts: []};
  const isLocal = clients.every(({isRemote}) => isRemote === false);
  const pid = isLocal ? await listenerPid(port, /./) : null;
  return {readTimes: async () => readProcessTimes(pid), hosts: null};
}

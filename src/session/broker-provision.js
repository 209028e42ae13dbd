import {setImmediate as turn} from 'node:timers/promises';
import {brokerKindNamed, givenBroker} from '../brokers/index.js';
import {provisionBroker} from '../brokers/provision.js';
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

/** How many brokers of a kind are started at most, counting replacements. */
const maxBrokers = 3;

/** The brokers of a battle, one of each kind that its transports need, and for each of the settings that they ask for. */
export class BrokerProvisions {
  /** @param {ProvisionDeps} deps */
  constructor(deps) {
    this.deps = deps;
    /** @type {Map<string, BrokerProvision>} */
    this.provisions = new Map();
  }

  /** @param {BrokerNeed} need @returns {Promise<Broker>} */
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

/** A broker. A private one that died is replaced for the trials that follow. */
class BrokerProvision {
  /** @type {Promise<Broker> | null} */
  #provisioned = null;
  #count = 0;

  /** @param {BrokerNeed} need @param {ProvisionDeps} deps */
  constructor(need, deps) {
    this.need = need;
    this.deps = deps;
  }

  /** @returns {Promise<Broker>} */
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
    // A full turn of the event loop, because a settled promise takes several microtasks to pass each `then`.
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
      onEvent({type: 'broker-missing', message: /** @type {Error} */ (error).message});
      throw error;
    }
  }
}

/** How long the removal of what roles have left on a broker may delay the end of a battle. */
const removeWithinMs = 10_000;

/**
 * How a battle provisions its brokers, and the names that it uses there: unique for each trial, unless the user set them.
 * @param {BattleSettings} settings
 * @param {{id: string, hosts: readonly Host[] | undefined, coresOn: (host: Host) => number[] | null, log: (line: string) => void, signal: AbortSignal}} battle
 */
export function makeBrokerSource(settings, {id, hosts, coresOn, log, signal}) {
  /** By the keys of the options that a kind declares. @type {Settings} */
  const {values, origins} = settings;
  const clients = Math.max(1, ...[values.clients].flat().map((count) => Number(count) || 1));
  /** By the name of the kind. @type {Record<string, PairNames[]>} */
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
     * @param {string} name of a kind
     * @param {string} trial
     * @returns {Record<string, string>} by the option's key; and `pair`, which is unique even if the user set the names
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
 * A broker that goes on without the battle. When it is released, all roles have ended.
 * @param {BrokerKind} kind @param {Broker} broker
 * @param {PairNames[]} pairs that used it; none afterwards
 * @returns {Broker}
 */
function releasedClean(kind, broker, pairs) {
  const release = async () => {
    const left = pairs.splice(0);
    const {removeLeft} = await kind.load();
    // What cannot be removed now expires.
    if (left.length > 0)
      await removeLeft?.(broker.connection, left, {timeoutMs: removeWithinMs}).catch(() => {});
    await broker.release();
  };
  return {...broker, release};
}

/**
 * A server that was there before the battle.
 * @param {{host: string, port: number}} place of the server
 * @param {readonly Host[]} clients the hosts that reach it
 * @returns {Promise<GivenServer>}
 */
export async function findGivenServer({host, port}, clients) {
  if (!isHere(host)) return {readTimes: async () => null, hosts: []};
  const isLocal = clients.every(({isRemote}) => isRemote === false);
  const pid = isLocal ? await listenerPid(port, /./) : null;
  return {readTimes: async () => readProcessTimes(pid), hosts: null};
}

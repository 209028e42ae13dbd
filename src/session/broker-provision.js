import {setImmediate as turn} from 'node:timers/promises';

/**
 * @import {Broker} from '../brokers/kind.js'
 * @import {BattleEvent} from '../battle/run-battle.js'
 *
 * @typedef {object} ProvisionDeps
 * @property {(kind: string) => Promise<Broker>} obtain
 * @property {(broker: Broker) => Promise<void>} onBroker
 * @property {(event: BattleEvent) => void} onEvent
 * @property {AbortSignal} signal
 */

/** How many brokers of a kind are started at most, counting replacements. */
const maxBrokers = 3;

/** The brokers of a battle, one of each kind that its transports need. */
export class BrokerProvisions {
  /** @param {ProvisionDeps} deps */
  constructor(deps) {
    this.deps = deps;
    /** @type {Map<string, BrokerProvision>} */
    this.supplies = new Map();
  }

  /** @param {string} kind @returns {Promise<Broker>} */
  current(kind) {
    const supply = this.supplies.get(kind) ?? new BrokerProvision(kind, this.deps);
    this.supplies.set(kind, supply);
    return supply.current();
  }

  async release() {
    await Promise.all([...this.supplies.values()].map((supply) => supply.release()));
  }
}

/** The broker of a kind. A private one that died is replaced for the trials that follow. */
class BrokerProvision {
  /** @param {string} kind @param {ProvisionDeps} deps */
  constructor(kind, {obtain, onBroker, onEvent, signal}) {
    this.kind = kind;
    this.obtain = obtain;
    this.onBroker = onBroker;
    this.onEvent = onEvent;
    this.signal = signal;
    /** @type {Promise<Broker> | null} */
    this.obtained = null;
    this.count = 0;
  }

  /** @returns {Promise<Broker>} */
  async current() {
    if (this.count < maxBrokers && this.obtained && (await this.#isDead())) this.obtained = null;
    this.obtained ??= this.#next();
    return this.obtained;
  }

  async release() {
    const broker = await this.obtained?.catch(() => null);
    await broker?.release();
  }

  async #isDead() {
    const broker = await this.obtained?.catch(() => null);
    if (!broker) return false;
    // A full turn of the event loop, because a settled promise takes several microtasks to pass each `then`.
    const dead = await Promise.race([broker.died.then(() => true), turn(false)]);
    if (dead) await broker.release();
    return dead;
  }

  async #next() {
    this.count += 1;
    const broker = {...(await this.#obtain()), isReplacement: this.count > 1};
    try {
      await this.onBroker(broker);
    } catch (error) {
      await broker.release();
      throw error;
    }
    this.onEvent({type: 'broker', label: broker.label});
    return broker;
  }

  async #obtain() {
    try {
      return await this.obtain(this.kind);
    } catch (error) {
      this.signal.throwIfAborted();
      this.onEvent({type: 'broker-missing', message: /** @type {Error} */ (error).message});
      throw error;
    }
  }
}

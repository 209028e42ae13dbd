import {setImmediate as turn} from 'node:timers/promises';

/**
 * @import {Broker} from '../brokers/index.js'
 * @import {BattleEvent} from './run-battle.js'
 */

/** A private broker that died is replaced, so that there are at most so many. */
const mostBrokers = 3;

/** The one broker of a battle; a private one that died is replaced, so that the cells to come can go on. */
export class BrokerSupply {
  /**
   * @param {{obtain: () => Promise<Broker>, onBroker: (broker: Broker) => Promise<void>, tell: (event: BattleEvent) => void,
   *   signal: AbortSignal}} deps
   */
  constructor({obtain, onBroker, tell, signal}) {
    this.obtain = obtain;
    this.onBroker = onBroker;
    this.tell = tell;
    this.signal = signal;
    /** @type {Promise<Broker> | null} */
    this.obtained = null;
    this.count = 0;
  }

  /** @returns {Promise<Broker>} */
  async current() {
    if (this.count < mostBrokers && this.obtained && (await this.#isDead())) this.obtained = null;
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
    // A whole turn of the event loop: a promise that is settled already takes some ticks to say so through each `then`.
    const dead = await Promise.race([broker.died.then(() => true), turn(false)]);
    if (dead) await broker.release();
    return dead;
  }

  async #next() {
    this.count += 1;
    const broker = await this.#obtain();
    try {
      await this.onBroker(broker);
    } catch (error) {
      await broker.release();
      throw error;
    }
    this.tell({type: 'broker', label: broker.label});
    return broker;
  }

  async #obtain() {
    try {
      return await this.obtain();
    } catch (error) {
      this.signal.throwIfAborted();
      this.tell({type: 'broker-missing', message: /** @type {Error} */ (error).message});
      throw error;
    }
  }
}

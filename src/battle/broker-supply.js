/** A private broker that died is replaced, so that there are at most so many. */
const mostBrokers = 3;

/** The one broker of a battle; a private one that died is replaced, so that the cells to come can go on. */
export class BrokerSupply {
  /** @param {Pick<Parameters<typeof import('./battle.js').runBattle>[1], 'obtain' | 'onBroker' | 'tell' | 'signal'>} means */
  constructor({obtain, onBroker, tell, signal}) {
    this.obtain = obtain;
    this.onBroker = onBroker;
    this.tell = tell;
    this.signal = signal;
    /** @type {Promise<import('../brokers/index.js').Broker> | null} */
    this.obtained = null;
    this.count = 0;
  }

  /** @returns {Promise<import('../brokers/index.js').Broker>} */
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
    const dead = await Promise.race([broker.died.then(() => true), Promise.resolve(false)]);
    if (dead) await broker.release();
    return dead;
  }

  async #next() {
    this.count += 1;
    try {
      const broker = await this.obtain();
      await this.onBroker(broker);
      this.tell({type: 'broker', label: broker.label});
      return broker;
    } catch (error) {
      this.signal.throwIfAborted();
      this.tell({type: 'broker-missing', message: /** @type {Error} */ (error).message});
      throw error;
    }
  }
}

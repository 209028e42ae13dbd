import {readFile} from 'node:fs/promises';
import {sum} from 'simple-statistics';
import {RunError} from '../errors.js';
import {TimeLimitError, untilAborted, within} from '../measure/bounds.js';
import {monotonicMs} from '../measure/clock.js';

/**
 * @import {ActionDone, BrokerAction, BrokerDriver, HostFolder, RunningHost} from './kind.js'
 * @import {Disk} from './disk.js'
 */

/** `fill` leaves this space: less than any broker requires, and enough for what the broker still has to write. */
const leftBytes = 8 * 1024 ** 2;
const stopWithinMs = 60_000;

/** The nodes of a private broker on one host. Actions end and restart them on purpose. */
export class ControlledNodes {
  #running;
  /** The indexes of the nodes that an action ends or has ended. @type {Set<number>} */
  #down = new Set();
  /** @type {(reason: string) => void} */
  #die = () => {};

  /**
   * @param {RunningHost} running @param {Disk | null} disk
   * @param {{driver: BrokerDriver, host: HostFolder, signal: AbortSignal}} context signal: aborts a start
   */
  constructor(running, disk, {driver, host, signal}) {
    this.#running = running;
    this.disk = disk;
    this.driver = driver;
    this.host = host;
    this.signal = signal;
    /** Resolves with the reason when a node ends that no action has ended. @type {Promise<string>} */
    this.died = new Promise((resolve) => {
      this.#die = resolve;
    });
    this.#watch();
  }

  get nodes() {
    return this.#running.nodes;
  }

  /** @param {BrokerAction} action @returns {Promise<ActionDone>} */
  async perform(action) {
    const fromMs = monotonicMs();
    const found = await this.#do(action);
    return {fromMs, atMs: monotonicMs(), ...found};
  }

  async end() {
    this.#down = new Set(this.nodes.keys());
    await this.#running.end();
  }

  /** @param {BrokerAction} action @returns {Promise<Partial<ActionDone> | void>} */
  async #do(action) {
    switch (action.type) {
      case 'kill':
        return await this.#endBy('SIGKILL', action.nodes);
      case 'stop':
        return await this.#endBy('SIGTERM');
      case 'start':
        return await this.#start();
      case 'exhaust':
        return await this.#limitMemory(true);
      case 'relieve':
        return await this.#limitMemory(false);
      case 'pause':
        return this.#send('SIGSTOP');
      case 'resume':
        return this.#send('SIGCONT');
      case 'sync':
        return await this.disk?.sync();
      case 'copy':
        return {copy: await this.#disk.copy()};
      case 'restore':
        return await this.#disk.restore();
      case 'fill':
        return await this.#disk.fill(leftBytes);
      case 'empty':
        return await this.#disk.empty();
      case 'use':
        return await this.#disk.use(action.copy);
      case 'written':
        return {written: await this.#written()};
    }
  }

  get #disk() {
    if (!this.disk) throw new TypeError('This broker has no disk of its own.');
    return this.disk;
  }

  /** @param {'SIGKILL' | 'SIGTERM'} signal @param {readonly number[]} [indexes] */
  async #endBy(signal, indexes = [...this.nodes.keys()]) {
    // Another process may have the pid of a node that has ended.
    const hit = indexes.filter((index) => !this.#down.has(index));
    if (hit.length === 0) return;
    for (const index of hit) this.#down.add(index);
    const all = this.#down.size === this.nodes.length;
    for (const index of hit) process.kill(this.nodes[index].pid, signal);
    const ended = Promise.all(hit.map((index) => this.nodes[index].ended));
    try {
      await within(stopWithinMs, this.signal, (soon) => untilAborted(ended, soon));
    } catch (error) {
      if (!(error instanceof TimeLimitError)) throw error;
      throw new RunError(`The broker has not ended within ${stopWithinMs / 1000} s of ${signal}.`, {
        code: 'PB_STALLED',
      });
    } finally {
      // This also ends nodes that ignored the signal, and the helper processes.
      if (all) await this.#running.end();
    }
  }

  async #start() {
    if (this.#down.size === 0) return;
    const some = this.#down.size < this.nodes.length ? [...this.#down] : undefined;
    this.#running = await this.#running.again(this.signal, some);
    this.#down.clear();
    this.#watch();
  }

  #watch() {
    const running = this.#running;
    running.ended.then((reason) => {
      if (this.#running === running && this.#down.size === 0) this.#die(reason);
    });
  }

  /** @param {NodeJS.Signals} signal */
  #send(signal) {
    this.#assertUp();
    for (const {pid} of this.nodes) process.kill(pid, signal);
  }

  #assertUp() {
    if (this.#down.size > 0) throw new RunError('The broker is not running.');
  }

  /** @param {boolean} isLow */
  async #limitMemory(isLow) {
    this.#assertUp();
    const {driver, host, signal} = this;
    if (!driver.limitMemory) throw new TypeError('This kind of broker has no limit of memory.');
    await driver.limitMemory(this.#running, {isLow, host, signal});
  }

  async #written() {
    const each = await Promise.all(this.nodes.map(({pid}) => dirtiedBy(pid)));
    return {
      dirtiedBytes: each.includes(null) ? null : sum(each.map(Number)),
      dirtiedBytesByNode: each,
      flushes: this.disk ? (await this.disk.counts()).flushes : null,
    };
  }
}

/** @param {number} pid */
async function dirtiedBy(pid) {
  const text = await readFile(`/proc/${pid}/io`, 'utf8').catch(() => '');
  const [, bytes] = /^write_bytes: (\d+)$/m.exec(text) ?? [];
  return bytes === undefined ? null : Number(bytes);
}

import {readFile} from 'node:fs/promises';
import {RunError} from '../errors.js';
import {TimeLimitError, untilAborted, within} from '../measure/bounds.js';
import {monotonicMs} from '../measure/clock.js';

/**
 * @import {ActionDone, BrokerAction, RunningHost, Written} from './kind.js'
 * @import {Disk} from './disk.js'
 */

/** Less than any broker wants to be free, and room for what it still has to write. */
const leftBytes = 8 * 1024 ** 2;
/** How long a node may take for an orderly end. */
const stopWithinMs = 60_000;

/** The nodes of a private broker on one host, which may end on purpose and be started again. */
export class ControlledNodes {
  #running;
  /** Whether they have ended, or are to end, on purpose. */
  #isDown = false;
  /** @type {(reason: string) => void} */
  #die = () => {};

  /**
   * @param {RunningHost} running
   * @param {Disk | null} disk
   * @param {AbortSignal} signal ends a start
   */
  constructor(running, disk, signal) {
    this.#running = running;
    this.disk = disk;
    this.signal = signal;
    /** Resolves with the reason when a node ends that was not to end. @type {Promise<string>} */
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
    this.#isDown = true;
    await this.#running.end();
  }

  /** @param {BrokerAction} action @returns {Promise<Partial<ActionDone> | void>} */
  async #do(action) {
    switch (action.type) {
      case 'kill':
        return await this.#endBy('SIGKILL');
      case 'stop':
        return await this.#endBy('SIGTERM');
      case 'start':
        return await this.#start();
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

  /** @param {'SIGKILL' | 'SIGTERM'} signal */
  async #endBy(signal) {
    // The numbers of processes that have ended may be those of others.
    if (this.#isDown) return;
    this.#isDown = true;
    const {ended} = this.#running;
    this.#send(signal);
    try {
      await within(stopWithinMs, this.signal, (soon) => untilAborted(ended, soon));
    } catch (error) {
      if (!(error instanceof TimeLimitError)) throw error;
      throw new RunError(`The broker has not ended within ${stopWithinMs / 1000} s of ${signal}.`, {
        code: 'PB_STALLED',
      });
    } finally {
      // What has not ended by itself, and the helpers of the nodes.
      await this.#running.end();
    }
  }

  async #start() {
    this.#running = await this.#running.again(this.signal);
    this.#isDown = false;
    this.#watch();
  }

  #watch() {
    const running = this.#running;
    running.ended.then((reason) => {
      if (this.#running === running && !this.#isDown) this.#die(reason);
    });
  }

  /** @param {NodeJS.Signals} signal */
  #send(signal) {
    if (this.#isDown && signal !== 'SIGKILL' && signal !== 'SIGTERM')
      throw new RunError('The broker is not running.');
    for (const {pid} of this.nodes) process.kill(pid, signal);
  }

  /** @returns {Promise<Written>} */
  async #written() {
    const each = await Promise.all(this.nodes.map(({pid}) => dirtiedBy(pid)));
    return {
      dirtiedBytes: each.includes(null) ? null : sum(each.map(Number)),
      flushes: this.disk ? (await this.disk.counts()).flushes : null,
    };
  }
}

/** @param {readonly number[]} values */
function sum(values) {
  return values.reduce((total, value) => total + value, 0);
}

/** @param {number} pid @returns {Promise<number | null>} */
async function dirtiedBy(pid) {
  const text = await readFile(`/proc/${pid}/io`, 'utf8').catch(() => '');
  const [, bytes] = /^write_bytes: (\d+)$/m.exec(text) ?? [];
  return bytes === undefined ? null : Number(bytes);
}

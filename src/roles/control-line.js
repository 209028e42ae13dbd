import {createInterface} from 'node:readline';
import {RunError} from '../errors.js';
import {parseMessage} from '../protocol.js';

/** @import {ClientSettings, ControlMessage, ServerSettings} from '../protocol.js' */

/** The abort reason of a requested stop, which is no error. */
export const stopped = Symbol('stopped');

/** After this long without a message the battle is gone, or the network is cut. */
const maxSilenceMs = 5000;
const checkEveryMs = 1000;

/**
 * The role's end of the control line, on standard input. The script ends when the line is closed, or after 5 s without a message, so that no
 * role outlives a killed battle or a cut network.
 */
export class ControlLine {
  /**
   * @param {NodeJS.ReadableStream} input
   * @param {AbortController} life aborted when the script must end
   */
  constructor(input, life) {
    this.life = life;
    /** @type {() => void} */
    this.onMark = () => {};
    /** @type {() => void} */
    this.onCount = () => {};
    /** @type {() => void} */
    this.onBeat = () => {};
    /** @type {() => void} */
    this.onClock = () => {};
    /** Rejects if the script must end first. @type {Promise<ServerSettings | ClientSettings>} */
    this.configuration = new Promise((resolve, reject) => {
      this.configure = resolve;
      life.signal.addEventListener('abort', () => reject(life.signal.reason), {once: true});
    });
    this.configuration.catch(() => {});
    /** @type {Promise<void>} */
    this.started = new Promise((resolve) => {
      this.start = resolve;
    });
    /** @type {Promise<void>} */
    this.released = new Promise((resolve) => {
      this.release = resolve;
    });
    this.lines = createInterface({input});
    this.lines.on('line', (line) => this.#read(line));
    this.lines.on('close', () => life.abort(stopped));
    this.lastMessageAt = performance.now();
    this.checkedAt = performance.now();
    this.silence = setInterval(() => this.#checkSilence(), checkEveryMs);
  }

  close() {
    clearInterval(this.silence);
    this.lines.removeAllListeners();
    this.lines.close();
  }

  /** @param {string} line */
  #read(line) {
    this.lastMessageAt = performance.now();
    const message = parseMessage(line);
    if (message) this.#actOn(message);
  }

  /** @param {ControlMessage} message */
  #actOn(message) {
    switch (message.type) {
      case 'configure':
        return this.configure?.(message.options);
      case 'start':
        return this.start?.();
      case 'go':
        return this.release?.();
      case 'count':
        return this.onCount();
      case 'mark':
        return this.onMark();
      case 'clock':
        return this.onClock();
      case 'beat':
        return this.onBeat();
      case 'stop':
        return this.life.abort(stopped);
    }
  }

  #checkSilence() {
    const now = performance.now();
    // This process was itself stopped, for example by Ctrl-Z, and could not read.
    if (now - this.checkedAt >= maxSilenceMs) this.lastMessageAt = now;
    this.checkedAt = now;
    if (now - this.lastMessageAt < maxSilenceMs) return;
    const message = `The control line was silent for ${maxSilenceMs / 1000} s.`;
    this.life.abort(new RunError(message, {code: 'PB_CONTROL_LOST'}));
  }
}

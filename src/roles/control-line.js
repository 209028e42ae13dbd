import {createInterface} from 'node:readline';
import {RunError} from '../errors.js';
import {parseMessage} from '../protocol.js';

/** @import {ClientSettings, ControlMessage, ServerSettings} from '../protocol.js' */

/** The reason of a stop that was asked for: no error. */
export const stopped = Symbol('stopped');

/** Without a beat for this long the other end is gone or the network is cut. */
const silenceMs = 5000;
const lookEveryMs = 1000;

/**
 * A role's end of the control line, on standard input. The end of the line, or 5 s without a message, ends the script, so that nothing survives
 * a killed parent or a cut network.
 */
export class ControlLine {
  /**
   * @param {NodeJS.ReadableStream} input
   * @param {AbortController} life is aborted when the script must end
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
    /** Rejects when the script must end before it came. @type {Promise<ServerSettings | ClientSettings>} */
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
    this.lines.on('line', (line) => this.#obey(line));
    this.lines.on('close', () => life.abort(stopped));
    this.heardAt = performance.now();
    this.lookedAt = performance.now();
    this.silence = setInterval(() => this.#checkSilence(), lookEveryMs);
  }

  close() {
    clearInterval(this.silence);
    this.lines.removeAllListeners();
    this.lines.close();
  }

  /** @param {string} line */
  #obey(line) {
    this.heardAt = performance.now();
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
    // Who was stopped himself (Ctrl-Z) has not listened.
    if (now - this.lookedAt >= silenceMs) this.heardAt = now;
    this.lookedAt = now;
    if (now - this.heardAt < silenceMs) return;
    const message = `The control line has been silent for ${silenceMs / 1000} s.`;
    this.life.abort(new RunError(message, {code: 'PB_CONTROL_LOST'}));
  }
}

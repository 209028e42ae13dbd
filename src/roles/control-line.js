import {createInterface} from 'node:readline';
import {RunError} from '../errors.js';

/** The reason of a stop that was asked for: no error. */
export const stopped = Symbol('stopped');

/** Without a beat for this long the other end is gone or the network is cut. */
const silenceMs = 5000;
const lookEveryMs = 1000;

/**
 * The control line on standard input: JSON lines `{type: 'configure', options}`, `{type: 'start'}`, `{type: 'go'}` (after the
 * warm-up), `{type: 'count'}`, `{type: 'mark'}`, `{type: 'clock'}`, `{type: 'beat'}` (answered by one) and `{type: 'stop'}`. Its end, or 5 s without any line, ends the script, so that nothing survives a
 * killed parent or a cut network.
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
    /** @type {Promise<Record<string, any>>} */
    this.configuration = new Promise((resolve) => {
      this.configure = resolve;
    });
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
    life.signal.addEventListener('abort', () => this.configure?.({}), {once: true});
  }

  close() {
    clearInterval(this.silence);
    this.lines.removeAllListeners();
    this.lines.close();
  }

  /** @param {string} line */
  #obey(line) {
    this.heardAt = performance.now();
    const message = JSON.parse(line);
    if (message.type === 'configure') this.configure?.(message.options);
    if (message.type === 'start') this.start?.();
    if (message.type === 'go') this.release?.();
    if (message.type === 'count') this.onCount();
    if (message.type === 'mark') this.onMark();
    if (message.type === 'clock') this.onClock();
    if (message.type === 'beat') this.onBeat();
    if (message.type === 'stop') this.life.abort(stopped);
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

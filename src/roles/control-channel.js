import {createInterface} from 'node:readline';
import {HeartbeatTimeout, heartbeatTimeoutMs} from '../ending/heartbeat.js';
import {RunError} from '../errors.js';
import {parseMessage} from '../protocol.js';

/** @import {ControlMessage} from '../messages.js' */

/**
 * The control channel of a role with these settings.
 * @template Settings
 * @typedef {Omit<ControlChannel, 'configurations'> & {configurations: {next(): Promise<{options: Settings}>}}} Control
 */

/** The abort reason of a requested stop, which is not an error. */
export const stopped = Symbol('stopped');
/** The abort reason when the battle is gone, so that the output and the exit code of the script no longer matter. */
export const abandoned = Symbol('abandoned');

/**
 * The role's end of the control channel, on standard input. The script ends when the channel is closed, or after 5 s without a message. So no
 * role outlives a killed battle or a broken network.
 */
export class ControlChannel {
  /** @param {NodeJS.ReadableStream} input @param {AbortController} life aborted when the script must end */
  constructor(input, life) {
    this.life = life;
    /** @type {() => void} */
    this.onMark = () => {};
    /** @type {() => void} */
    this.onCount = () => {};
    /** @type {() => void} */
    this.onClock = () => {};
    /** @type {(isCounted: boolean) => void} */
    this.onSlice = () => {};
    /** @type {(on: boolean) => void} */
    this.onProfile = () => {};
    /** The messages in these three inboxes come once for each cell. */
    this.configurations = /** @type {Inbox<'configure'>} */ (new Inbox());
    this.starts = /** @type {Inbox<'start'>} */ (new Inbox());
    this.releases = /** @type {Inbox<'go'>} */ (new Inbox());
    /** The messages that follow `go` if a cell is measured in slices. */
    this.slices = /** @type {Inbox<'slice' | 'end'>} */ (new Inbox());
    this.lines = createInterface({input});
    this.lines.on('line', (line) => this.#read(line));
    this.lines.on('close', () => life.abort(abandoned));
    this.timeout = new HeartbeatTimeout(() => life.abort(silent()));
  }

  close() {
    this.timeout.end();
    this.lines.removeAllListeners();
    this.lines.close();
  }

  /** @param {string} line */
  #read(line) {
    this.timeout.heard();
    const message = parseMessage(line);
    if (message) this.#actOn(message);
  }

  /** @param {ControlMessage} message */
  #actOn(message) {
    switch (message.type) {
      case 'configure':
        return this.configurations.put(message);
      case 'start':
        return this.starts.put(message);
      case 'go':
        return this.releases.put(message);
      case 'slice':
      case 'end':
        return this.slices.put(message);
      case 'count':
        return this.onCount();
      case 'mark':
        return this.onMark();
      case 'pause':
      case 'resume':
        return this.onSlice(message.type === 'resume');
      case 'clock':
        return this.onClock();
      case 'profile':
        return this.onProfile(message.on);
      case 'beat':
        return;
      case 'stop':
        return this.life.abort(stopped);
    }
  }
}

function silent() {
  return new RunError(`The control channel was silent for ${heartbeatTimeoutMs / 1000} s.`, {
    code: 'PB_CONTROL_LOST',
  });
}

/**
 * Holds messages of some types, in the order of their arrival. Each message is taken once.
 * @template {ControlMessage['type']} Type
 */
class Inbox {
  /** @type {Extract<ControlMessage, {type: Type}>[]} */
  #messages = [];
  /** @type {((message: Extract<ControlMessage, {type: Type}>) => void)[]} */
  #takers = [];

  /** @param {Extract<ControlMessage, {type: Type}>} message */
  put(message) {
    const taker = this.#takers.shift();
    if (taker) taker(message);
    else this.#messages.push(message);
  }

  /** @returns {Promise<Extract<ControlMessage, {type: Type}>>} the next message; never settles if none comes */
  next() {
    const message = this.#messages.shift();
    if (message) return Promise.resolve(message);
    return new Promise((resolve) => {
      this.#takers.push(resolve);
    });
  }
}

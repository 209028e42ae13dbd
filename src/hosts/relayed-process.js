import {EventEmitter, once} from 'node:events';
import {PassThrough, Writable} from 'node:stream';

/** @import {EventOfRole, RoleCommand} from './agent-messages.js' */

/** A process on another host whose pipes an agent relays. Emits `error` and `close` like a child process, and `lost` when its agent is gone. */
export class RelayedProcess extends EventEmitter {
  stdout = new PassThrough();
  stderr = new PassThrough();

  /** @param {(command: RoleCommand) => void} send to the process */
  constructor(send) {
    super();
    this.send = send;
    this.stdin = new Writable({
      decodeStrings: false,
      write: (text, _encoding, written) => {
        send({command: 'write', text});
        written();
      },
      final: (ended) => {
        send({command: 'end'});
        ended();
      },
    });
  }

  /** @param {NodeJS.Signals} signal */
  kill(signal) {
    this.send({command: 'kill', signal});
    return true;
  }

  /** @param {EventOfRole} event of the process */
  take(event) {
    switch (event.event) {
      case 'stdout':
      case 'stderr':
        return this[event.event].write(event.text);
      case 'error':
        return this.emit('error', new Error(event.message));
      case 'close':
        return this.#end('close', event.code, event.signal);
    }
  }

  /** @param {Error} reason why nothing more will be heard of it */
  lose(reason) {
    return this.#end('lost', reason);
  }

  /**
   * Emits an event after everything that the process wrote was read.
   * @param {string} event
   * @param {unknown[]} details
   */
  async #end(event, ...details) {
    this.stdin.destroy();
    await Promise.all([this.stdout, this.stderr].map((stream) => once(stream.end(), 'end')));
    this.emit(event, ...details);
  }
}

/** @import {OnRequest, Reply} from './index.js' */

/** Ends a reply of several parts: an empty message, which no payload is. */
export const endOfParts = Buffer.alloc(0);

/**
 * The requests of one connection whose replies carry no id: while a reply of several parts is being written, the requests that come
 * meanwhile wait, so that parts never mix.
 */
export class SerializedRequests {
  /**
   * @param {{send: (message: Buffer) => boolean, drained: () => Promise<void>}} connection
   * @param {OnRequest} onRequest
   */
  constructor({send, drained}, onRequest) {
    this.onRequest = onRequest;
    this.isOpen = false;
    /** @type {Buffer[]} */
    this.waiting = [];
    /** @type {Reply} one for all: there is no state but whether it is open */
    this.reply = {
      write: (chunk) => {
        this.isOpen = true;
        return send(chunk);
      },
      drained,
      end: (chunk) => {
        if (chunk) send(chunk);
        if (this.isOpen) this.#close(send);
      },
    };
  }

  /** @param {Buffer} request */
  take(request) {
    if (this.isOpen) this.waiting.push(request);
    else this.onRequest(request, this.reply);
  }

  /** @param {(message: Buffer) => boolean} send */
  #close(send) {
    send(endOfParts);
    this.isOpen = false;
    while (!this.isOpen) {
      const next = this.waiting.shift();
      if (next === undefined) return;
      this.onRequest(next, this.reply);
    }
  }
}

/** @import {OnRequest, Reply} from './transport.js' */

/** Marks the end of a reply of several parts. No payload is empty. */
export const endOfParts = Buffer.alloc(0);

/**
 * Serializes the requests of a connection whose replies have no id. While a reply of several parts is being written, later requests wait,
 * so that the parts of two replies never mix.
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
    /** @type {Reply} shared by all requests, because at most one reply is open */
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

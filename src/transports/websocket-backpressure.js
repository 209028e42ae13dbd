/**
 * @import {Socket} from 'node:net'
 * @import {WebSocket} from 'ws'
 */

/** With more than this waiting in a connection its owner should wait: four times what a socket buffers by itself. */
const plentyBytes = 64 * 1024;

/**
 * Back-pressure of one ws connection by its bufferedAmount. ws knows no drain event of its own: it is that of the socket below, after
 * which no more is buffered.
 */
export class WebSocketBackpressure {
  /**
   * @param {WebSocket} webSocket
   * @param {Socket} socket below it
   */
  constructor(webSocket, socket) {
    this.webSocket = webSocket;
    this.socket = socket;
  }

  /** @returns {boolean} false: wait for `drained` */
  get hasRoom() {
    return this.webSocket.bufferedAmount < plentyBytes;
  }

  /** @returns {Promise<void>} resolves when there is room, and when the connection has died */
  async drained() {
    while (!this.hasRoom && this.#isOpen) await this.#written();
  }

  /** @returns {Promise<{confirmed: null}>} when the system has taken all that was sent */
  async flushed() {
    while (this.webSocket.bufferedAmount > 0 && this.#isOpen) await this.#written();
    return {confirmed: null};
  }

  get #isOpen() {
    return this.webSocket.readyState === this.webSocket.OPEN && !this.socket.destroyed;
  }

  /** What is written last tells when all before it is. @returns {Promise<void>} */
  #written() {
    return new Promise((resolve) => {
      const {socket} = this;
      const done = () => {
        socket.removeListener('drain', done);
        socket.removeListener('close', done);
        clearImmediate(soon);
        resolve();
      };
      // Frames that ws still compresses are not the socket's yet: look again at the next turn of the event loop.
      const soon = socket.writableNeedDrain ? undefined : setImmediate(done);
      socket.on('drain', done);
      socket.on('close', done);
    });
  }
}

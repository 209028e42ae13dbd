/**
 * @import {Socket} from 'node:net'
 * @import {WebSocket} from 'ws'
 */

/** The sender should wait while more than this is buffered: four times the high-water mark of a socket. */
const highWaterMarkBytes = 64 * 1024;

/** Back-pressure of a ws connection, by its bufferedAmount. ws has no drain event, so this class uses the event of the underlying socket. */
export class WebSocketBackpressure {
  /**
   * @param {WebSocket} webSocket
   * @param {Socket} socket the underlying socket
   */
  constructor(webSocket, socket) {
    this.webSocket = webSocket;
    this.socket = socket;
  }

  /** @returns {boolean} false: wait for `drained` */
  get hasRoom() {
    return this.webSocket.bufferedAmount < highWaterMarkBytes;
  }

  /** @returns {Promise<void>} resolves when there is room, and when the connection is lost */
  async drained() {
    while (!this.hasRoom && this.#isOpen) await this.#written();
  }

  /** @returns {Promise<{confirmed: null}>} resolves when everything was handed to the operating system */
  async flushed() {
    while (this.webSocket.bufferedAmount > 0 && this.#isOpen) await this.#written();
    return {confirmed: null};
  }

  get #isOpen() {
    return this.webSocket.readyState === this.webSocket.OPEN && !this.socket.destroyed;
  }

  /** @returns {Promise<void>} resolves when the socket has drained or closed */
  #written() {
    return new Promise((resolve) => {
      const {socket} = this;
      const done = () => {
        socket.removeListener('drain', done);
        socket.removeListener('close', done);
        clearImmediate(soon);
        resolve();
      };
      // Frames that ws is still compressing are not in the socket's buffer yet: check again in the next turn of the event loop.
      const soon = socket.writableNeedDrain ? undefined : setImmediate(done);
      socket.on('drain', done);
      socket.on('close', done);
    });
  }
}

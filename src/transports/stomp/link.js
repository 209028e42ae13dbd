/**
 * @import {Socket} from 'node:net'
 * @import {IStompSocket} from '@stomp/stompjs'
 */

/** What a frame has beside its body, amply. */
const overheadBytes = 64 * 1024;

/**
 * A socket of TCP or TLS in the shape of the WebSocket that the library of STOMP expects. What is sent within one turn of the event loop is written
 * together.
 * @implements {IStompSocket}
 */
export class SocketLink {
  /** @type {IStompSocket['onopen']} */
  onopen = null;
  /** @type {IStompSocket['onclose']} */
  onclose = null;
  /** @type {IStompSocket['onerror']} */
  onerror = null;
  /** @type {IStompSocket['onmessage']} */
  onmessage = null;
  /** Of a WebSocket: connecting, open, closing, closed. */
  readyState = 0;
  /** Since the last frame ended. */
  #unfinishedBytes = 0;

  /**
   * @param {Socket} socket
   * @param {{opens: 'connect' | 'secureConnect', url: string, maxBodyBytes: number, fail: (error: Error) => void}} how maxBodyBytes: `fail` is called for
   *   more, which the library would keep without a bound
   */
  constructor(socket, {opens, url, maxBodyBytes, fail}) {
    this.socket = socket;
    this.url = url;
    socket.once(opens, () => {
      this.readyState = 1;
      this.onopen?.({});
    });
    socket.on('data', (/** @type {any} */ data) => {
      this.#unfinishedBytes += data.length;
      this.onmessage?.({data});
      if (this.#unfinishedBytes <= maxBodyBytes + overheadBytes) return;
      fail(new Error(`the broker sent a frame of more than ${maxBodyBytes} bytes`));
      socket.destroy();
    });
    socket.on('close', () => {
      this.readyState = 3;
      this.onclose?.({});
    });
  }

  frameEnded() {
    this.#unfinishedBytes = 0;
  }

  /** @param {string | ArrayBuffer} data */
  send(data) {
    const {socket} = this;
    if (socket.destroyed) return;
    if (socket.writableCorked === 0) {
      socket.cork();
      process.nextTick(() => socket.uncork());
    }
    socket.write(typeof data === 'string' ? data : new Uint8Array(data));
  }

  close() {
    this.readyState = 2;
    this.socket.end();
  }

  terminate() {
    this.socket.destroy();
  }
}

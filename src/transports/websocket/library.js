import http from 'node:http';
import {createRequire} from 'node:module';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {loadPackage, packageAbove} from '../../packages/load.js';

/**
 * @import {Socket} from 'node:net'
 * @import {WebSocket} from 'ws'
 */

/** Loads the ws package from npm. Bun would load its own implementation, which hides the socket. */
export function loadWs() {
  if (!('Bun' in globalThis)) return loadPackage('ws');
  const folder = packageAbove(dirname(fileURLToPath(import.meta.url)), 'ws');
  return loadPackage(join(String(folder), 'index.js'));
}

/**
 * Returns the implementation that masks the frames of this process. ws prefers the function of Node.js, then the native bufferutil, then a
 * loop in JavaScript.
 * @returns {'node' | 'bufferutil' | 'javascript'}
 */
export function maskingInForce() {
  if ('websocketMask' in http && http.websocketMask) return 'node';
  if (process.env.WS_NO_BUFFER_UTIL) return 'javascript';
  try {
    const nativeMasking = createRequire(createRequire(import.meta.url).resolve('ws'))('bufferutil');
    return nativeMasking.mask === undefined || isFallback() ? 'javascript' : 'bufferutil';
  } catch {
    return 'javascript';
  }
}

/** bufferutil itself falls back to JavaScript when it has no binary for the machine. */
function isFallback() {
  const require = createRequire(import.meta.url);
  const loaded = Object.keys(require.cache).filter((path) => path.includes('bufferutil'));
  return loaded.length > 0 && !loaded.some((path) => path.endsWith('.node'));
}

/** A sender waits while more than this number of bytes is buffered: four times the high-water mark of a socket. */
const highWaterMarkBytes = 64 * 1024;

/** Back-pressure of a ws connection, by its bufferedAmount. ws has no drain event, so this class uses the event of the underlying socket. */
export class WebSocketBackpressure {
  /** @param {WebSocket} webSocket @param {Socket} socket the underlying socket */
  constructor(webSocket, socket) {
    this.webSocket = webSocket;
    this.socket = socket;
  }

  /** @returns {boolean} false: wait for `drained` */
  get hasRoom() {
    return this.webSocket.bufferedAmount < highWaterMarkBytes;
  }

  /** @returns {Promise<void>} resolves when there is room, or when the connection is lost */
  async drained() {
    while (!this.hasRoom && this.#isOpen) await this.#written();
  }

  /** @returns {Promise<{confirmed: null}>} resolves when all bytes were handed to the operating system */
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
      // Frames that ws is still compressing are not in the socket's buffer yet, so the next turn of the event loop checks again.
      const soon = socket.writableNeedDrain ? undefined : setImmediate(done);
      socket.on('drain', done);
      socket.on('close', done);
    });
  }
}

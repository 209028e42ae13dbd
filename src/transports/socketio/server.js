import {createServer} from 'node:http';
import {createServer as createTlsServer} from 'node:https';
import {listen} from '../../net/listen.js';
import {serverCredentials} from '../../net/tls.js';
import {requireOptional} from '../../packages/load.js';
import {maxPayloadBytes} from '../../payload/bytes.js';

/**
 * @import {OnRequest, Reply, ServeSettings, Server} from '../transport.js'
 * @import {FromClient, FromServer, ServerSocket} from './events.js'
 * @import {SocketIoSettings} from './index.js'
 * @import * as Library from 'socket.io'
 * @import {WebSocket} from 'ws'
 */

/** @type {typeof Library} */
const {Server: SocketIoServer} = requireOptional('socket.io', {by: 'Socket.IO', install: 'socketio'});

/** An upper bound on the size of a request without its payload. */
const overheadBytes = 1024;

/** @param {ServeSettings & SocketIoSettings} options @param {OnRequest} onRequest @returns {Promise<Server>} */
export async function serve(options, onRequest) {
  const credentials = await serverCredentials(options);
  const server = credentials ? createTlsServer(credentials) : createServer();
  /** @type {Library.Server<FromClient, FromServer>} */
  const io = new SocketIoServer(server, {
    transports: ['websocket'],
    serveClient: false,
    maxHttpBufferSize: maxPayloadBytes + overheadBytes,
  });
  io.on('connection', (socket) => serveSocket(socket, onRequest));
  const listening = await listen(server, options);
  return {
    ...listening,
    certificate: credentials?.cert ?? null,
    async close() {
      io.disconnectSockets(true);
      await listening.close();
    },
  };
}

const nothing = Buffer.alloc(0);

/** @param {ServerSocket} socket @param {OnRequest} onRequest */
function serveSocket(socket, onRequest) {
  const outlet = new Outlet(socket);
  let handled = 0;
  /** @type {Reply} shared by all one-way messages */
  const noReply = {
    write: () => true,
    drained: async () => {},
    end() {
      handled += 1;
    },
  };
  /** Returns whether a message is valid, and otherwise disconnects the client. @param {unknown} payload @param {unknown} reply */
  const isFine = (payload, reply) => {
    if (Buffer.isBuffer(payload) && typeof reply === 'function') return true;
    socket.disconnect(true);
    return false;
  };
  socket.on('ask', (payload, reply) => {
    if (isFine(payload, reply)) onRequest(payload, new WholeReply(outlet, reply));
  });
  socket.on('askForParts', (number, payload, reply) => {
    if (!isFine(payload, reply)) return;
    onRequest(payload, {
      write: (part) => outlet.send(part, () => socket.emit('part', number, part)),
      drained: () => outlet.drained(),
      end: (last = nothing) => void outlet.send(last, () => reply(last)),
    });
  });
  socket.on('send', (payload) => {
    if (isFine(payload, Buffer.isBuffer)) onRequest(payload, noReply);
  });
  socket.on('count', (reply) => {
    if (isFine(nothing, reply)) reply(handled);
  });
}

/** A reply by an acknowledgement, which has one argument, so parts are joined. @implements {Reply} */
class WholeReply {
  /** @param {Outlet} outlet @param {(payload: Buffer) => void} reply */
  constructor(outlet, reply) {
    this.outlet = outlet;
    this.reply = reply;
    /** @type {Buffer[] | null} */
    this.parts = null;
  }

  /** @param {Buffer} part */
  write(part) {
    this.parts ??= [];
    this.parts.push(part);
    return true;
  }

  async drained() {}

  /** @param {Buffer} [last] */
  end(last = nothing) {
    const whole = this.parts ? Buffer.concat([...this.parts, last]) : last;
    this.outlet.send(whole, () => this.reply(whole));
  }
}

/** A sender waits while the library's buffer has more than this number of bytes. */
const highWaterMarkBytes = 256 * 1024;
/** The server reads nothing from a client with more than this amount of unread replies. */
const maxUnreadBytes = 16 * 1024 * 1024;

/** Sends to one client. The library buffers what the socket does not accept, and continues when the socket has accepted the previous write. */
class Outlet {
  heldBytes = 0;
  isPaused = false;

  /** @param {ServerSocket} socket */
  constructor(socket) {
    this.connection = socket.conn;
    this.connection.on('drain', () => {
      this.heldBytes = 0;
      if (this.isPaused) this.#pause(false);
    });
  }

  /** @param {Buffer} payload @param {() => void} emit @returns {boolean} false: wait for `drained` */
  send(payload, emit) {
    this.heldBytes += payload.length;
    emit();
    if (this.heldBytes > maxUnreadBytes && !this.isPaused) this.#pause(true);
    return this.heldBytes < highWaterMarkBytes;
  }

  /** @returns {Promise<void>} also resolves when the connection ends */
  drained() {
    const {connection} = this;
    return new Promise((resolve) => {
      if (this.heldBytes < highWaterMarkBytes || connection.readyState !== 'open') return resolve();
      const done = () => {
        connection.removeListener('drain', done);
        connection.removeListener('close', done);
        resolve();
      };
      connection.on('drain', done);
      connection.on('close', done);
    });
  }

  /** Pauses the WebSocket, because the library cannot stop reading. @param {boolean} isPaused */
  #pause(isPaused) {
    const {socket} = /** @type {{socket?: WebSocket}} */ (this.connection.transport);
    this.isPaused = isPaused;
    if (isPaused) socket?.pause();
    else socket?.resume();
  }
}

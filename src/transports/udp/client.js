import {randomBytes} from 'node:crypto';
import {lookup} from 'node:dns/promises';
import {RunError} from '../../errors.js';
import {joinAddress, splitAddress} from '../../net/address.js';
import {NoAnswerError} from '../../net/bounded.js';
import {promised} from '../pending-replies.js';
import {kinds, makeDatagram, noReply, readHeader, sessionBytes} from './datagram.js';
import {Session} from './session.js';
import {Alarm, enlargeBuffers, now, openSocket, windowOf} from './socket.js';

/**
 * @import {Client, ConnectSettings, Correlation, Waiting} from '../transport.js'
 * @import {UdpSettings} from './index.js'
 * @import {Socket} from 'node:dgram'
 */

/** @param {ConnectSettings & UdpSettings} options @returns {Promise<Client>} */
export async function connect(options) {
  const {session, calls, details, close} = await openLink(options);
  /** @type {Client['ask']} */
  const ask = (payload, waiting) => calls.ask(payload, waiting);
  return {
    ask,
    request: promised(ask),
    send: sendTogether(session),
    async drained() {
      await session.drained();
      if (calls.failure) throw calls.failure;
    },
    async flushed() {
      await session.flushed();
      if (calls.failure) throw calls.failure;
      return {confirmed: null};
    },
    retransmissions: () => session.outgoing.retransmissions,
    closed: calls.closed,
    details,
    close,
  };
}

/**
 * Sends one-way messages. The messages of one turn of the event loop share datagrams, unless batching is off.
 * @param {Session} session
 * @returns {(payload: Buffer) => boolean}
 */
function sendTogether(session) {
  let isFlushPlanned = false;
  const flush = () => {
    isFlushPlanned = false;
    session.flush();
  };
  return (payload) => {
    if (!isFlushPlanned) {
      isFlushPlanned = true;
      process.nextTick(flush);
    }
    return session.write(noReply, payload);
  };
}

/** The interval after which the client repeats an unanswered hello. */
const greetEveryMs = 200;
/** After this time without a datagram from the server, the client sends a keep-alive request. */
const quietMs = 1000;

/**
 * A session with a server, and the requests over it.
 * @typedef {{session: Session, calls: Calls, details: Record<string, unknown>, close: () => Promise<void>}} Link
 */

/**
 * Opens a session with a server.
 * @param {ConnectSettings & UdpSettings} options
 * @returns {Promise<Link>}
 * @throws {NoAnswerError | Error} an error with the code of the system when no process listens at any of the addresses
 */
async function openLink(options) {
  const {host, port} = splitAddress(options.servers[0]);
  let failure;
  for (const {address, family} of await lookup(host, {all: true})) {
    const socket = openSocket(family === 6 ? 'udp6' : 'udp4');
    try {
      await connectSocket(socket, address, port);
      return openSession(socket, options, await greet(socket, options));
    } catch (error) {
      socket.close();
      failure = explain(/** @type {NodeJS.ErrnoException} */ (error), options, joinAddress(address, port));
    }
  }
  throw failure;
}

/** @param {Socket} socket @param {string} address @param {number} port @returns {Promise<void>} */
function connectSocket(socket, address, port) {
  return new Promise((resolve, reject) => {
    // The types lack the error, which is present if the look-up fails.
    const done = /** @type {() => void} */ (
      (/** @type {Error} */ error) => (error ? reject(error) : resolve())
    );
    socket.connect(port, address, done);
  });
}

/**
 * What both ends know before the first message. room: how many datagrams the server can accept
 * @typedef {{id: number, window: number, room: number, buffers: ReturnType<typeof enlargeBuffers>}} Agreement
 */

/**
 * Sends hello datagrams until the server answers.
 * @param {Socket} socket connected
 * @param {ConnectSettings & UdpSettings} options
 * @returns {Promise<Agreement>}
 */
async function greet(socket, {udpDatagramBytes, greetingMs}) {
  const buffers = enlargeBuffers(socket);
  const window = windowOf(udpDatagramBytes, buffers.receiveBufferBytes);
  const id = randomBytes(sessionBytes).readUIntBE(0, sessionBytes);
  const hello = makeDatagram({kind: kinds.hello, session: id, room: window}, udpDatagramBytes);
  /** @type {NodeJS.Timeout[]} */
  const timers = [];
  /** @type {Promise<number>} */
  const welcomed = new Promise((resolve, reject) => {
    const greetOnce = () => socket.send(hello, (error) => error && reject(error));
    socket.on('error', reject);
    socket.on('message', (datagram) => {
      const header = readHeader(datagram);
      if (header?.kind === kinds.welcome && header.session === id) resolve(header.room);
    });
    timers.push(setInterval(greetOnce, greetEveryMs));
    timers.push(setTimeout(() => reject(new NoAnswerError(greetingMs)), greetingMs));
    greetOnce();
  });
  try {
    return {id, window, room: await welcomed, buffers};
  } finally {
    for (const timer of timers) clearTimeout(timer);
  }
}

/** @param {Socket} socket @param {ConnectSettings & UdpSettings} options @param {Agreement} agreement @returns {Link} */
function openSession(socket, {udpDatagramBytes, udpBatch, correlation}, {id, window, room, buffers}) {
  const alarm = new Alarm(now, () => session.tick());
  const session = new Session({
    ...{id, window, room, datagramBytes: udpDatagramBytes, isBatching: udpBatch, now},
    transmit: (datagram, length) => socket.send(datagram, 0, length),
    onMessage: (request, reply) => calls.take(request, reply),
    onEnd: (error) => calls.fail(error),
    wakeAt: (ms) => alarm.at(ms),
  });
  const calls = new Calls(session, correlation);
  const probing = setInterval(() => session.probe(quietMs), quietMs);
  /** @type {Promise<void> | null} */
  let closing = null;
  socket.removeAllListeners();
  // The kernel reports a closed port of the server as an error.
  socket.on('error', (error) => session.fail(error));
  socket.on('message', (datagram) => {
    const header = readHeader(datagram);
    if (header?.session === id) session.receive(header, datagram);
  });
  return {
    session,
    calls,
    details: {
      clientReceiveBufferBytes: buffers.receiveBufferBytes,
      clientSendBufferBytes: buffers.sendBufferBytes,
    },
    // `close` may be called again if the client cannot reconnect.
    async close() {
      calls.finish();
      session.close();
      clearInterval(probing);
      alarm.clear();
      closing ??= closeSocket(socket);
      await closing;
    },
  };
}

/** @param {Socket} socket @returns {Promise<void>} */
function closeSocket(socket) {
  return new Promise((resolve) => {
    socket.close(() => resolve());
  });
}

/**
 * Replaces system errors by errors that explain their cause.
 * @param {NodeJS.ErrnoException} error @param {UdpSettings} options @param {string} address
 */
function explain(error, {udpDatagramBytes}, address) {
  if (error.code === 'ECONNREFUSED')
    return Object.assign(new Error(`no UDP server listens at ${address} (ECONNREFUSED)`), {code: error.code});
  if (error.code === 'EMSGSIZE')
    return new RunError(
      `Datagrams of ${udpDatagramBytes} bytes are too large for this host or for the path to the server. Choose a smaller size with --udp-datagram (PB_UDP_DATAGRAM).`,
      {cause: error},
    );
  return error;
}

/** Ids have 32 bits. When an id repeats, its earlier request has ended. */
const lastId = 2 ** 32 - 1;

/** The outstanding requests of a client, by message id. */
export class Calls {
  /** @param {Pick<Session, 'write' | 'flush'>} session @param {Correlation | null} correlation */
  constructor(session, correlation) {
    this.session = session;
    this.onStray = correlation?.onStray ?? (() => {});
    this.lastUsed = noReply;
    /** @type {Map<number, Waiting>} */
    this.waiting = new Map();
    /** @type {Error | null} */
    this.failure = null;
    /** @type {Promise<void>} rejects when the session ends */
    this.closed = new Promise((resolve, reject) => {
      this.resolveClosed = resolve;
      this.rejectClosed = reject;
    });
    this.closed.catch(() => {});
  }

  /** @param {Buffer} payload @param {Waiting} waiting */
  ask(payload, waiting) {
    if (this.failure) return waiting.reject(this.failure);
    this.lastUsed = this.lastUsed === lastId ? noReply + 1 : this.lastUsed + 1;
    this.waiting.set(this.lastUsed, waiting);
    this.session.write(this.lastUsed, payload);
    this.session.flush();
  }

  /** @param {number} id @param {Buffer} reply an empty message ends a reply of several parts */
  take(id, reply) {
    const call = this.waiting.get(id);
    if (!call) return this.onStray();
    if (call.onChunk && reply.length > 0) return call.onChunk(reply);
    this.waiting.delete(id);
    call.resolve(reply);
  }

  /** @param {Error} error */
  fail(error) {
    if (this.failure) return;
    this.#end(error);
    this.rejectClosed?.(error);
  }

  /** Ends a session that the client closes. */
  finish() {
    if (this.failure) return;
    this.#end(new RunError('The connection was closed.', {code: 'PB_CLOSED'}));
    this.resolveClosed?.();
  }

  /** @param {Error} error */
  #end(error) {
    this.failure = error;
    const calls = [...this.waiting.values()];
    this.waiting.clear();
    for (const call of calls) call.reject(error);
  }
}

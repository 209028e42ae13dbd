import {joinAddress} from '../../net/address.js';
import {cannotListen} from '../../net/listen.js';
import {endOfParts} from '../serialized-requests.js';
import {headerBytes, kinds, makeDatagram, minDatagramBytes, noReply, readHeader} from './datagram.js';
import {Session} from './session.js';
import {Alarm, enlargeBuffers, now, openSocket, windowOf} from './socket.js';

/**
 * @import {OnRequest, Reply, ServeSettings, Server} from '../transport.js'
 * @import {Header} from './datagram.js'
 * @import {UdpSettings} from './index.js'
 * @import {SessionOptions} from './session.js'
 * @import {Socket, SocketType} from 'node:dgram'
 */

/**
 * Binds a socket and serves all clients that greet it.
 * @param {ServeSettings & UdpSettings} options @param {OnRequest} onRequest
 * @returns {Promise<Server>}
 * @throws {RunError} PB_PORT_IN_USE, or PB_LISTEN
 */
export async function serve(options, onRequest) {
  const socket = await bindSocket(options);
  const {receiveBufferBytes, sendBufferBytes} = enlargeBuffers(socket);
  const peers = new Peers({
    isBatching: options.udpBatch,
    windowOf: (datagramBytes) => windowOf(datagramBytes, receiveBufferBytes),
    now,
    send: (datagram, length, {address, port}) => socket.send(datagram, 0, length, port, address),
    onMessage: answerWith(onRequest),
    makeAlarm: (onTime) => new Alarm(now, onTime),
  });
  socket.on('message', (datagram, from) => peers.receive(datagram, from));
  // An error concerns one datagram, which counts as lost.
  socket.on('error', () => {});
  const sweeping = setInterval(() => peers.sweep(), sweepEveryMs);
  const {address, port} = socket.address();
  /** @type {Promise<void> | null} */
  let closing = null;
  return {
    address: joinAddress(address, port),
    closed: new Promise((resolve) => {
      socket.once('close', resolve);
    }),
    retransmissions: () => peers.retransmissions,
    details: {serverReceiveBufferBytes: receiveBufferBytes, serverSendBufferBytes: sendBufferBytes},
    close() {
      closing ??= new Promise((resolve) => {
        clearInterval(sweeping);
        peers.close();
        socket.close(() => resolve());
      });
      return closing;
    },
  };
}

/** Binds a socket. Without an address, the socket serves both IP versions, or IPv4 alone if the host has no IPv6. @param {ServeSettings} settings */
async function bindSocket({listenAddress, serverPort}) {
  if (listenAddress !== null)
    return await bind(listenAddress.includes(':') ? 'udp6' : 'udp4', listenAddress, serverPort);
  try {
    return await bind('udp6', undefined, serverPort);
  } catch (error) {
    const {code} = /** @type {{cause?: NodeJS.ErrnoException}} */ (error).cause ?? {};
    if (code !== 'EAFNOSUPPORT' && code !== 'EADDRNOTAVAIL') throw error;
    return await bind('udp4', undefined, serverPort);
  }
}

/** @param {SocketType} type @param {string | undefined} address @param {number} port @returns {Promise<Socket>} */
function bind(type, address, port) {
  return new Promise((resolve, reject) => {
    const socket = openSocket(type);
    socket.once('error', (error) => {
      socket.close();
      reject(cannotListen(error, address, port));
    });
    socket.bind({address, port, exclusive: true}, () => {
      socket.removeAllListeners('error');
      resolve(socket);
    });
  });
}

/** The server reads nothing from a client with more than this amount of unread replies. */
const maxUnreadBytes = 16 * 1024 * 1024;

/** @type {Reply} */
const toNobody = {write: () => true, drained: async () => {}, end: () => {}};

/** Makes the handler of client messages. @param {OnRequest} onRequest @returns {(id: number, payload: Buffer, session: Session) => void} */
export function answerWith(onRequest) {
  return (id, payload, session) => onRequest(payload, id === noReply ? toNobody : replyTo(id, session));
}

/** @param {number} id @param {Session} session @returns {Reply} */
function replyTo(id, session) {
  let parts = 0;
  const send = (/** @type {Buffer} */ payload) => {
    const hasRoom = session.write(id, payload);
    session.flush();
    if (session.outgoing.waitingBytes > maxUnreadBytes) holdBack(session);
    return hasRoom;
  };
  return {
    write(part) {
      parts += 1;
      return send(part);
    },
    drained: () => session.drained(),
    end(whole) {
      if (whole) send(whole);
      if (parts > 0) send(endOfParts);
    },
  };
}

/** @param {Session} session */
async function holdBack(session) {
  if (session.incoming.isPaused) return;
  session.pause();
  await session.drained();
  session.resume();
}

/**
 * @typedef {{address: string, port: number}} Endpoint of a client
 *
 * @typedef {object} PeersOptions
 * @property {boolean} isBatching as in SessionOptions; the client of a session chooses the datagram size
 * @property {(datagramBytes: number) => number} windowOf returns how many datagrams of a size this end can keep
 * @property {() => number} now
 * @property {(datagram: Buffer, length: number, endpoint: Endpoint) => void} send
 * @property {SessionOptions['onMessage']} onMessage
 * @property {(onTime: () => void) => {at: (ms: number) => void, clear: () => void}} makeAlarm
 *
 * @typedef {object} Peer
 * @property {Session} session
 * @property {Endpoint} endpoint
 * @property {() => void} clear
 * @property {number} heardAt when the client was last heard, as of the last sweep
 * @property {number} silentSweeps
 */

/** Maximum number of sessions, because each may keep a window of datagrams and an incomplete message. Further clients receive no answer. */
const maxPeers = 1024;
/**
 * After this number of silent sweeps, a client is forgotten. A client sends a keep-alive request each second. Sweeps are counted instead of
 * time, because this process may have been stopped.
 */
const maxSilentSweeps = 10;
const sweepEveryMs = 1000;

/** The sessions of a server. No datagram costs more than its bytes or throws, whatever it contains. */
export class Peers {
  /** @param {PeersOptions} options */
  constructor(options) {
    this.options = options;
    /** By session number. @type {Map<number, Peer>} */
    this.peers = new Map();
    this.retransmissionsOfForgotten = 0;
  }

  /** The number of retransmitted datagrams, to all clients. */
  get retransmissions() {
    return [...this.peers.values()].reduce(
      (sum, {session}) => sum + session.outgoing.retransmissions,
      this.retransmissionsOfForgotten,
    );
  }

  /** @param {Buffer} datagram @param {Endpoint} from */
  receive(datagram, from) {
    const header = readHeader(datagram);
    if (!header) return;
    const peer = this.peers.get(header.session);
    if (!peer) return this.#meet(header, datagram, from);
    if (peer.endpoint.port !== from.port || peer.endpoint.address !== from.address) return;
    if (header.kind === kinds.hello) this.#welcome(peer);
    else peer.session.receive(header, datagram);
  }

  /** Forgets clients that have been silent for many sweeps. */
  sweep() {
    for (const peer of this.peers.values()) {
      const {heardAt} = peer.session;
      peer.silentSweeps = heardAt === peer.heardAt ? peer.silentSweeps + 1 : 0;
      peer.heardAt = heardAt;
      if (peer.silentSweeps < maxSilentSweeps) continue;
      peer.session.close();
      this.#forget(peer);
    }
  }

  close() {
    for (const peer of this.peers.values()) {
      peer.session.close();
      this.#forget(peer);
    }
  }

  /** Handles a datagram of an unknown session. @param {Header} header @param {Buffer} datagram @param {Endpoint} from */
  #meet({kind, session, room}, datagram, from) {
    if (kind === kinds.hello) {
      if (this.peers.size < maxPeers && datagram.length >= minDatagramBytes)
        this.#welcome(this.#add(session, room, datagram.length, from));
    } else if (kind === kinds.data) {
      // The datagram may belong to a session before a restart of this server. Answers to other kinds could cause endless exchanges.
      this.options.send(makeDatagram({kind: kinds.bye, session}), headerBytes, from);
    }
  }

  /** @param {number} id @param {number} room @param {number} datagramBytes @param {Endpoint} from */
  #add(id, room, datagramBytes, from) {
    const {isBatching, now, send, onMessage, windowOf, makeAlarm} = this.options;
    const endpoint = {address: from.address, port: from.port};
    const alarm = makeAlarm(() => session.tick());
    const session = new Session({
      ...{id, window: windowOf(datagramBytes), room, datagramBytes, isBatching, now, onMessage},
      transmit: (datagram, length) => send(datagram, length, endpoint),
      onEnd: () => this.#forget(peer),
      wakeAt: (ms) => alarm.at(ms),
    });
    /** @type {Peer} */
    const peer = {session, endpoint, clear: () => alarm.clear(), heardAt: session.heardAt, silentSweeps: 0};
    this.peers.set(id, peer);
    return peer;
  }

  /** @param {Peer} peer */
  #welcome({session, endpoint}) {
    const room = session.incoming.window;
    // The welcome has exactly the size of the hello. It shows that the return path carries such datagrams, and cannot amplify traffic.
    const welcome = makeDatagram({kind: kinds.welcome, session: session.id, room}, session.datagramBytes);
    this.options.send(welcome, welcome.length, endpoint);
  }

  /** @param {Peer} peer */
  #forget(peer) {
    peer.clear();
    this.retransmissionsOfForgotten += peer.session.outgoing.retransmissions;
    this.peers.delete(peer.session.id);
  }
}

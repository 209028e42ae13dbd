import {joinAddress} from '../../net/address.js';
import {cannotListen} from '../../net/listen.js';
import {endOfParts} from '../serialized-requests.js';
import {Alarm} from './alarm.js';
import {noReply} from './messages.js';
import {Peers, sweepEveryMs} from './peers.js';
import {enlargeBuffers, openSocket, windowOf} from './socket.js';

/**
 * @import {OnRequest, ServeSettings, Server, Reply} from '../transport.js'
 * @import {UdpSettings} from './index.js'
 * @import {Socket, SocketType} from 'node:dgram'
 * @import {Session} from './session.js'
 */

const now = () => performance.now();

/**
 * Binds a socket and serves all clients that greet it.
 * @param {ServeSettings & UdpSettings} options
 * @param {OnRequest} onRequest
 * @returns {Promise<Server>}
 * @throws {RunError} PB_PORT_IN_USE, or PB_LISTEN
 */
export async function serveClients(options, onRequest) {
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
  // An error is about one datagram, which counts as lost.
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

/** Without an address: of both IP versions, or of IPv4 where there is no IPv6. @param {ServeSettings} settings */
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

/** A client that leaves more than this of its replies unread is not read either, until it has read. */
const maxUnreadBytes = 16 * 1024 * 1024;

/** @type {Reply} */
const toNobody = {write: () => true, drained: async () => {}, end: () => {}};

/**
 * What a server does with each message of its clients.
 * @param {OnRequest} onRequest
 * @returns {(id: number, payload: Buffer, session: Session) => void}
 */
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

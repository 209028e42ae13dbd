import {headerBytes, kinds, makeDatagram, minDatagramBytes, readHeader} from './datagram.js';
import {Session} from './session.js';

/**
 * @import {Header} from './datagram.js'
 * @import {SessionOptions} from './session.js'
 */

/**
 * @typedef {{address: string, port: number}} Endpoint of a client
 *
 * @typedef {object} PeersOptions
 * @property {boolean} isBatching a session has the size of datagrams that its client asks for
 * @property {(datagramBytes: number) => number} windowOf how many datagrams of a size this end can keep
 * @property {() => number} now
 * @property {(datagram: Buffer, length: number, endpoint: Endpoint) => void} send
 * @property {SessionOptions['onMessage']} onMessage
 * @property {(onTime: () => void) => {at: (ms: number) => void, clear: () => void}} makeAlarm
 *
 * @typedef {object} Peer
 * @property {Session} session
 * @property {Endpoint} endpoint
 * @property {() => void} clear
 * @property {number} heardAt when it was heard, as of the last sweep
 * @property {number} silentSweeps
 */

/** Each may keep a window of datagrams and one message that is not whole. A further client gets no answer. */
const maxPeers = 1024;
/** A client sends a keep-alive request each second. Sweeps count, not time: this process may have been stopped. */
const maxSilentSweeps = 10;
export const sweepEveryMs = 1000;

/** The sessions of a server. Whatever a datagram contains, it costs no more than its bytes and never throws. */
export class Peers {
  /** @param {PeersOptions} options */
  constructor(options) {
    this.options = options;
    /** By session. @type {Map<number, Peer>} */
    this.peers = new Map();
    this.retransmissionsOfForgotten = 0;
  }

  /** Datagrams that were sent again so far, to all clients. */
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

  /** A datagram of a session that is not known. @param {Header} header @param {Buffer} datagram @param {Endpoint} from */
  #meet({kind, session, room}, datagram, from) {
    if (kind === kinds.hello) {
      if (this.peers.size < maxPeers && datagram.length >= minDatagramBytes)
        this.#welcome(this.#add(session, room, datagram.length, from));
    } else if (kind === kinds.data) {
      // It may be of before a restart of this server. An answer to other kinds could go back and forth for ever.
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
    // As large as the hello and no larger: it shows that the way back carries such datagrams, and cannot be used to multiply traffic.
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

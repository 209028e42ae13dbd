import {createSocket} from 'node:dgram';
import {randomSource} from '../../../src/payload/random.js';

/** @import {Socket} from 'node:dgram' */

/** A datagram that is overtaken arrives after this time. */
const delayMs = 3;

/**
 * A relay between the clients and a server of this host that loses, doubles and delays a share of the datagrams, in both directions.
 * @param {{port: number, share: number, seed: number}} options port: of the server; share: of each of the three
 * @returns {Promise<{port: number, counts: {passed: number, lost: number, doubled: number, delayed: number}, close: () => void}>}
 */
export async function startLossyRelay({port, share, seed}) {
  const random = randomSource(seed, 'relay');
  const counts = {passed: 0, lost: 0, doubled: 0, delayed: 0};
  let isOpen = true;
  const pass = (/** @type {() => void} */ send) => {
    counts.passed += 1;
    if (random() < share) {
      counts.lost += 1;
      return;
    }
    const isDelayed = random() < share;
    if (isDelayed) {
      counts.delayed += 1;
      setTimeout(() => isOpen && send(), delayMs);
    }
    const isDoubled = random() < share;
    if (isDoubled) counts.doubled += 1;
    if (isDoubled || !isDelayed) send();
  };
  const front = await bound();
  /** By the client's port. @type {Map<number, Promise<Socket>>} */
  const backs = new Map();
  const backOf = (/** @type {number} */ client) => {
    const back = bound().then((socket) =>
      socket.on('message', (datagram) => pass(() => front.send(datagram, client, '127.0.0.1'))),
    );
    backs.set(client, back);
    return back;
  };
  front.on('message', async (datagram, from) => {
    const back = await (backs.get(from.port) ?? backOf(from.port));
    if (isOpen) pass(() => back.send(datagram, port, '127.0.0.1'));
  });
  return {
    port: front.address().port,
    counts,
    close() {
      isOpen = false;
      front.close();
      for (const back of backs.values()) back.then((socket) => socket.close());
    },
  };
}

/** @returns {Promise<Socket>} on a free port */
function bound() {
  return new Promise((resolve) => {
    const socket = createSocket('udp4');
    socket.on('error', () => {});
    socket.bind(0, '127.0.0.1', () => {
      socket.setRecvBufferSize(4 * 1024 * 1024);
      resolve(socket);
    });
  });
}

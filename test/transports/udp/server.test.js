import assert from 'node:assert/strict';
import {test} from 'node:test';
import {randomBytes, randomSource} from '../../../src/payload/random.js';
import {
  headerBytes,
  kinds,
  makeDatagram,
  readHeader,
  writeHeader,
} from '../../../src/transports/udp/datagram.js';
import {Peers} from '../../../src/transports/udp/server.js';
import {runsOf} from '../../support/effort.js';

/**
 * @import {Header} from '../../../src/transports/udp/datagram.js'
 * @import {Endpoint} from '../../../src/transports/udp/server.js'
 */
const here = {address: '127.0.0.1', port: 4000};
const session = 0x1234_5678_9abc;

/** A server's sessions whose datagrams the test reads. */
function makePeers() {
  /** @type {{header: Header, bytes: number, endpoint: Endpoint}[]} */
  const sent = [];
  /** @type {string[]} */
  const messages = [];
  const clock = {nowMs: 0};
  const peers = new Peers({
    ...{isBatching: true, windowOf: () => 8, now: () => clock.nowMs},
    send: (datagram, length, endpoint) =>
      sent.push({header: /** @type {Header} */ (readHeader(datagram)), bytes: length, endpoint}),
    onMessage: (_, payload) => void messages.push(String(payload)),
    makeAlarm: () => ({at() {}, clear() {}}),
  });
  const greet = (id = session, endpoint = here, bytes = 1472) =>
    peers.receive(makeDatagram({kind: kinds.hello, session: id, room: 8}, bytes), endpoint);
  return {peers, sent, messages, clock, greet};
}

/** A datagram of data with one message. @param {string} text @param {{id?: number, sequence?: number}} [more] */
function message(text, {id = session, sequence = 0} = {}) {
  const content = Buffer.alloc(8 + text.length);
  content.writeUInt32BE(text.length, 0);
  content.write(text, 8);
  const datagram = Buffer.concat([makeDatagram({kind: kinds.data, session: id}), content]);
  const first = id >>> 0;
  const header = {kind: kinds.data, room: 8, session: id, acknowledged: first};
  writeHeader(datagram, {...header, sequence: (first + sequence) >>> 0});
  return datagram;
}

test('a hello is answered with a welcome of its size, each time', () => {
  const {peers, sent, greet} = makePeers();
  greet();
  greet();
  assert.deepEqual(
    sent.map(({header, bytes, endpoint}) => [header.kind, header.session, header.room, bytes, endpoint]),
    [1, 2].map(() => [kinds.welcome, session, 8, 1472, here]),
  );
  assert.equal(peers.peers.size, 1);
});

test('messages of a session are taken from the address that greeted, and from no other', () => {
  const {peers, messages, greet} = makePeers();
  greet();
  for (const endpoint of [
    {address: '127.0.0.2', port: 4000},
    {address: '127.0.0.1', port: 4001},
  ])
    peers.receive(message('forged'), endpoint);
  peers.receive(message('ours'), here);
  assert.deepEqual(messages, ['ours']);
});

test('data of a session that is not known is answered with its end, and other kinds with nothing', () => {
  const {peers, sent} = makePeers();
  peers.receive(message('of another server'), here);
  assert.deepEqual(
    sent.map(({header, bytes}) => [header.kind, header.session, bytes]),
    [[kinds.bye, session, headerBytes]],
  );
  for (const kind of [kinds.welcome, kinds.acknowledgement, kinds.bye])
    peers.receive(makeDatagram({kind, session}), here);
  assert.equal(sent.length, 1);
});

test('a client that says goodbye is forgotten', () => {
  const {peers, greet} = makePeers();
  greet();
  peers.receive(makeDatagram({kind: kinds.bye, session}), here);
  assert.equal(peers.peers.size, 0);
});

test('a client that is silent for ten sweeps is forgotten, one that is heard is not', () => {
  const {peers, clock, greet} = makePeers();
  greet(1);
  greet(2);
  for (let sweep = 0; sweep < 10; sweep += 1) {
    clock.nowMs += 1000;
    peers.receive(message('alive', {id: 2, sequence: sweep}), here);
    peers.sweep();
  }
  assert.deepEqual([...peers.peers.keys()], [2]);
});

test('a server that closes informs all its clients', () => {
  const {peers, sent, greet} = makePeers();
  greet(1);
  greet(2);
  peers.close();
  assert.deepEqual(
    sent.slice(2).map(({header}) => [header.kind, header.session]),
    [
      [kinds.bye, 1],
      [kinds.bye, 2],
    ],
  );
});

test('what was sent again is counted for all sessions, also for those that are over', () => {
  const {peers, clock, greet} = makePeers();
  greet(1);
  greet(2);
  const again = [...peers.peers.values()].map(({session}) => session);
  for (const session of again) {
    session.write(1, Buffer.from('a reply that is lost'));
    session.flush();
  }
  assert.equal(peers.retransmissions, 0);
  clock.nowMs += 1000;
  for (const session of again) session.tick();
  assert.equal(peers.retransmissions, 2);
  peers.receive(makeDatagram({kind: kinds.bye, session: 1}), here);
  assert.equal(peers.retransmissions, 2);
});

test('there are 1024 sessions at most; a further hello, and one that is too small, have no answer', () => {
  const {peers, sent, greet} = makePeers();
  greet(0, here, 575);
  greet(0, here, headerBytes);
  assert.equal(sent.length, 0);
  for (let id = 1; id <= 1030; id += 1) greet(id);
  assert.equal(peers.peers.size, 1024);
  assert.equal(sent.length, 1024);
});

test('a message with which the server cannot do anything ends its session, and no other', () => {
  const {peers, greet} = makePeers();
  peers.options.onMessage = () => {
    throw new Error('no such request');
  };
  greet(1);
  greet(2);
  peers.receive(message('anything', {id: 1}), here);
  assert.deepEqual([...peers.peers.keys()], [2]);
});

test('no datagram makes it throw, and what it sends is no more than what it gets', () => {
  const random = randomSource(3, 'datagrams');
  const {peers, sent, greet} = makePeers();
  greet(1, here, 600);
  let received = 0;
  for (let count = 0; count < runsOf(20_000); count += 1) {
    const bytes = randomBytes(count, 'datagram', Math.floor(random() * 700));
    if (bytes.length >= headerBytes && random() < 0.9) {
      const [room, sequence] = [Math.floor(random() * 65_536), Math.floor(random() * 12)];
      const header = {kind: 1 + Math.floor(random() * 5), room, session: Math.floor(random() * 4)};
      writeHeader(bytes, {...header, sequence, acknowledged: Math.floor(random() * 3)});
    }
    received += bytes.length;
    peers.receive(bytes, here);
  }
  assert.ok(peers.peers.size <= 4);
  assert.ok(sent.reduce((sum, {bytes}) => sum + bytes, 0) <= received + 600);
});

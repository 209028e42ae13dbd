import assert from 'node:assert/strict';
import {test} from 'node:test';
import fc from 'fast-check';
import {DwellSums, InOrder, PacketReader} from '../../src/hops/segments.js';

const header = Buffer.alloc(24);
header.writeUInt32LE(0xa1b23c4d, 0);
header.writeUInt32LE(276, 20);

/**
 * @param {number} seconds
 * @param {number} nanoseconds
 * @param {{from: number, to: number, data: string, sequence?: number, ip?: 4 | 6, captured?: number}} packet
 */
function record(
  seconds,
  nanoseconds,
  {from, to, data, sequence = 0, ip = 4, captured = Number.POSITIVE_INFINITY},
) {
  const tcp = Buffer.alloc(32);
  tcp.writeUInt16BE(from, 0);
  tcp.writeUInt16BE(to, 2);
  tcp.writeUInt32BE(sequence, 4);
  tcp[12] = 8 << 4;
  const network = Buffer.alloc(ip === 4 ? 20 : 40);
  const length = tcp.length + data.length;
  if (ip === 4) {
    network[0] = 0x45;
    network.writeUInt16BE(network.length + length, 2);
    network[9] = 6;
  } else {
    network.writeUInt16BE(length, 4);
    network[6] = 6;
  }
  const link = Buffer.alloc(20);
  link.writeUInt16BE(ip === 4 ? 0x0800 : 0x86dd, 0);
  const frame = Buffer.concat([link, network, tcp, Buffer.from(data)]);
  const kept = frame.subarray(0, Math.min(captured, frame.length));
  const before = Buffer.alloc(16);
  before.writeUInt32LE(seconds, 0);
  before.writeUInt32LE(nanoseconds, 4);
  before.writeUInt32LE(kept.length, 8);
  before.writeUInt32LE(frame.length, 12);
  return Buffer.concat([before, kept]);
}

/** @param {readonly Buffer[]} chunks */
function read(chunks) {
  const reader = new PacketReader();
  const segments = chunks.flatMap((chunk) => [...reader.read(chunk)]);
  return {
    baseMs: reader.baseMs,
    segments: segments.map(({head, ...segment}) => ({...segment, head: head.toString()})),
  };
}

const capture = Buffer.concat([
  header,
  record(1_700_000_000, 999_999_000, {from: 4000, to: 5672, data: 'request', sequence: 4_294_967_295}),
  record(1_700_000_001, 250_000, {from: 5672, to: 4000, data: 'a long reply', ip: 6, captured: 98}),
]);
const expected = {
  baseMs: 1_700_000_000_000,
  segments: [
    {atMs: 999.999, fromPort: 4000, toPort: 5672, sequence: 4_294_967_295, bytes: 7, head: 'request'},
    {atMs: 1000.25, fromPort: 5672, toPort: 4000, sequence: 0, bytes: 12, head: 'a long'},
  ],
};

test('segments have their time, ports, size and first bytes, over IPv4 and IPv6', () => {
  assert.deepEqual(read([capture]), expected);
});

test('the pieces of a capture may end anywhere', () => {
  assert.deepEqual(read([...capture].map((byte) => Buffer.from([byte]))), expected);
});

test('packets without data, and those that are not TCP, are left out', () => {
  const acknowledgement = record(1, 0, {from: 1, to: 2, data: ''});
  const udp = record(1, 0, {from: 1, to: 2, data: 'datagram'});
  udp[16 + 20 + 9] = 17;
  const short = record(1, 0, {from: 1, to: 2, data: 'x', captured: 20});
  assert.deepEqual(read([header, acknowledgement, udp, short]).segments, []);
});

test('another format is refused', () => {
  const inMicroseconds = Buffer.from(header);
  inMicroseconds.writeUInt32LE(0xa1b2c3d4, 0);
  assert.throws(() => read([inMicroseconds]), RangeError);
});

const sent = 'abcdefghijklmnopqrstuvwxyz';

/** @param {number} begin of `sent` @param {number} end @param {number} [initial] the sequence number of its first byte */
const piece = (begin, end, initial = 0) => ({
  ...{atMs: 0, fromPort: 4000, toPort: 5672, bytes: end - begin},
  ...{sequence: (initial + begin) >>> 0, head: Buffer.from(sent.slice(begin, end))},
});

/** @param {readonly ReturnType<typeof piece>[]} pieces each 1 ms after the one before */
function put(pieces) {
  const inOrder = new InOrder();
  return pieces
    .flatMap((one, index) => [...inOrder.add({...one, atMs: index})])
    .map(({atMs, head}) => `${atMs} ${head}`);
}

test('a segment that is sent again does not count again', () => {
  assert.deepEqual(put([piece(0, 4), piece(4, 8), piece(4, 8), piece(0, 8), piece(8, 10)]), [
    '0 abcd',
    '1 efgh',
    '4 ij',
  ]);
});

test('one that is sent again with more bytes counts for these', () => {
  assert.deepEqual(put([piece(0, 4), piece(2, 8)]), ['0 abcd', '1 efgh']);
});

test('one that comes early waits for what is before it, and passes then', () => {
  assert.deepEqual(put([piece(0, 2), piece(4, 6), piece(6, 8), piece(2, 4)]), [
    '0 ab',
    '3 cd',
    '3 ef',
    '3 gh',
  ]);
});

test('each direction of each connection has its own numbers', () => {
  const reply = {...piece(0, 3, 77), fromPort: 5672, toPort: 4000};
  const other = {...piece(0, 3, 99), fromPort: 4001};
  assert.deepEqual(put([piece(0, 4), reply, other]), ['0 abcd', '1 abc', '2 abc']);
});

test('what never comes is left out, and holds back nothing for long', () => {
  const many = Array.from({length: 300}, (_, index) => ({...piece(0, 1, 10 + index)}));
  assert.equal(put([piece(0, 1), ...many]).length, 301);
});

test('each byte passes once and in order, however segments are cut, repeated and mixed', () => {
  const cut = fc.tuple(fc.nat(sent.length), fc.nat(sent.length)).map(([one, other]) => {
    const [begin, end] = [Math.min(one, other), Math.max(one, other)];
    return /** @type {const} */ ([begin, end]);
  });
  const initial = fc.oneof(fc.nat(0xffffffff), fc.constant(0xfffffff8));
  fc.assert(
    fc.property(fc.array(cut, {maxLength: 20}), initial, (cuts, from) => {
      const first = piece(0, 1, from);
      const single = Array.from(sent, (_, index) => piece(index, index + 1, from));
      const mixed = cuts.filter(([begin, end]) => end > begin).map(([begin, end]) => piece(begin, end, from));
      const passed = put([first, ...mixed, ...single]).map((text) => text.split(' ')[1]);
      assert.equal(passed.join(''), sent);
    }),
  );
});

const [broker, client, server] = [5672, 4001, 4002];

/** @param {number} payloadBytes */
const sums = (payloadBytes) =>
  new DwellSums({
    brokerPorts: new Set([broker]),
    clientPorts: new Set([client]),
    serverPorts: new Set([server]),
    payloadBytes,
    beginsMessage: (head) => head.toString().startsWith('message'),
  });

/** @param {number} atMs @param {number} fromPort @param {number} toPort @param {number} bytes @param {string} [head] */
const segment = (atMs, fromPort, toPort, bytes, head = 'message') => ({
  ...{atMs, fromPort, toPort, bytes},
  head: Buffer.from(head),
});

test('a message counts when its last byte goes to the broker, and when its first byte comes from there', () => {
  const passing = sums(1000);
  for (const one of [
    segment(1, client, broker, 100),
    segment(2, client, broker, 500, 'body'),
    segment(3, client, broker, 500, 'body'),
    segment(5, broker, server, 600),
    segment(6, broker, server, 500, 'body'),
    segment(8, server, broker, 1100),
    segment(12, broker, client, 1100),
  ])
    passing.add(one);
  assert.deepEqual(passing.dwellTimes, {
    requestIn: {messages: 1, atMs: 3},
    requestOut: {messages: 1, atMs: 5},
    replyIn: {messages: 1, atMs: 8},
    replyOut: {messages: 1, atMs: 12},
  });
});

test('times add up over messages; what is short, or of another connection, does not count', () => {
  const passing = sums(10);
  for (const one of [
    segment(1, client, broker, 50),
    segment(2, server, broker, 20, 'acknowledgement'),
    segment(3, broker, client, 20, 'confirm'),
    segment(4, 4003, broker, 50),
    segment(5, broker, 4003, 50),
    segment(6, client, 80, 50),
    segment(10, client, broker, 50),
  ])
    passing.add(one);
  assert.deepEqual(passing.dwellTimes.requestIn, {messages: 2, atMs: 11});
  for (const other of /** @type {const} */ (['requestOut', 'replyIn', 'replyOut']))
    assert.deepEqual(passing.dwellTimes[other], {messages: 0, atMs: 0}, other);
});

import assert from 'node:assert/strict';
import {test} from 'node:test';
import {PacketReader} from '../../src/hops/packets.js';

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

import assert from 'node:assert/strict';
import {test} from 'node:test';
import {deflateSync} from 'node:zlib';
import {randomSource} from '../../src/payload/random.js';
import {makePayloadRing} from '../../src/payload/ring.js';
import {isQuick} from '../support/effort.js';

test('the same seed gives the same bytes, and another seed gives others', () => {
  const take = (/** @type {number} */ seed) =>
    Buffer.concat(Array.from({length: 20}, () => Buffer.from(ringOf(seed).next())));
  const ringOf = (/** @type {number} */ seed) => makePayloadRing({payloadBytes: 100, seed});
  assert.deepEqual(take(1), take(1));
  assert.notDeepEqual(take(1), take(2));
});

test('no two of 40 payloads in a row are equal, and they do not compress', () => {
  const ring = makePayloadRing({payloadBytes: 64, seed: 1});
  const texts = Array.from({length: 40}, () => ring.next().toString('hex'));
  assert.equal(new Set(texts).size, 40);
  const large = makePayloadRing({payloadBytes: 100_000, seed: 1}).next();
  assert.ok(deflateSync(large).length > 99_000);
});

test('the first 8 bytes have the sequence number in payloads of at least 16 bytes, and smaller payloads have none', () => {
  const ring = makePayloadRing({payloadBytes: 16, seed: 1});
  ring.taken = 2 ** 32 + 5;
  assert.equal(ring.next().readBigUInt64BE(0), 2n ** 32n + 5n);
  const small = makePayloadRing({payloadBytes: 15, seed: 1});
  const before = Buffer.from(small.payloads[0]);
  assert.deepEqual(small.next(), before);
});

test('a ring stays within 64 MiB and always has at least two payloads', {skip: isQuick}, () => {
  assert.equal(makePayloadRing({payloadBytes: 1024, seed: 1}).payloads.length, 16);
  assert.equal(makePayloadRing({payloadBytes: 8 * 1024 ** 2, seed: 1}).payloads.length, 8);
  assert.equal(makePayloadRing({payloadBytes: 40 * 1024 ** 2, seed: 1}).payloads.length, 2);
});

test('the content of a file replaces the random bytes and gets a sequence number', () => {
  const ring = makePayloadRing({payloadBytes: 20, seed: 1}, Buffer.alloc(20, 0x41));
  ring.next();
  const second = ring.next();
  assert.equal(second.readBigUInt64BE(0), 1n);
  assert.equal(second.subarray(8).toString(), 'A'.repeat(12));
});

test('the random source is uniform in [0, 1) and repeats with its seed', () => {
  const [one, other] = [randomSource(3, 'x'), randomSource(3, 'x')];
  const values = Array.from({length: 5000}, one);
  assert.deepEqual(values, Array.from({length: 5000}, other));
  assert.ok(values.every((value) => value >= 0 && value < 1));
  const mean = values.reduce((total, value) => total + value, 0) / values.length;
  assert.ok(Math.abs(mean - 0.5) < 0.02, String(mean));
});

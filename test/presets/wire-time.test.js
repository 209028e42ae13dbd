import assert from 'node:assert/strict';
import {test} from 'node:test';
import {bytesOnWire, coralmq, wireOfText, wireTimeNs} from '../../src/presets/coralmq.js';

/** Worked out by hand: frames with 8 + 14 + 20 + 8 bytes before the message, 4 + 12 after it. */
for (const {payloadBytes, onWire} of [
  {payloadBytes: 1, onWire: 38 + 46},
  {payloadBytes: 18, onWire: 38 + 46},
  {payloadBytes: 19, onWire: 38 + 47},
  {payloadBytes: 256, onWire: 322},
  {payloadBytes: 1472, onWire: 1538},
  {payloadBytes: 1473, onWire: 1473 + 2 * 66},
]) {
  test(`a message of ${payloadBytes} bytes takes ${onWire} bytes on the wire`, () => {
    assert.equal(bytesOnWire(payloadBytes), onWire);
  });
}

test('the published times on the wire are those of twice 256 bytes, rounded up', () => {
  const {bytes, bitsPerGigabit} = wireOfText;
  assert.equal(Math.ceil(wireTimeNs(bytes, bitsPerGigabit) / 10) / 100, 3.82);
  assert.equal(Math.ceil(wireTimeNs(bytes, 10 * bitsPerGigabit)), 382);
});

test('real headers do not explain them: one way takes less, a round trip more', () => {
  const oneWayNs = wireTimeNs(bytesOnWire(256), 10e9);
  assert.ok(oneWayNs < 381 && 2 * oneWayNs > 383, String(oneWayNs));
});

test('the preset states the published times, and those of the measured sizes', () => {
  const [text, ...own] = coralmq.notesOn?.([256, 2000]) ?? [];
  assert.match(text, /at least 3\.82 µs at 1 Gbit\/s and 382 ns at 10 Gbit\/s for a message of 256 bytes/);
  assert.deepEqual(
    own.map((note) => /a message of .* Gbit\/s\./.exec(note)?.[0]),
    [
      'a message of 256 bytes has 322 bytes on the wire. They take at least 2.58 µs at 1 Gbit/s and 258 ns at 10 Gbit/s.',
      'a message of 2000 bytes has 2132 bytes on the wire. They take at least 17.1 µs at 1 Gbit/s and 1.71 µs at 10 Gbit/s.',
    ],
  );
  assert.equal(coralmq.notesOn?.([]).length, 1);
});

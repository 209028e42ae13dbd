import assert from 'node:assert/strict';
import {test} from 'node:test';
import {maxPayloadBytes} from '../../../src/payload/bytes.js';
import {MessageReader} from '../../../src/transports/udp/datagram.js';
import {windowOf} from '../../../src/transports/udp/socket.js';

/** @param {number} length */
function header(length) {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt32BE(length, 0);
  return bytes;
}

test('a message that is announced takes no more memory than what has arrived, beyond its first MiB', () => {
  const reader = new MessageReader(() => {});
  reader.read(Buffer.concat([header(maxPayloadBytes), Buffer.alloc(1000)]));
  assert.equal(reader.payload?.length, 1024 * 1024);
  for (let megabyte = 0; megabyte < 3; megabyte += 1) reader.read(Buffer.alloc(1024 * 1024));
  assert.ok(Number(reader.payload?.length) <= 2 * reader.filled);
});

test('a message of several MiB keeps its bytes while its memory grows', () => {
  /** @type {Buffer[]} */
  const messages = [];
  const reader = new MessageReader((_, payload) => messages.push(payload));
  const content = Buffer.from(Array.from({length: 65_536}, (_, index) => index % 251));
  const length = 5 * 1024 * 1024;
  reader.read(header(length));
  for (let read = 0; read < length; read += content.length) reader.read(content);
  assert.equal(messages.length, 1);
  for (let offset = 0; offset < length; offset += content.length)
    assert.ok(messages[0].subarray(offset, offset + content.length).equals(content));
});

for (const {datagramBytes, receiveBufferBytes, window} of [
  {datagramBytes: 1472, receiveBufferBytes: 8 * 1024 * 1024, window: 512},
  {datagramBytes: 1472, receiveBufferBytes: 425_984, window: 64},
  {datagramBytes: 65_507, receiveBufferBytes: 8 * 1024 * 1024, window: 32},
  {datagramBytes: 65_507, receiveBufferBytes: 425_984, window: 2},
  {datagramBytes: 65_507, receiveBufferBytes: 4096, window: 2},
]) {
  test(`a receive buffer of ${receiveBufferBytes} bytes gives a window of ${window} datagrams of ${datagramBytes} bytes`, () => {
    assert.equal(windowOf(datagramBytes, receiveBufferBytes), window);
  });
}

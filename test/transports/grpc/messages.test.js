import assert from 'node:assert/strict';
import {test} from 'node:test';
import {fileURLToPath} from 'node:url';
import {loadSync} from '@grpc/proto-loader';
import fc from 'fast-check';
import {
  decodePayload,
  decodeReceived,
  encodePayload,
  encodeReceived,
  maxMessageOverhead,
} from '../../../src/transports/grpc/messages.js';
import {definition} from '../../../src/transports/grpc/server.js';

/**
 * The library that compiles battle.proto is the reference.
 * @import {MethodDefinition} from '@grpc/proto-loader'
 */

const proto = fileURLToPath(new URL('../../../src/transports/grpc/battle.proto', import.meta.url));
const compiled = /** @type {Record<string, MethodDefinition<{data: Buffer}, any>>} */ (
  loadSync(proto, {longs: Number, defaults: true})['perfbattle.Battle']
);
const {Exchange, Send} = compiled;

const bytes = fc.uint8Array({maxLength: 40_000}).map((array) => Buffer.from(array));
const someBytes = bytes.filter(({length}) => length > 0);
/** Where the encoding of a length takes a byte more. */
const sizes = [1, 127, 128, 16_383, 16_384, 2_097_151, 2_097_152];

test('a payload is encoded as the compiled battle.proto encodes it', () => {
  fc.assert(
    fc.property(someBytes, (data) => {
      assert.ok(encodePayload(data).equals(Exchange.requestSerialize({data})));
    }),
  );
  for (const size of sizes) {
    const data = Buffer.alloc(size, 7);
    const message = encodePayload(data);
    assert.ok(message.equals(Exchange.requestSerialize({data})), String(size));
    assert.ok(message.length <= size + maxMessageOverhead);
  }
});

test('an empty payload and a count of 0 take no bytes, as in proto3', () => {
  assert.equal(encodePayload(Buffer.alloc(0)).length, 0);
  assert.equal(encodeReceived(0).length, 0);
  assert.equal(Exchange.requestDeserialize(Buffer.alloc(0)).data.length, 0);
  assert.equal(Send.responseDeserialize(Buffer.alloc(0)).count, 0);
});

test('a payload that the compiled battle.proto encodes is read, without a copy', () => {
  fc.assert(
    fc.property(bytes, (data) => {
      const message = Exchange.requestSerialize({data});
      const read = decodePayload(message);
      assert.ok(read.equals(data));
      assert.ok(data.length === 0 || read.buffer === message.buffer);
    }),
  );
});

test('a count is encoded and read as the compiled battle.proto does', () => {
  fc.assert(
    fc.property(
      fc.maxSafeNat().filter((count) => count > 0),
      (count) => {
        const message = encodeReceived(count);
        assert.ok(message.equals(Send.responseSerialize({count})));
        assert.equal(decodeReceived(message), count);
        assert.equal(Send.responseDeserialize(message).count, count);
      },
    ),
  );
});

/** Fields that battle.proto does not have, of each type. @type {fc.Arbitrary<Buffer>} */
const unknownField = fc.oneof(
  fc.nat(300).map((value) => Buffer.concat([Buffer.from([0x10]), encodeReceived(value + 1).subarray(1)])),
  fc.uint8Array({minLength: 8, maxLength: 8}).map((value) => Buffer.from([0x19, ...value])),
  fc.uint8Array({maxLength: 100}).map((value) => Buffer.from([0x22, value.length, ...value])),
  fc.uint8Array({minLength: 4, maxLength: 4}).map((value) => Buffer.from([0x2d, ...value])),
);

test('fields that are not known are skipped, and the last of several payloads counts', () => {
  fc.assert(
    fc.property(
      fc.array(unknownField),
      bytes,
      bytes,
      fc.array(unknownField),
      (before, first, last, after) => {
        const message = Buffer.concat([...before, encodePayload(first), encodePayload(last), ...after]);
        const expected = Exchange.requestDeserialize(message).data;
        assert.ok(decodePayload(message).equals(expected));
      },
    ),
  );
});

test('a message that ends within a field is refused', () => {
  fc.assert(
    fc.property(bytes, fc.double({min: 0, max: 1, maxExcluded: true, noNaN: true}), (data, share) => {
      const message = encodePayload(Buffer.concat([data, Buffer.from([1])]));
      const cut = Math.max(1, Math.floor(message.length * share));
      assert.throws(() => decodePayload(message.subarray(0, cut)), RangeError);
    }),
  );
});

test('any bytes are a message or are refused', () => {
  fc.assert(
    fc.property(bytes, (message) => {
      try {
        assert.ok(Buffer.isBuffer(decodePayload(message)));
      } catch (error) {
        assert.ok(error instanceof RangeError, String(error));
      }
    }),
  );
});

test('the service has the methods of battle.proto', () => {
  const asServed = Object.values(definition).map(({path, requestStream, responseStream}) => ({
    path,
    requestStream,
    responseStream,
  }));
  const asCompiled = Object.values(compiled).map(({path, requestStream, responseStream}) => ({
    path,
    requestStream,
    responseStream,
  }));
  assert.deepEqual(asServed, asCompiled);
});

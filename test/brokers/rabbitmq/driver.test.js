import assert from 'node:assert/strict';
import {test} from 'node:test';
import {beginsMessage} from '../../../src/brokers/rabbitmq/driver.js';

/** @param {number} type @param {Buffer} content */
function frame(type, content) {
  const header = Buffer.alloc(7);
  header[0] = type;
  header.writeUInt32BE(content.length, 3);
  return Buffer.concat([header, content, Buffer.from([0xce])]);
}

/** @param {number} classId @param {number} method */
function methodFrame(classId, method) {
  const content = Buffer.alloc(13);
  content.writeUInt16BE(classId, 0);
  content.writeUInt16BE(method, 2);
  return frame(1, content);
}

const publish = methodFrame(60, 40);
const deliver = methodFrame(60, 60);
const acknowledge = methodFrame(60, 80);

test('basic.publish and basic.deliver begin a message, also after an acknowledgement', () => {
  assert.ok(beginsMessage(publish));
  assert.ok(beginsMessage(deliver));
  assert.ok(beginsMessage(Buffer.concat([acknowledge, deliver])));
  assert.ok(beginsMessage(publish.subarray(0, 11)), 'the rest need not be captured');
});

test('acknowledgements, heartbeats, bodies, and what is too short, do not', () => {
  const heartbeat = frame(8, Buffer.alloc(0));
  const body = frame(3, Buffer.alloc(64, 1));
  for (const bytes of [acknowledge, heartbeat, body, publish.subarray(0, 10), Buffer.alloc(0)])
    assert.ok(!beginsMessage(bytes));
});

test('SEND and MESSAGE of STOMP begin a message, also after a receipt, an acknowledgement and a heartbeat', () => {
  const starts = (/** @type {string} */ text) => beginsMessage(Buffer.from(text));
  for (const text of [
    'SEND\ndestination:/amq/queue/q\ncontent-length:1\n\nx\0',
    'MESSAGE\nsubscription:1\n',
    '\nMESSAGE\n',
    'RECEIPT\nreceipt-id:1\n\n\0\nMESSAGE\nsubscription:1\n\n',
    'ACK\nid:T_1\n\n\0SEND\n',
  ])
    assert.ok(starts(text), text);
  for (const text of [
    'SEN',
    'SEND',
    'ACK\nid:SEND\n\n\0',
    'RECEIPT\nreceipt-id:1\n\n\0',
    '\n',
    'CONNECTED\n',
  ])
    assert.ok(!starts(text), text);
});

test('a transfer of AMQP 1.0 begins a message, after whole frames of other performatives, too', () => {
  const frame = (/** @type {number} */ descriptor, /** @type {number} */ bodyBytes) => {
    const bytes = Buffer.alloc(8 + 3 + bodyBytes);
    bytes.writeUInt32BE(bytes.length);
    bytes.set([2, 0, 0, 0, 0x00, 0x53, descriptor], 4);
    return bytes;
  };
  const [flow, transfer, disposition] = [0x13, 0x14, 0x15].map((descriptor) => frame(descriptor, 20));
  assert.ok(beginsMessage(transfer));
  assert.ok(beginsMessage(Buffer.concat([disposition, flow, transfer])));
  assert.ok(!beginsMessage(Buffer.concat([disposition, flow])));
  assert.ok(!beginsMessage(Buffer.from([0, 0, 0, 0, 2, 0, 0, 0])));
  assert.ok(!beginsMessage(transfer.subarray(0, 6)));
});

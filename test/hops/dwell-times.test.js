import assert from 'node:assert/strict';
import {test} from 'node:test';
import {DwellSums} from '../../src/hops/dwell-times.js';

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

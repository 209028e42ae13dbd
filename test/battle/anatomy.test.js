import assert from 'node:assert/strict';
import {test} from 'node:test';
import {anatomyOf} from '../../src/battle/anatomy.js';

const here = {offsetMs: 0, boundMs: 0};

/** @param {readonly [number, number][]} times when a role began and ended each message */
const role = (times) =>
  /** @type {any} */ ({
    moments: {
      messages: times.length,
      beginsMs: times.reduce((sum, [begin]) => sum + begin, 0),
      endsMs: times.reduce((sum, [, end]) => sum + end, 0),
    },
  });

test('the parts are the means of the ways, whatever the order of the messages', () => {
  const client = role([
    [100, 110],
    [200, 216],
  ]);
  const server = role([
    [206, 208],
    [103, 104],
  ]);
  assert.deepEqual(anatomyOf([client], [server], {clients: [here], servers: [here]}, 0), {
    requestMs: 4.5,
    handlerMs: 1.5,
    replyMs: 7,
    clockBoundMs: 0,
  });
});

test('the messages of several clients and servers count together, each by its own clock', () => {
  const ahead = (/** @type {number} */ offsetMs) => ({offsetMs, boundMs: 0.1});
  const clients = [role([[100, 110]]), role([[1200, 1216]])];
  const servers = [role([[54, 55]]), role([[207, 209]])];
  const clocks = {clients: [here, ahead(1000)], servers: [ahead(-50), here]};
  assert.deepEqual(anatomyOf(clients, servers, clocks, 0.2), {
    requestMs: 5.5,
    handlerMs: 1.5,
    replyMs: 6,
    clockBoundMs: 0.2,
  });
});

test('nothing is known if a role says nothing, or the servers had other messages than the clients', () => {
  const clocks = {clients: [here], servers: [here]};
  const one = role([[1, 2]]);
  const silent = /** @type {any} */ ({});
  assert.equal(anatomyOf([one], [silent], clocks, 0), null);
  assert.equal(anatomyOf([/** @type {any} */ ({moments: null})], [one], clocks, 0), null);
  const twice = role([
    [1, 1.5],
    [1.5, 2],
  ]);
  assert.equal(anatomyOf([one], [twice], clocks, 0), null);
  assert.equal(anatomyOf([role([])], [role([])], clocks, 0), null);
});

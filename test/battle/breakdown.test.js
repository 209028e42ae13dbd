import assert from 'node:assert/strict';
import {describe, it, test} from 'node:test';
import {anatomyOf, boundOfHops} from '../../src/battle/breakdown.js';

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
  assert.deepEqual(anatomyOf([client], [server], {clients: [here], servers: [here]}, 0, null), {
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
  assert.deepEqual(anatomyOf(clients, servers, clocks, 0.2, null), {
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
  assert.equal(anatomyOf([one], [silent], clocks, 0, null), null);
  assert.equal(anatomyOf([/** @type {any} */ ({moments: null})], [one], clocks, 0, null), null);
  const twice = role([
    [1, 1.5],
    [1.5, 2],
  ]);
  assert.equal(anatomyOf([one], [twice], clocks, 0, null), null);
  assert.equal(anatomyOf([role([])], [role([])], clocks, 0, null), null);
});

describe('the hops at the broker', () => {
  const clocks = {clients: [here], servers: [here]};
  const clients = [role([[100, 110]])];
  const servers = [role([[104, 105]])];
  const at = (/** @type {number} */ atMs) => ({messages: 1, atMs});
  const same = {before: here, after: here};
  const dwellTimes = {requestIn: at(101), requestOut: at(103), replyIn: at(105.5), replyOut: at(107.5)};

  it('divide each way in three parts that add up to it', () => {
    const anatomy = anatomyOf(clients, servers, clocks, 0, {dwellTimes, clock: same, reason: null});
    assert.deepEqual(anatomy, {
      ...{requestMs: 4, handlerMs: 1, replyMs: 5, clockBoundMs: 0, noHops: null},
      hops: {
        request: {beforeMs: 1, brokerMs: 2, afterMs: 1},
        reply: {beforeMs: 0.5, brokerMs: 2, afterMs: 2.5},
      },
    });
  });

  it("are by the clock of the broker's host, which counts towards the bound", () => {
    const [before, after] = [
      {offsetMs: 1000, boundMs: 0.25},
      {offsetMs: 1000.5, boundMs: 0.125},
    ];
    const ahead = (/** @type {{atMs: number}} */ {atMs}) => at(atMs + 1000);
    const {requestIn, requestOut, replyIn, replyOut} = dwellTimes;
    const there = {
      requestIn: ahead(requestIn),
      requestOut: ahead(requestOut),
      replyIn: ahead(replyIn),
      replyOut: ahead(replyOut),
    };
    const seen = {dwellTimes: there, clock: {before, after}, reason: null};
    assert.deepEqual(anatomyOf(clients, servers, clocks, 0, seen)?.hops, {
      request: {beforeMs: 1, brokerMs: 2, afterMs: 1},
      reply: {beforeMs: 0.5, brokerMs: 2, afterMs: 2.5},
    });
    assert.equal(boundOfHops(seen, clocks, clocks), 0.75);
    assert.equal(boundOfHops({dwellTimes: null, clock: null, reason: 'x'}, clocks, clocks), 0);
  });

  it('are not known if a message was not seen, or nothing was, and the reason is kept', () => {
    const more = {...dwellTimes, replyOut: {messages: 2, atMs: 215}};
    const missed = anatomyOf(clients, servers, clocks, 0, {dwellTimes: more, clock: same, reason: null});
    assert.deepEqual([missed?.requestMs, missed?.hops], [4, null]);
    assert.match(missed?.noHops ?? '', /not every message/);
    const unseen = anatomyOf(clients, servers, clocks, 0, {
      dwellTimes: null,
      clock: null,
      reason: 'tcpdump is not installed',
    });
    assert.deepEqual([unseen?.hops, unseen?.noHops], [null, 'tcpdump is not installed']);
  });
});

import assert from 'node:assert/strict';
import {describe, it} from 'node:test';
import {endOfParts, SerializedRequests} from '../../src/transports/serialized-requests.js';

/** @import {OnRequest} from '../../src/transports/transport.js' */

const mebibyte = 1024 ** 2;

/**
 * A client that reads only when it is told to.
 * @param {OnRequest} onRequest
 */
function slowClient(onRequest) {
  let unreadBytes = 0;
  let read = () => {};
  const seen = {sent: 0, isPaused: false, pauses: 0};
  const requests = new SerializedRequests(
    {
      send(message) {
        unreadBytes += message.length;
        if (message !== endOfParts) seen.sent += 1;
        return false;
      },
      drained: () =>
        new Promise((resolve) => {
          read = resolve;
        }),
      unreadBytes: () => unreadBytes,
      pause() {
        seen.isPaused = true;
        seen.pauses += 1;
      },
      resume() {
        seen.isPaused = false;
      },
    },
    onRequest,
  );
  const readAll = async () => {
    unreadBytes = 0;
    read();
    await null;
    await null;
  };
  return {requests, seen, readAll};
}

describe('the requests of a client that does not read', () => {
  it('are neither answered nor read beyond 16 MiB of replies, and go on when it reads', async () => {
    const reply = Buffer.alloc(mebibyte);
    const {requests, seen, readAll} = slowClient((_, {end}) => end(reply));
    for (let count = 0; count < 40; count += 1) requests.take(Buffer.alloc(20));
    assert.deepEqual(seen, {sent: 17, isPaused: true, pauses: 1});
    await readAll();
    assert.equal(seen.sent, 34);
    await readAll();
    assert.deepEqual([seen.sent, seen.isPaused], [40, false]);
  });

  it('are not read beyond 4 MiB of requests that wait behind a reply of several parts', () => {
    /** @type {(() => void)[]} */
    const ends = [];
    const {requests, seen} = slowClient((_, {write, end}) => {
      write(Buffer.alloc(10));
      ends.push(() => end());
    });
    for (let count = 0; count < 6; count += 1) requests.take(Buffer.alloc(mebibyte));
    assert.deepEqual(seen, {sent: 1, isPaused: true, pauses: 1});
    while (ends.length > 0) ends.shift()?.();
    assert.deepEqual([seen.sent, seen.isPaused], [6, false]);
  });

  it('are as many as memory allows, however deep the replies that are complete at once would nest', () => {
    /** @type {(() => void)[]} */
    const ends = [];
    const {requests, seen} = slowClient((request, {write, end}) => {
      write(request);
      if (ends.length > 0) end();
      else ends.push(() => end());
    });
    for (let count = 0; count < 15_000; count += 1) requests.take(Buffer.alloc(1));
    ends[0]();
    assert.equal(seen.sent, 15_000);
  });
});

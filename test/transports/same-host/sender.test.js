import assert from 'node:assert/strict';
import {test} from 'node:test';
import {Sender} from '../../../src/transports/same-host/sender.js';
import {FrameReader} from '../../../src/transports/tcp/frames.js';

/** @import {Outbox} from '../../../src/transports/same-host/end.js' */

/** Takes so many parts, each of at most ten bytes, and then has no room. @param {{parts: number}} room */
function outboxWith(room) {
  /** @type {Buffer[]} */
  const taken = [];
  const waits = /** @type {number[]} */ ([]);
  let isClosed = false;
  return {
    taken,
    waits,
    isClosed: () => isClosed,
    maxBytes: 10,
    /** @type {Outbox['send']} */
    send(header, payload, from, to, waitMs) {
      assert.equal(isClosed, false, 'nothing is sent to a peer that is gone');
      waits.push(waitMs);
      if (room.parts === 0) return false;
      room.parts -= 1;
      const begin = Buffer.alloc(header === null ? 0 : 4);
      if (header !== null) begin.writeUInt32BE(header);
      const part = Buffer.concat([begin, payload.subarray(from, to)]);
      assert.ok(part.length <= 10);
      taken.push(part);
      return true;
    },
    close() {
      isClosed = true;
    },
  };
}

/** @param {readonly Buffer[]} parts */
function framesIn(parts) {
  /** @type {string[]} */
  const frames = [];
  const reader = new FrameReader((frame) => frames.push(frame.toString()));
  for (const part of parts) reader.read(part);
  return frames;
}

const never = {onWaiting: () => assert.fail('nothing had to wait'), onError: assert.fail};

test('a payload goes in as many parts as it needs, with the header in the first', () => {
  const outbox = outboxWith({parts: 100});
  const sender = new Sender(outbox, never);
  for (const text of ['', 'a', 'sixsix', 'sevense', 'twentyfourtwentyfour....'])
    assert.equal(sender.send(Buffer.from(text)), true);
  assert.deepEqual(
    outbox.taken.map(({length}) => length),
    [4, 5, 10, 10, 1, 10, 10, 8],
  );
  assert.deepEqual(framesIn(outbox.taken), ['', 'a', 'sixsix', 'sevense', 'twentyfourtwentyfour....']);
});

test('what finds no room waits, in order, and goes on where it stopped', async () => {
  const room = {parts: 2};
  const outbox = outboxWith(room);
  let waiting = 0;
  const sender = new Sender(outbox, {
    ...never,
    onWaiting: () => {
      waiting += 1;
    },
  });
  assert.equal(sender.send(Buffer.from('twentyfourtwentyfour....')), false);
  assert.equal(sender.send(Buffer.from('next')), false);
  assert.deepEqual([waiting, sender.waitingBytes, outbox.taken.length], [2, 28, 2]);
  let isDrained = false;
  const drained = sender.drained().then(() => {
    isDrained = true;
  });
  assert.equal(sender.flush(0), false, 'nothing moves without room');
  room.parts = 1;
  assert.equal(sender.flush(1), true);
  assert.equal(outbox.waits.at(-2), 1, 'it waits for the first part only');
  assert.equal(outbox.waits.at(-1), 0);
  await Promise.resolve();
  assert.equal(isDrained, false);
  room.parts = 100;
  assert.equal(sender.flush(0), true);
  await drained;
  assert.deepEqual([sender.waiting, sender.waitingBytes], [[], 0]);
  assert.deepEqual(framesIn(outbox.taken), ['twentyfourtwentyfour....', 'next']);
  await sender.drained();
});

test('a peer that is gone gets nothing more, and nobody waits for it', async () => {
  const outbox = outboxWith({parts: 0});
  const sender = new Sender(outbox, {...never, onWaiting: () => {}});
  sender.send(Buffer.from('a'));
  const drained = sender.drained();
  sender.giveUp();
  sender.giveUp();
  await drained;
  assert.equal(outbox.isClosed(), true);
  assert.equal(sender.send(Buffer.from('b')), true);
  assert.equal(sender.flush(0), true);
  assert.equal(sender.waitingBytes, 0);
});

test('an outbox that fails is given up, and the error is passed on once', () => {
  const outbox = outboxWith({parts: 0});
  /** @type {Error[]} */
  const errors = [];
  const sender = new Sender(
    {
      ...outbox,
      send: () => {
        throw new Error('broken');
      },
    },
    {...never, onError: (error) => errors.push(error)},
  );
  assert.equal(sender.send(Buffer.from('a')), true);
  assert.equal(sender.send(Buffer.from('b')), true);
  assert.deepEqual([errors.map(({message}) => message), outbox.isClosed()], [['broken'], true]);
});

test('what was given up is copied once, however much else is given up while it waits', () => {
  const sender = new Sender(outboxWith({parts: 0}), {onWaiting: () => {}, onError: assert.fail});
  const payload = Buffer.from('first');
  sender.send(payload);
  sender.keepOwn();
  const [{payload: kept}] = sender.waiting;
  assert.notEqual(kept, payload);
  sender.send(Buffer.from('second'));
  sender.keepOwn();
  assert.equal(sender.waiting[0].payload, kept);
});

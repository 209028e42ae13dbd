import assert from 'node:assert/strict';
import {test} from 'node:test';
import {readLimits, refuseProcesses} from '../../../src/transports/posix-mq/limits.js';
import {QueueEnd} from '../../../src/transports/posix-mq/queues.js';
import {notNow} from '../../../src/transports/same-host/libc.js';

/** @import {Libc} from '../../../src/transports/same-host/libc.js' */

const isLinux = process.platform === 'linux';

/** A system whose calls fail. @param {{error: number, queue: number}} how @returns {Libc} */
const failing = ({error, queue}) =>
  /** @type {any} */ ({
    mq_open: () => queue,
    mq_unlink: () => 0,
    mq_timedreceive: () => -1,
    errno: () => error,
  });

test('a queue that cannot be created names its size, and the limit', {skip: !isLinux}, () => {
  const {messages, messageBytes} = readLimits();
  assert.throws(() => new QueueEnd(failing({error: 24, queue: -1})), {
    code: 'PB_NO_LIBC',
    message: new RegExp(`queue of ${messages} messages of ${messageBytes} bytes .*: error 24 .*ulimit -q`),
  });
});

test('a call that would have to wait, or was interrupted, has received nothing', {skip: !isLinux}, () => {
  for (const error of notNow) {
    const end = new QueueEnd(failing({error, queue: 1000}));
    assert.equal(
      end.receive(0, () => assert.fail()),
      false,
    );
  }
  const broken = new QueueEnd(failing({error: 9, queue: 1000}));
  assert.throws(() => broken.receive(0, () => {}), /A POSIX message queue failed: error 9/);
});

test('a peer whose messages have no room for a payload is refused', {skip: !isLinux}, () => {
  const end = new QueueEnd(failing({error: 0, queue: 1000}));
  for (const messageBytes of [0, 8, Number.NaN])
    assert.throws(() => end.connect({pid: process.pid, queue: 5, messageBytes}, {peer: 1, own: 1}), {
      code: 'PB_NO_CONNECTION',
      message: `Messages of ${messageBytes} bytes are too short.`,
    });
});

test('more queues than a user may have are refused, as far as the limit is known', () => {
  const limits = () => ({messages: 10, messageBytes: 8192});
  const own = () => 'Max msgqueue size         819200               819200               bytes     \n';
  assert.equal(refuseProcesses(9, limits, own), null);
  assert.match(
    refuseProcesses(10, limits, own) ?? '',
    /^10 clients and servers have a POSIX queue each, of 828800 bytes together; this user may have 819200\./,
  );
  assert.equal(
    refuseProcesses(1000, limits, () => 'Max msgqueue size unlimited'),
    null,
  );
  assert.equal(
    refuseProcesses(1000, () => {
      throw new Error('no such system');
    }),
    null,
  );
});

import assert from 'node:assert/strict';
import {test} from 'node:test';
import {QueueEnd, readLimits} from '../../../src/transports/posix-mq/queues.js';
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
  for (const error of Object.values(notNow)) {
    const end = new QueueEnd(failing({error, queue: 1000}));
    assert.equal(
      end.receive(0, () => assert.fail()),
      false,
    );
  }
  const broken = new QueueEnd(failing({error: 9, queue: 1000}));
  assert.throws(() => broken.receive(0, () => {}), /A POSIX message queue failed: error 9/);
});

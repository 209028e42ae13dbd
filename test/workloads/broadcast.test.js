import assert from 'node:assert/strict';
import {test} from 'node:test';
import {outletOf} from '../../src/workloads/account/broadcast/role.js';

const message = Buffer.from('m');

test('a broker that reports what it has taken has at most a window on their way', async () => {
  /** @type {(() => void)[]} */
  const taken = [];
  const publish = (/** @type {Buffer} */ _, /** @type {() => void} */ onTaken) => void taken.push(onTaken);
  const {send, drained} = outletOf(/** @type {any} */ ({broadcast: {publish, reportsTaken: true}}), 2);
  const handlers = /** @type {any} */ ({});
  assert.deepEqual([send(message, handlers), send(message, handlers)], [true, false]);
  let hasRoom = false;
  const room = drained().then(() => {
    hasRoom = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(hasRoom, false);
  taken[0]();
  await room;
  await drained();
  assert.equal(send(message, handlers), false);
});

test('a broker that reports nothing has no window', async () => {
  const {send, drained} = outletOf(/** @type {any} */ ({broadcast: {publish: () => {}}}), 1);
  for (let count = 0; count < 3; count += 1) assert.equal(send(message, /** @type {any} */ ({})), true);
  await drained();
});

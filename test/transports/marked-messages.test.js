import assert from 'node:assert/strict';
import {test} from 'node:test';
import {MarkedMessages} from '../../src/transports/marked-messages.js';
import {Outbox} from '../../src/transports/zeromq/library.js';

/** A connection whose library writes each message at once, and whose server has handled all that was sent when it is asked. */
function messagesWrittenAtOnce() {
  /** @type {number[]} */
  const written = [];
  /** @type {MarkedMessages} */
  const messages = new MarkedMessages({
    write(payload) {
      written.push(payload.length);
      messages.written();
    },
    count: (reply) => reply(written.length),
    closed: new Promise(() => {}),
  });
  return {messages, written};
}

test('what is written at once holds up nothing, whatever its size', async () => {
  for (const bytes of [1, 65_471, 65_472, 65_507, 65_535, 65_536, 1_024_000]) {
    const {messages, written} = messagesWrittenAtOnce();
    for (let sent = 0; sent < 10; sent += 1) {
      if (!messages.send(Buffer.alloc(bytes)))
        await Promise.race([
          messages.drained(),
          Promise.reject(new Error(`${bytes} bytes hold up the next`)),
        ]);
    }
    assert.deepEqual(await messages.flushed(), {confirmed: 10});
    assert.equal(written.length, 10);
  }
});

test('a reply waits for a client that has no room, and not for one that has gone', async () => {
  /** @type {string[]} */
  const sent = [];
  let refusals = 3;
  const outbox = new Outbox({
    async send([payload]) {
      const text = String(payload);
      if (text === 'full' && refusals > 0) {
        refusals -= 1;
        throw Object.assign(new Error('no room'), {code: 'EAGAIN'});
      }
      if (text === 'gone') throw Object.assign(new Error('no such client'), {code: 'EHOSTUNREACH'});
      sent.push(text);
    },
  });
  for (const text of ['gone', 'full', 'last']) outbox.send([Buffer.from(text)]);
  while (sent.length < 2) await new Promise((resolve) => setTimeout(resolve, 1));
  assert.deepEqual([sent, refusals], [['full', 'last'], 0]);
});

test('a socket that is closed while messages wait ends nothing else', async () => {
  const outbox = new Outbox({
    send() {
      throw new Error('Socket is closed');
    },
  });
  outbox.send([Buffer.alloc(1)]);
  outbox.send([Buffer.alloc(1)]);
  await outbox.drained();
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(outbox.bytes, 0);
});

import assert from 'node:assert/strict';
import {test} from 'node:test';
import {answerWith} from '../../../src/transports/udp/server.js';

/**
 * @import {Reply} from '../../../src/transports/transport.js'
 * @import {Session} from '../../../src/transports/udp/session.js'
 */
/** A session that keeps what is written, and whose room the test decides. */
function scriptedSession() {
  /** @type {string[]} */
  const events = [];
  const state = {release: () => {}};
  const session = {
    incoming: {isPaused: false},
    outgoing: {waitingBytes: 0},
    write(/** @type {number} */ id, /** @type {Buffer} */ payload) {
      events.push(`${id}: ${payload}`);
      return true;
    },
    flush() {},
    drained: () =>
      new Promise((resolve) => {
        state.release = () => resolve(null);
      }),
    pause() {
      session.incoming.isPaused = true;
      events.push('pause');
    },
    resume() {
      session.incoming.isPaused = false;
      events.push('resume');
    },
  };
  return {session: /** @type {Session} */ (/** @type {unknown} */ (session)), events, state};
}

/** @param {(request: Buffer, reply: Reply) => void} onRequest */
function answering(onRequest) {
  const scripted = scriptedSession();
  const take = answerWith(onRequest);
  return {...scripted, ask: (/** @type {number} */ id) => take(id, Buffer.from('request'), scripted.session)};
}

test('a reply has the id of its request', () => {
  const {ask, events} = answering((request, reply) => reply.end(request));
  ask(1);
  ask(2);
  assert.deepEqual(events, ['1: request', '2: request']);
});

test('a one-way message has no reply, whatever is answered', () => {
  const {ask, events} = answering((request, reply) => {
    reply.write(request);
    reply.end(request);
  });
  ask(0);
  assert.deepEqual(events, []);
});

test('an empty message ends a reply in parts, and a request without a reply has none', () => {
  const {ask, events} = answering((request, reply) => {
    reply.write(request);
    reply.end();
  });
  ask(1);
  assert.deepEqual(events, ['1: request', '1: ']);
  const silent = answering((_, reply) => reply.end());
  silent.ask(1);
  assert.deepEqual(silent.events, []);
});

test('a client that does not read its replies is not read, until it has read', async () => {
  const {ask, session, events, state} = answering((request, reply) => reply.end(request));
  session.outgoing.waitingBytes = 17 * 1024 * 1024;
  ask(1);
  ask(2);
  assert.deepEqual(events, ['1: request', 'pause', '2: request']);
  state.release();
  await Promise.resolve();
  await Promise.resolve();
  assert.equal(events.at(-1), 'resume');
});

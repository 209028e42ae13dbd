import assert from 'node:assert/strict';
import {describe, it} from 'node:test';
import {setTimeout as sleep} from 'node:timers/promises';
import {connectPatiently} from '../../../src/roles/connection.js';

const patience = {waitMs: 2000, attemptMs: 100, option: '--connect-timeout', onWait: () => {}};

describe('connecting patiently', () => {
  it('closes a connection that came when nobody waited for it any more, and keeps the next', async () => {
    /** @type {string[]} */
    const closed = [];
    const connection = (/** @type {string} */ name) => ({name, close: async () => void closed.push(name)});
    let attempts = 0;
    const connect = async () => {
      attempts += 1;
      if (attempts > 1) return connection('in time');
      await sleep(200);
      return connection('late');
    };
    const {signal} = new AbortController();
    const {name} = await connectPatiently(connect, {...patience, signal});
    await sleep(200);
    assert.deepEqual({name, attempts, closed}, {name: 'in time', attempts: 2, closed: ['late']});
  });

  it('when asked to stop, ends as soon as what then comes is closed', async () => {
    let closed = 0;
    const connect = () => sleep(50, {close: async () => void closed++});
    const asked = new AbortController();
    const connecting = connectPatiently(connect, {...patience, signal: asked.signal});
    asked.abort(new Error('asked'));
    await assert.rejects(connecting, /asked/);
    assert.equal(closed, 1);
  });

  it('when asked to stop, waits two seconds for a connection that never comes', async () => {
    const asked = new AbortController();
    const never = /** @type {Promise<{close(): Promise<void>}>} */ (new Promise(() => {}));
    const connecting = connectPatiently(() => never, {...patience, attemptMs: 60_000, signal: asked.signal});
    asked.abort(new Error('asked'));
    const atMs = performance.now();
    await assert.rejects(connecting, /asked/);
    assert.ok(performance.now() - atMs >= 1900);
  });
});

import assert from 'node:assert/strict';
import {once} from 'node:events';
import {mkdir, readdir, readFile, rm} from 'node:fs/promises';
import {join} from 'node:path';
import {after, before, describe, it} from 'node:test';
import {setTimeout as sleep} from 'node:timers/promises';
import {rabbitmq} from '../../../src/brokers/rabbitmq/index.js';
import {itOutlivesNoParent, startParent} from './killed-parent.js';
import {leftovers, leftoversAfter, makeBase, processesOf} from './leftovers.js';
import {provision} from './provision.js';

describe('nothing of a private broker is left', {timeout: 1_200_000}, () => {
  /** @type {string} */
  let base;
  before(async () => {
    base = await makeBase();
  });
  after(() => rm(base, {recursive: true, force: true}));

  itOutlivesNoParent(() => base, {
    nodes: 1,
    // The supervisor, epmd and the script, Erlang's own start.
    windows: [
      [30, 400],
      [400, 2500],
    ],
    minInUse: 3,
  });

  for (const afterMs of [0, 1000]) {
    it(`when the start is given up after ${afterMs} ms, by the time that is reported`, async () => {
      const giveUp = new AbortController();
      const reason = new Error('given up');
      setTimeout(() => giveUp.abort(reason), afterMs);
      await assert.rejects(provisionPrivate(base, giveUp.signal), (error) => error === reason);
      assert.deepEqual(await leftovers(base), []);
    });
  }

  it('when its supervisor is killed, which the broker reports', async () => {
    const broker = await provisionPrivate(base);
    process.kill(await supervisorOf(base), 'SIGKILL');
    assert.match(await broker.died, /its supervisor \(pid \d+\) was ended by SIGKILL/);
    assert.deepEqual(await leftoversAfter(base), []);
    await broker.release();
  });

  it('when its supervisor and its parent are killed at once, after the next start', async () => {
    const parent = await startParent(base);
    const supervisor = await supervisorOf(base);
    const [folder] = await readdir(base);
    parent.kill('SIGSTOP');
    process.kill(supervisor, 'SIGKILL');
    parent.kill('SIGKILL');
    await once(parent, 'exit');
    await untilNoProcess();
    assert.deepEqual(await readdir(base), [folder], 'nobody was left to remove it');
    await mkdir(join(base, 'perf-battle-broker-unsigned'));
    await mkdir(join(base, 'somebody-elses'));

    const giveUp = new AbortController();
    setTimeout(() => giveUp.abort(new Error('enough')), 1000);
    await assert.rejects(provisionPrivate(base, giveUp.signal));
    // One that was made a moment ago may be about to be signed.
    assert.deepEqual((await readdir(base)).sort(), ['perf-battle-broker-unsigned', 'somebody-elses']);
  });

  async function untilNoProcess() {
    const deadline = Date.now() + 5000;
    while ((await processesOf(base)).length > 0 && Date.now() < deadline) await sleep(50);
    assert.deepEqual(await processesOf(base), []);
  }
});

/** @param {string} base @param {AbortSignal} [signal] */
async function provisionPrivate(base, signal = new AbortController().signal) {
  return await provision(rabbitmq, {temporaryFolder: base, signal});
}

/** @param {string} base */
async function supervisorOf(base) {
  const [folder] = await readdir(base);
  return JSON.parse(await readFile(join(base, folder, 'owner.json'), 'utf8')).pid;
}

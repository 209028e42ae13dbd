import assert from 'node:assert/strict';
import {mkdtemp, readFile, rm, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {after, before, describe, it} from 'node:test';
import {driver} from '../../../src/brokers/artemis/driver.js';
import {findSetpriv} from '../../../src/brokers/programs.js';
import {leftovers, makeBase, processesOf} from './leftovers.js';

describe('artemis create, before a private Artemis starts', {timeout: 180_000}, () => {
  /** @type {string} */
  let base;
  before(async () => {
    base = await makeBase();
  });
  after(() => rm(base, {recursive: true}));

  /** Starts one with another program. @param {string} script of a shell @param {AbortSignal} signal */
  async function start(script, signal) {
    const folder = await mkdtemp(join(base, 'broker-'));
    const program = join(folder, 'artemis');
    await writeFile(program, `#!/bin/sh\n${script}\n`, {mode: 0o755});
    const [plan] = /** @type {any[]} */ (driver.planHosts(['localhost'], {nodes: 1, memoryBytes: undefined}));
    const setpriv = await findSetpriv();
    return {
      folder,
      plan,
      starting: driver.startOnHost(plan, {folder, data: folder, program, setpriv}, signal),
    };
  }

  it('gets no password, and its failure is that of the node, with the tail of its log', async () => {
    const script = 'for word; do echo "$word" >> words; done\necho the reason why >&2\nexit 7';
    const {folder, plan, starting} = await start(script, new AbortController().signal);
    await assert.rejects(starting, {
      code: 'PB_BROKER_UNAVAILABLE',
      message:
        /^A private Artemis .* artemis create \(pid \d+\) ended with exit code 7\. .*\nthe reason why$/s,
    });
    const words = await readFile(join(folder, 'words'), 'utf8');
    assert.match(words, /^create\n/);
    assert.doesNotMatch(words, /password/);
    assert.ok(!words.includes(plan.password));
    await rm(folder, {recursive: true});
    assert.deepEqual(await leftovers(base), []);
  });

  it('ends at once when the battle does', async () => {
    const stopping = new AbortController();
    const {folder, starting} = await start('echo > begun\nexec sleep 50', stopping.signal);
    const isOver = starting.then(
      () => true,
      () => true,
    );
    const begun = () => readFile(join(folder, 'begun')).then(Boolean, () => Promise.race([isOver, false]));
    while (!(await begun()));
    const reason = new Error('The battle ends.');
    stopping.abort(reason);
    await assert.rejects(starting, reason);
    assert.deepEqual(await processesOf(base), []);
    await rm(folder, {recursive: true});
  });
});

import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {it} from 'node:test';
import {setTimeout as sleep} from 'node:timers/promises';
import {fileURLToPath} from 'node:url';
import {leftovers, leftoversAfter} from './leftovers.js';

const program = fileURLToPath(new URL('./provision-and-wait.js', import.meta.url));

/**
 * A process that has a private broker in use.
 * @param {string} base the folder that the broker is made in
 * @param {number} [nodes]
 * @param {string} [kind]
 */
export async function startParent(base, nodes = 1, kind = 'rabbitmq') {
  const parent = spawn(process.execPath, [program, base, String(nodes), kind], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(parent.stdout, 'data');
  return parent;
}

/**
 * The cases in which the process that asked for a private broker is killed; call it within `describe`.
 * @param {() => string} baseOf the folder that the brokers are made in
 * @param {{nodes: number, kind?: string, windows: [number, number][], minInUse: number | null}} broker windows: parts of its start, in ms, at a random
 *   moment of which it happens; minInUse: files and processes there are at least while it is in use; null: not killed while it is
 */
export function itOutlivesNoParent(baseOf, {nodes, kind = 'rabbitmq', windows, minInUse}) {
  for (const [from, to] of windows) {
    const afterMs = Math.round(from + Math.random() * (to - from));
    it(`when its parent is killed ${afterMs} ms after the start`, async () => {
      const parent = spawn(process.execPath, [program, baseOf(), String(nodes), kind]);
      await sleep(afterMs);
      parent.kill('SIGKILL');
      await once(parent, 'exit');
      await sleep(100);
      assert.deepEqual(await leftoversAfter(baseOf()), []);
    });
  }

  if (minInUse === null) return;
  it('when its parent is killed while it is in use', async () => {
    const parent = await startParent(baseOf(), nodes, kind);
    assert.ok((await leftovers(baseOf())).length >= minInUse);
    parent.kill('SIGKILL');
    assert.deepEqual(await leftoversAfter(baseOf()), []);
  });
}

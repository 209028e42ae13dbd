import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {availableParallelism} from 'node:os';
import {it} from 'node:test';
import {readForeignLoad} from '../../../src/hosts/host-cores.js';
import {LocalHost} from '../../../src/hosts/local.js';

it('what other processes use of this host is seen within half a second', {timeout: 180_000}, async () => {
  const cores = availableParallelism();
  const spin = 'process.stdout.write("."); for (;;);';
  const others = Array.from({length: cores}, () =>
    spawn(process.execPath, ['-e', spin], {stdio: ['ignore', 'pipe', 'inherit']}),
  );
  try {
    await Promise.all(others.map(({stdout}) => once(stdout, 'data')));
    const load = await readForeignLoad(new LocalHost());
    assert.equal(load?.host, 'this host');
    assert.equal(load.cores, cores);
    assert.ok(load.share > 0.9 && load.share <= 1, `${load.share}`);
  } finally {
    for (const other of others) other.kill('SIGKILL');
  }
});

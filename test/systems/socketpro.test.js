import assert from 'node:assert/strict';
import {existsSync} from 'node:fs';
import {chmod, copyFile, mkdtemp, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, before, describe, it} from 'node:test';
import {fileURLToPath} from 'node:url';
import {inAWorkplace} from '../integration/support/each-in-a-workplace.js';
import {mustRun} from '../integration/support/network-commands.js';

/** @import {Workplace} from '../integration/support/workplace.js' */

const home = process.env.SOCKETPRO_HOME ?? '';
const echo = fileURLToPath(new URL('../../infra/socketpro/echo.py', import.meta.url));
/** Of nobody and nogroup on Debian. */
const nobody = 65_534;

// Its libraries come without source: they run as an unprivileged user, and reach nothing but each other.
describe('SocketPro', {timeout: 300_000, skip: home === '' && 'SOCKETPRO_HOME names none'}, () => {
  const namespace = `pbn-socketpro-${process.pid}`;
  /** @type {string} */
  let folder;
  /** @type {string} */
  let external;
  before(async () => {
    assert.ok(
      existsSync(join(home, 'bin/linux/libusocket.so')),
      `SOCKETPRO_HOME must name a copy of its repository; it is "${home}"`,
    );
    await mustRun('ip', 'netns', 'add', namespace);
    await mustRun('ip', '-n', namespace, 'link', 'set', 'lo', 'up');
    folder = await mkdtemp(join(tmpdir(), 'perf-battle-socketpro-'));
    await chmod(folder, 0o755);
    await copyFile(echo, join(folder, 'echo.py'));
    const user = ['--reuid', nobody, '--regid', nobody, '--clear-groups', '--no-new-privs'].join(' ');
    const script = `#!/bin/sh\nexec setpriv ${user} env SOCKETPRO_HOME='${home}' python3 ${folder}/echo.py "$1"\n`;
    await writeFile(join(folder, 'run'), script, {mode: 0o755});
    external = `SocketPro=${folder}/run server,${folder}/run client`;
  });
  after(async () => {
    await mustRun('ip', 'netns', 'delete', namespace);
    await rm(folder, {recursive: true});
  });

  /** @param {Workplace} workplace @param {string[]} parameters */
  function battle(workplace, parameters) {
    const wrapper = ['ip', 'netns', 'exec', namespace];
    return workplace.start('battle', [...parameters, '--external', external], {}, {wrapper}).ended;
  }

  it(
    'keeps the contract',
    inAWorkplace(async (workplace) => {
      const {code, stdout} = await battle(workplace, ['check-adapter']);
      assert.equal(code, 0, stdout);
      assert.match(stdout, /All checks hold/);
    }),
  );

  it(
    'is measured beside raw TCP, one request at a time and several in flight',
    inAWorkplace(async (workplace) => {
      const load = ['--workload', 'rtt,pipeline', '--window', '16', '--payload', '1kb,100kb'];
      const length = ['--rounds', '2', '--samples', '100', '--warmup', '20', '--transport', 'tcp'];
      const {code, stderr} = await battle(workplace, [...load, ...length]);
      assert.equal(code, 0, stderr);
      const cells = (await workplace.cells()).filter(({transport}) => transport === 'external');
      assert.equal(cells.length, 4);
      for (const cell of cells) {
        assert.ok(cell.outcome === 'completed', JSON.stringify(cell));
        assert.deepEqual([cell.counts.sent, cell.counts.verified, cell.counts.corrupted], [200, 200, 0]);
      }
      assert.deepEqual(await workplace.leftoversWithin(3000), []);
    }),
  );

  it(
    'streams the rows of a table, which are compared, one answer at a time and several in flight',
    inAWorkplace(async (workplace) => {
      const load = ['--workload', 'recordset', '--rows', '8,504', '--window', '1,4', '--verify', 'all'];
      const length = ['--rounds', '2', '--samples', '20', '--warmup', '5', '--transport', 'tcp'];
      const {code, stderr} = await battle(workplace, [
        ...load,
        ...length,
        '--delivery',
        'streamed,preloaded',
      ]);
      assert.equal(code, 0, stderr);
      const cells = (await workplace.cells()).filter(({transport}) => transport === 'external');
      assert.equal(cells.length, 4);
      for (const cell of cells) {
        assert.ok(cell.outcome === 'completed', JSON.stringify(cell));
        assert.deepEqual([cell.counts.sent, cell.counts.verified, cell.counts.corrupted], [40, 40, 0]);
      }
      assert.deepEqual(await workplace.leftoversWithin(3000), []);
    }),
  );

  it(
    'fills and empties its persistent queue',
    inAWorkplace(async (workplace) => {
      const load = ['--workload', 'queue', '--payload', '200,10kb', '--transport', 'external'];
      const {code, stderr} = await battle(workplace, [...load, '--rounds', '2', '--samples', '1000']);
      assert.equal(code, 0, stderr);
      const cells = await workplace.cells();
      assert.equal(cells.length, 2);
      for (const cell of cells) {
        assert.ok(cell.outcome === 'completed', JSON.stringify(cell));
        assert.deepEqual([cell.counts.sent, cell.counts.verified, cell.counts.corrupted], [2000, 2000, 0]);
        assert.deepEqual(Object.keys(cell.phases), ['enqueue', 'dequeue']);
      }
      assert.deepEqual(await workplace.leftoversWithin(3000), []);
    }),
  );
});

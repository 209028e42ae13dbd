import assert from 'node:assert/strict';
import {readFile} from 'node:fs/promises';
import {homedir} from 'node:os';
import {join} from 'node:path';
import {describe, it} from 'node:test';
import {conformance} from '../../../src/conformance/index.js';
import unix from '../../../src/transports/unix/index.js';
import {inAWorkplace} from '../support/each-in-a-workplace.js';
import {killedServer} from '../support/killed-server.js';
import {registry} from '../support/registry.js';

conformance(unix, {unixProtocol: 'http', serverLibrary: 'node', clientLibrary: 'node'});
conformance(unix, {unixProtocol: 'http', serverLibrary: 'fastify', clientLibrary: 'fetch', keepAlive: false});

/** All runs of the tests share the runtimes. */
const kept = {...registry, XDG_CACHE_HOME: process.env.XDG_CACHE_HOME || join(homedir(), '.cache')};

/** The names of perf-battle in the abstract namespace. */
async function openNames() {
  const table = await readFile('/proc/net/unix', 'latin1');
  return [...table.matchAll(/ @(perf-battle-\d+)@*$/gm)].map(([, name]) => name);
}

describe('the Unix socket pair', {timeout: 300_000}, () => {
  for (const PB_UNIX_PROTOCOL of ['raw', 'http'])
    it(
      `ends with 1 and leaves nothing when its server is killed, with ${PB_UNIX_PROTOCOL}`,
      inAWorkplace(async (workplace) => {
        const number = PB_UNIX_PROTOCOL === 'raw' ? '4712' : '4713';
        const settings = {PB_UNIX_PROTOCOL, PB_SERVER_PORT: number};
        const {code, error} = await killedServer(workplace, 'unix', settings);
        assert.deepEqual([code, error.code], [1, 'PB_CONNECTION_LOST'], error.message);
        assert.ok(!(await openNames()).includes(`perf-battle-${number}`));
      }),
    );

  it(
    'refuses a number that is taken, and one host for each end',
    inAWorkplace(async (workplace) => {
      const environment = {PB_SERVER_PORT: '4711'};
      const server = workplace.start('unix-server', [], environment);
      await server.says(/server ready: unix:4711/);
      assert.ok((await openNames()).includes('perf-battle-4711'));
      const second = await workplace.run('unix-server', [], environment);
      assert.equal(second.code, 1, second.stderr);
      assert.match(second.stderr, /Unix socket 4711 is in use\. .*--server-port/s);
      const apart = await workplace.battle(['--transport', 'unix', '--client-on', 'alpha']);
      assert.equal(apart.code, 2, apart.stderr);
      assert.match(apart.stderr, /--transport unix needs clients and servers on one host/);
    }),
  );

  it(
    'connects different versions of Node.js, and refuses Bun by name',
    inAWorkplace(async (workplace) => {
      const flags = ['--transport', 'unix', '--unix-protocol', 'raw', '--payload', '1kb', '--samples', '20'];
      const short = ['--rounds', '1', '--warmup', '5'];
      const mixed = ['--runtime', 'node/node@22,node@22/node'];
      const {code, stderr} = await workplace.battle([...flags, ...short, ...mixed], kept);
      assert.equal(code, 0, stderr);
      const bun = await workplace.battle([...flags, ...short, '--runtime', 'bun']);
      assert.equal(bun.code, 2, bun.stderr);
      assert.match(bun.stderr, /Unix socket does not run in Bun: Bun refuses abstract names/);
    }),
  );

  it(
    'battles with frames and with HTTP, in rows of their own',
    inAWorkplace(async (workplace) => {
      const {code, stdout, stderr} = await workplace.battle([
        ...['--transport', 'unix', '--http-server', 'node,fastify', '--workload', 'rtt,pipeline,stream'],
        ...['--payload', '1kb,1000kb', '--window', '8', '--rounds', '1', '--samples', '40', '--warmup', '10'],
      ]);
      assert.equal(code, 0, stderr);
      assert.match(stdout.replace(/\s+/g, ' '), /A Unix socket connects processes of one host only\./);
      const cells = (await workplace.cells()).filter(({transport}) => transport === 'unix');
      for (const cell of cells) {
        assert.ok(cell.outcome === 'completed', JSON.stringify(cell));
        assert.deepEqual([cell.counts.lost, cell.counts.corrupted], [0, 0]);
      }
      const rows = cells
        .filter(({workload}) => workload === 'rtt')
        .map(({labels: {facilitator, settings}}) => [facilitator, ...settings].join(', '));
      assert.deepEqual([...new Set(rows)].toSorted(), [
        'HTTP on a Unix socket, Fastify',
        'HTTP on a Unix socket, node:http',
        'Unix socket',
      ]);
      assert.deepEqual(await workplace.leftoversWithin(5000), []);
    }),
  );
});

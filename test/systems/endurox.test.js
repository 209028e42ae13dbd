import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {existsSync, readdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {before, describe, it} from 'node:test';
import {setTimeout as sleep} from 'node:timers/promises';
import {inAWorkplace} from '../integration/support/each-in-a-workplace.js';

/**
 * @import {Conclusion} from '../../src/faults/found.js'
 * @import {Workplace} from '../integration/support/workplace.js'
 */

const home = process.env.NDRX_HOME ?? '';
const program = join(home, 'bin/perf-battle-endurox');
const external = programsWith(program);
const bridged = programsWith(`env ENDUROX_BRIDGE=1 ${program}`);
const length = ['--rounds', '1', '--samples', '500', '--warmup', '50'];
const short = [...length, '--transport', 'tcp'];

/** @param {string} command of both programs */
function programsWith(command) {
  return `Enduro/X=${command} server,${command} client`;
}

/** Whether it was built for queues in shared memory, which no limit of the system keeps small. */
const config = join(home, 'include/ndrx_config.h');
const hasLargeQueues = existsSync(config) && readFileSync(config, 'utf8').includes('#define EX_USE_EMQ');

/** The upper half of the keys that the program uses. */
const keyPrefix = 0x5042;

/** What the program made outlives its processes, unless it deletes that: shared memory, semaphores, and queues where the kernel shows them. */
function assertNothingIsLeft() {
  const lines = ['shm', 'sem'].flatMap((kind) => readFileSync(`/proc/sysvipc/${kind}`, 'utf8').split('\n'));
  const keys = lines.map((line) => Number(line.trim().split(/\s+/)[0]));
  assert.ok(keys.every((key) => key >>> 16 !== keyPrefix));
  assert.deepEqual(
    readdirSync('/dev/shm').filter((name) => /^(perf-battle-endurox|pb)/.test(name)),
    [],
  );
  const mounted = ['-m', 'sh', '-c', 'mount -t mqueue none /tmp && ls /tmp'];
  const shown = spawnSync('unshare', mounted, {encoding: 'utf8'});
  const queues = shown.status === 0 ? shown.stdout.split('\n') : readdirSync('/dev/mqueue');
  assert.deepEqual(
    queues.filter((name) => name.startsWith('pb')),
    [],
  );
}

/** @param {Workplace} workplace @param {string[]} flags @param {string} programs */
async function measure(workplace, flags, programs = external) {
  const {code, stderr} = await workplace.battle([...short, ...flags, '--external', programs]);
  return {code, stderr, cells: (await workplace.cells()).filter(({transport}) => transport === 'external')};
}

describe('Enduro/X', {timeout: 300_000, skip: home === '' && 'NDRX_HOME names none'}, () => {
  before(() => {
    assert.ok(existsSync(program), `NDRX_HOME must name what infra/endurox/build.sh made; it is "${home}"`);
  });

  it(
    'keeps the contract, except for messages that are larger than its queues',
    inAWorkplace(async (workplace) => {
      const {stdout} = await workplace.run('battle', ['check-adapter', '--external', external]);
      assert.match(stdout, /holds +a number of round trips is measured, and the server counts each/);
      assert.match(stdout, /holds +a cache of the client answers the share/);
      const failing = [...stdout.matchAll(/^ {2}FAILS +(.*)$/gm)].map(([, what]) => what);
      for (const what of failing)
        assert.match(what, /another payload size afterwards: .*do not fit into queues/);
    }),
  );

  it(
    'is measured beside raw TCP, one call at a time and several in flight, and leaves nothing',
    inAWorkplace(async (workplace) => {
      const flags = ['--workload', 'rtt,pipeline', '--window', '4', '--payload', '1,1kb,4kb'];
      const {code, stderr, cells} = await measure(workplace, flags);
      assert.equal(code, 0, stderr);
      assert.equal(cells.length, 6);
      for (const cell of cells) {
        assert.ok(cell.outcome === 'completed', JSON.stringify(cell));
        assert.deepEqual([cell.counts.sent, cell.counts.verified, cell.counts.corrupted], [500, 500, 0]);
        assert.match(JSON.stringify(cell.variant.serverProgram), /"endurox":"Enduro\/X \d/);
        assert.ok((cell.cpu.server?.microsPerMessage ?? 0) > 1);
      }
      assert.deepEqual(await workplace.leftoversWithin(3000), []);
      assertNothingIsLeft();
    }),
  );

  it(
    'goes on calling, and loses no call, when the daemon beside the calls is killed',
    inAWorkplace(async (workplace) => {
      const daemon = programsWith(`env ENDUROX_DAEMON=1 ${program}`);
      const words = ['faults', '--transport', 'external', '--external', daemon, '--fault', 'kill-daemon'];
      const {code, stdout, stderr} = await workplace.battle([...words, '--json']);
      assert.equal(code, 0, stderr);
      /** @type {{rows: Conclusion[]}} */
      const {rows} = JSON.parse(stdout);
      const [{outcome, outageEnd, account}] = rows[0].faults;
      assert.deepEqual([outcome, outageEnd], ['kept', 'ended']);
      assert.ok(account && account.sent > 0, JSON.stringify(account));
      assert.deepEqual([account.confirmed, account.lost], [account.sent, 0]);
      assert.deepEqual(await workplace.leftoversWithin(3000), []);
      assertNothingIsLeft();
    }),
  );

  it(
    'is measured with five clients and five servers',
    inAWorkplace(async (workplace) => {
      const five = programsWith(`env ENDUROX_PAIRS=5 ${program}`);
      const flags = ['--payload', '1kb', '--clients', '5', '--servers', '5'];
      const {code, stderr, cells} = await measure(workplace, flags, five);
      assert.equal(code, 0, stderr);
      const [cell] = cells;
      assert.ok(cell.outcome === 'completed', JSON.stringify(cell));
      assert.deepEqual([cell.counts.verified, cell.counts.corrupted], [2500, 0]);
      assert.deepEqual(await workplace.leftoversWithin(3000), []);
      assertNothingIsLeft();
    }),
  );

  it(
    'is measured with five threads of one client and five servers',
    inAWorkplace(async (workplace) => {
      const five = programsWith(`env ENDUROX_PAIRS=5 ENDUROX_THREADS=1 ${program}`);
      const flags = ['--workload', 'pipeline', '--window', '5', '--servers', '5', '--payload', '1,1kb'];
      const {code, stderr, cells} = await measure(workplace, flags, five);
      assert.equal(code, 0, stderr);
      assert.equal(cells.length, 2);
      for (const cell of cells) {
        assert.ok(cell.outcome === 'completed', JSON.stringify(cell));
        assert.deepEqual([cell.counts.verified, cell.counts.corrupted], [500, 0]);
      }
      assert.deepEqual(await workplace.leftoversWithin(3000), []);
      assertNothingIsLeft();
    }),
  );

  it(
    'is measured one way, with a closing call, and with replies that are no echo',
    inAWorkplace(async (workplace) => {
      const flags = [
        '--workload',
        'stream,rtt',
        '--closing-call',
        'on',
        '--reply',
        'increment',
        '--verify',
        'all',
      ];
      const {code, stderr, cells} = await measure(workplace, [...flags, '--payload', '1,4kb']);
      assert.equal(code, 0, stderr);
      assert.equal(cells.length, 4);
      for (const cell of cells) {
        assert.ok(cell.outcome === 'completed', JSON.stringify(cell));
        const {sent, received, verified, corrupted} = cell.counts;
        assert.deepEqual([sent, received, verified, corrupted], [500, 500, 500, 0]);
      }
    }),
  );

  it(
    'keeps messages in files, all in and all out or in pairs, with the CPU time of its daemons',
    inAWorkplace(async (workplace) => {
      const flags = ['--workload', 'queue', '--pairwise', 'off,on', '--payload', '1,4kb', ...length];
      const {code, stderr} = await workplace.battle([
        ...[...flags, '--transport', 'external', '--external', external],
      ]);
      assert.equal(code, 0, stderr);
      const cells = await workplace.cells();
      assert.equal(cells.length, 4);
      for (const cell of cells) {
        assert.ok(cell.outcome === 'completed', JSON.stringify(cell));
        assert.deepEqual([cell.counts.verified, cell.counts.corrupted], [500, 0]);
        // The client itself mostly waits: it needs less than a tenth of what the daemons need.
        assert.ok((cell.cpu.client?.microsPerMessage ?? 0) > 200, JSON.stringify(cell.cpu));
      }
      assert.deepEqual(await workplace.leftoversWithin(6000), []);
      assertNothingIsLeft();
    }),
  );

  it(
    'answers calls from its cache, and stores the replies to the others, also without an echo',
    inAWorkplace(async (workplace) => {
      const flags = ['--workload', 'cached', '--hit-ratio', '0.9', '--reply', 'echo,increment'];
      const {code, stderr, cells} = await measure(workplace, [...flags, '--payload', '1kb,4kb']);
      assert.equal(code, 0, stderr);
      assert.equal(cells.length, 4);
      for (const cell of cells) {
        assert.ok(cell.outcome === 'completed', JSON.stringify(cell));
        const {hit, miss} = cell.latencies;
        assert.deepEqual([hit?.samples, miss?.samples, cell.counts.corrupted], [450, 50, 0]);
        assert.ok((hit?.meanMs ?? 1) < (miss?.meanMs ?? 0));
      }
      assert.deepEqual(await workplace.leftoversWithin(3000), []);
      assertNothingIsLeft();
    }),
  );

  it(
    'calls over TCP from one domain to another, through a bridge of each',
    inAWorkplace(async (workplace) => {
      const workloads = ['--workload', 'rtt,pipeline,stream', '--window', '4', '--closing-call', 'on'];
      const flags = [...workloads, '--verify', 'all', '--payload', '1,4kb'];
      const {code, stderr, cells} = await measure(workplace, flags, bridged);
      assert.equal(code, 0, stderr);
      assert.equal(cells.length, 6);
      for (const cell of cells) {
        assert.ok(cell.outcome === 'completed', JSON.stringify(cell));
        assert.deepEqual([cell.counts.verified, cell.counts.corrupted], [500, 0]);
        // With its daemons: a program that echoes needs less.
        assert.ok((cell.cpu.server?.microsPerMessage ?? 0) > 20, JSON.stringify(cell.cpu));
      }
      assert.deepEqual(await workplace.leftoversWithin(3000), []);
      assertNothingIsLeft();
    }),
  );

  it(
    'takes calls and messages of 53 KB in shared memory, also with daemons',
    {skip: !hasLargeQueues && 'NDRX_HOME has queues of the kernel'},
    inAWorkplace(async (workplace) => {
      const stored = ['--workload', 'queue', '--pairwise', 'on', '--payload', '53kb', ...length];
      const {code, stderr} = await workplace.battle([
        ...[...stored, '--transport', 'external', '--external', external],
      ]);
      assert.equal(code, 0, stderr);
      for (const programs of [external, bridged]) {
        const {code: ended, stderr: why} = await measure(workplace, ['--payload', '53kb'], programs);
        assert.equal(ended, 0, why);
      }
      const cells = (await workplace.cells()).filter(({transport}) => transport === 'external');
      assert.equal(cells.length, 3);
      for (const cell of cells) {
        assert.ok(cell.outcome === 'completed', JSON.stringify(cell));
        assert.deepEqual([cell.counts.verified, cell.counts.corrupted], [500, 0]);
      }
      assert.deepEqual(await workplace.leftoversWithin(6000), []);
      assertNothingIsLeft();
    }),
  );

  for (const [workload, programs] of [
    ['rtt', external],
    ['cached', external],
    ['queue', external],
    ['rtt', bridged],
  ])
    it(
      `leaves nothing when its battle is killed while it measures ${workload}${programs === bridged ? ' over a bridge' : ''}`,
      inAWorkplace(async (workplace) => {
        const flags = ['--workload', workload, '--rounds', '1', '--payload', '1kb', '--warmup', '50'];
        const long = workload === 'queue' ? ['--samples', '50000'] : ['--duration', '20s'];
        const battle = workplace.start('battle', [
          ...[...flags, ...long, '--transport', 'external', '--seed', '3'],
          ...['--external', programs],
        ]);
        await battle.says(/round 1 of 1.*Enduro/);
        await sleep(2000);
        battle.child.kill('SIGKILL');
        await battle.ended;
        assert.deepEqual(
          (await workplace.leftoversWithin(8000)).filter((one) => /^process|endurox/.test(one)),
          [],
        );
        assertNothingIsLeft();
      }),
    );

  it(
    'fails the cell of a message that does not fit into a queue, says why, and goes on',
    inAWorkplace(async (workplace) => {
      const {code, cells} = await measure(workplace, ['--payload', '1kb,16mb']);
      assert.equal(code, 1);
      const [small, large] = cells;
      assert.equal(small.outcome, 'completed');
      assert.ok(large.outcome === 'failed');
      const advice = hasLargeQueues ? 'the largest of this program' : 'fs\\.mqueue\\.msgsize_max';
      assert.match(large.error.message, new RegExp(`16777216 bytes do not fit into queues .* ${advice}`));
    }),
  );
});

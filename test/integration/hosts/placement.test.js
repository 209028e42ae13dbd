import assert from 'node:assert/strict';
import {readFile} from 'node:fs/promises';
import {describe, it} from 'node:test';
import {setTimeout as sleep} from 'node:timers/promises';
import {parseCores} from '../../../src/measure/cores.js';
import {inAWorkplace} from '../support/each-in-a-workplace.js';
import {fillCaches} from '../support/fill-caches.js';
import {leftoversOnHostsWithin} from '../support/leftovers-on-hosts.js';
import {makeNetwork} from '../support/network.js';
import {coresOfThreads} from '../support/roles.js';

/** @import {Workplace} from '../support/workplace.js' */

const long = ['--payload', '1kb', '--rounds', '1', '--duration', '30s', '--warmup', '200ms'];
const short = ['--payload', '1kb', '--rounds', '1', '--duration', '200ms', '--warmup', '200ms'];
const goneWithinMs = 15_000;

/** @param {number} pid @returns {Promise<boolean>} whether its allocator was told to keep the memory that the process frees */
async function keepsMemory(pid) {
  return (await readFile(`/proc/${pid}/environ`, 'utf8')).includes('MALLOC_TRIM_THRESHOLD_=134217728\0');
}

/** @param {number} pid @returns {Promise<string>} the id of its session (proc(5)) */
async function sessionOf(pid) {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  const [, , , session] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return session;
}

/**
 * Waits for a process by its command line, once taskset has replaced itself and the threads of Node.js run.
 * @param {() => Promise<{pid: number, command: string}[]>} list
 * @param {RegExp} command
 * @returns {Promise<number>}
 */
async function untilRuns(list, command) {
  for (let attempt = 0; attempt < 600; attempt += 1) {
    const found = (await list()).find((process) => command.test(process.command));
    if (found && (await coresOfThreads(found.pid)).length >= threadsOfNode) return found.pid;
    await sleep(50);
  }
  throw new Error(`${command} never ran.`);
}

/**
 * Waits until the main thread of a process has one core.
 * @param {number} pid
 * @returns {Promise<{main: string, helpers: string[]}>} the cores of the main thread, and the lists of the others, each once
 */
async function untilPlaced(pid) {
  for (let attempt = 0; attempt < 1200; attempt += 1) {
    // The first of its threads is the main one.
    const [main, ...helpers] = await coresOfThreads(pid);
    if (/^\d+$/.test(main)) return {main, helpers: [...new Set(helpers)]};
    await sleep(50);
  }
  throw new Error(`The main thread of ${pid} was never placed.`);
}

/** Other tests let cores sleep. @type {NodeJS.ProcessEnv} */
const byDefault = {PB_CORES: undefined};
/** At least: the main one, and those of V8 and of its pool. */
const threadsOfNode = 5;
const client = /^\S*node (--\S+ )*\S*\/program\.js tcp-client/;
const server = /^\S*node (--\S+ )*\S*\/program\.js tcp-server/;

describe('roles on cores', {timeout: 900_000}, async () => {
  const [own] = await coresOfThreads(process.pid);
  const cores = /** @type {number[]} */ (parseCores(own));
  const [first, last] = [cores[0], /** @type {number} */ (cores.at(-1))];

  it(
    'have a core of their own for the main thread, and any for their helpers; a killed battle leaves none',
    inAWorkplace(async (workplace) => {
      // By default, other tests beside this one would count as other work on the host.
      const battle = workplace.start('battle', [...long, '--transport', 'tcp', '--pin', 'main']);
      const list = () => workplace.processes();
      const pids = [await untilRuns(list, client), await untilRuns(list, server)];
      assert.deepEqual(await Promise.all(pids.map(keepsMemory)), [true, true]);
      const [ofClient, ofServer] = await Promise.all(pids.map(untilPlaced));
      assert.notEqual(ofClient.main, ofServer.main);
      assert.deepEqual([ofClient.helpers, ofServer.helpers], [[own], [own]]);
      battle.child.kill('SIGKILL');
      await battle.ended;
      assert.deepEqual(await workplace.leftoversWithin(goneWithinMs), []);
    }),
  );

  it(
    'keep their cores awake, and the record says so',
    inAWorkplace(async (workplace) => {
      const battle = [...short, '--transport', 'tcp', '--pin', 'main'];
      const {code, stderr} = await workplace.battle(battle, byDefault);
      assert.equal(code, 0, stderr);
      const [cell] = /** @type {any[]} */ (await workplace.cells());
      assert.match(cell.coreState, /^(polling|awake)$/, stderr);
      assert.equal(cell.placement.threads, 'main');
      const [trial] = /** @type {any[]} */ (await workplace.journal()).filter(({kind}) => kind === 'trial');
      assert.deepEqual([trial.usage.client.migrations ?? 0, trial.usage.server.migrations ?? 0], [0, 0]);
    }),
  );

  it(
    'let their cores sleep with --cores sleeping',
    inAWorkplace(async (workplace) => {
      const flags = ['--transport', 'tcp', '--pin', 'main', '--cores', 'sleeping'];
      const {code, stderr} = await workplace.battle([...short, ...flags], byDefault);
      assert.equal(code, 0, stderr);
      const [cell] = /** @type {any[]} */ (await workplace.cells());
      assert.deepEqual([cell.coreState, cell.placement.threads], ['sleeping', 'main']);
    }),
  );

  it(
    'run where --pin says, which the journal has; then no process changes its core',
    inAWorkplace(async (workplace) => {
      const {code, stderr} = await workplace.battle([
        ...short,
        '--transport',
        'tcp',
        '--pin',
        `${last}/${first}`,
      ]);
      assert.equal(code, 0, stderr);
      const placement = {client: [last], server: [first], broker: null, threads: 'all'};
      const journal = /** @type {any[]} */ (await workplace.journal());
      const trials = journal.filter(({kind}) => kind === 'trial');
      assert.equal(trials.length > 0, true);
      for (const trial of trials) {
        assert.deepEqual(trial.placement, placement);
        assert.deepEqual([trial.usage.client.migrations ?? 0, trial.usage.server.migrations ?? 0], [0, 0]);
      }
      const [cell] = /** @type {any[]} */ (await workplace.cells());
      assert.deepEqual(cell.placement, placement);
    }),
  );

  it(
    'run anywhere with --pin none, which the journal has too',
    inAWorkplace(async (workplace) => {
      const {code, stderr} = await workplace.battle([...short, '--transport', 'tcp', '--pin', 'none']);
      assert.equal(code, 0, stderr);
      const [cell] = /** @type {any[]} */ (await workplace.cells());
      assert.equal(cell.placement, null);
    }),
  );

  it(
    'keep their memory or return it to the system, as the row says',
    inAWorkplace(async (workplace) => {
      const both = ['--transport', 'tcp', '--keep-memory', 'on,off'];
      const {code, stdout, stderr} = await workplace.battle([...short, ...both]);
      assert.equal(code, 0, stderr);
      // The faster row comes first.
      assert.match(stdout, /^1kb +TCP +\d|^ +TCP +\d/m);
      assert.match(stdout, /^(?:1kb)? +TCP \(memory(?: returned\))? +\d/m);
      const battle = workplace.start('battle', [...long, '--transport', 'tcp', '--keep-memory', 'off']);
      assert.equal(await keepsMemory(await untilRuns(() => workplace.processes(), client)), false);
      battle.child.kill('SIGKILL');
      await battle.ended;
      assert.deepEqual(await workplace.leftoversWithin(goneWithinMs), []);
    }),
  );

  it(
    'have a private broker beside them, on its own cores, and a killed battle leaves none',
    inAWorkplace(async (workplace) => {
      const pin = ['--pin', `${last}/${last}/${first}`];
      const flags = [...long, '--transport', 'nats', '--broker', 'private', ...pin];
      const battle = workplace.start('battle', flags);
      const list = () => workplace.processes();
      const broker = await untilRuns(list, /^\S*nats-server /);
      assert.deepEqual([...new Set(await coresOfThreads(broker))], [String(first)]);
      const pid = await untilRuns(list, /^\S*node (--\S+ )*\S*\/program\.js (nats|tcp)-client/);
      assert.deepEqual([...new Set(await coresOfThreads(pid))], [String(last)]);
      const own = await sessionOf(Number(battle.child.pid));
      assert.deepEqual([await sessionOf(broker), await sessionOf(pid)], [own, own]);
      battle.child.kill('SIGKILL');
      await battle.ended;
      assert.deepEqual(await workplace.leftoversWithin(goneWithinMs), []);
    }),
  );

  it(
    'run on cores of other hosts, over ssh, where a battle that does not find them does not start',
    inAWorkplace(async (workplace) => {
      const network = await makeNetwork(['alpha', 'beta']);
      try {
        await fillCaches(network);
        const onTwo = ['--client-on', 'alpha', '--server-on', 'beta', '--transport', 'tcp'];
        const environment = {PB_SSH_CONFIG: network.sshConfig, ...byDefault};
        const refused = await workplace.battle([...short, ...onTwo, '--pin', `${first}/8000`], environment);
        assert.equal(refused.code, 2, refused.stderr);
        assert.match(refused.stderr, /--pin names core 8000, which processes may not use on beta/);
        const pin = ['--pin', `${last}/${first}`];
        const battle = workplace.start('battle', [...long, ...onTwo, ...pin], environment);
        const pids = [
          await untilRuns(() => network.processesOf('alpha'), client),
          await untilRuns(() => network.processesOf('beta'), server),
        ];
        const [ofClient, ofServer] = await Promise.all(pids.map(coresOfThreads));
        assert.deepEqual([...new Set(ofClient)], [String(last)]);
        assert.deepEqual([...new Set(ofServer)], [String(first)]);
        assert.deepEqual(await Promise.all(pids.map(keepsMemory)), [true, true]);
        // From another session, a loop of Linux's lowest priority lets a role wait for up to 4 ms.
        const [keeper, agent] = await Promise.all(
          [/keep-awake/, /agent-process/].map(async (program) =>
            sessionOf(await untilRuns(() => network.processesOf('alpha'), program)),
          ),
        );
        assert.equal(keeper, agent);
        battle.child.kill('SIGKILL');
        await battle.ended;
        assert.deepEqual(await leftoversOnHostsWithin(network, goneWithinMs), []);
        const main = await workplace.battle([...short, ...onTwo, '--pin', 'main'], environment);
        assert.equal(main.code, 0, main.stderr);
        const cell = /** @type {any} */ (await workplace.cells()).at(-1);
        assert.notEqual(cell.coreState, 'sleeping', main.stderr);
        assert.equal(cell.placement.threads, 'main', main.stderr);
        // The hosts of this test are one machine.
        assert.notDeepEqual(cell.placement.client, cell.placement.server);
        assert.deepEqual(await leftoversOnHostsWithin(network, goneWithinMs), []);
      } finally {
        await network.close();
      }
    }),
  );
});

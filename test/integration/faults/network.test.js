import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {chownSync} from 'node:fs';
import {networkInterfaces} from 'node:os';
import {describe, it} from 'node:test';
import {setTimeout as sleep} from 'node:timers/promises';
import {inAWorkplace} from '../support/each-in-a-workplace.js';
import {networkNamespacesOf, processesInNetworkNamespaces} from '../support/namespaces.js';
import {assertOutage} from '../support/run-faults.js';

/**
 * @import {Conclusion} from '../../../src/faults/found.js'
 * @import {Program} from '../support/program.js'
 * @import {Workplace} from '../support/workplace.js'
 */

const cut = ['faults', '--fault', 'cut-network', '--tries', '1', '--restart-after', '700ms', '--json'];
const overHttp = ['--transport', 'http', '--http-server', 'node'];

/** @param {string} stdout @returns {Conclusion[]} */
function rowsIn(stdout) {
  return JSON.parse(stdout).rows;
}

/** A user without rights, who may read the checkout wherever it is. */
const asAnother = [
  ...['setpriv', '--reuid', '65534', '--regid', '65534', '--clear-groups'],
  ...['--inh-caps', '+dac_read_search', '--ambient-caps', '+dac_read_search', '--'],
];

describe('the network between clients and the rest', {timeout: 600_000, concurrency: 2}, () => {
  it(
    'is silent for a time, and what was on its way arrives afterwards',
    inAWorkplace(async (workplace) => {
      const {code, stdout, stderr} = await workplace.battle([...cut, ...overHttp]);
      assert.equal(code, 0, stderr);
      const [{faults: own}] = rowsIn(stdout);
      const [{fault, outcome, lost, of, outageMs, restartMs, found}] = own;
      assert.deepEqual([fault, outcome, lost], ['cut-network', 'kept', 0]);
      assert.ok(Number(of) > 100, `${of} requests`);
      assert.ok(Number(restartMs) >= 700 && Number(restartMs) < 5000, `${restartMs} ms`);
      // What was under way is sent again by TCP, after waits that double.
      assertOutage(outageMs, 700);
      assert.ok(outageMs < 10_000, `${outageMs} ms`);
      assert.equal(found[0].account?.open, 0);
      assert.deepEqual(await workplace.leftovers(), []);
    }),
  );

  it(
    'is silent for the clients of a broker, of its queues and of requests through it',
    inAWorkplace(async (workplace) => {
      const words = ['--transport', 'rabbitmq', '--delivery-mode', '1', '--rabbitmq-confirms', 'on'];
      const window = 64;
      const load = ['--timeout', '500ms', '--window', String(window), '--resend'];
      const {code, stdout, stderr} = await workplace.battle([
        ...cut,
        ...words,
        '--workload',
        'queue,rtt',
        ...load,
      ]);
      assert.equal(code, 0, stderr);
      const rows = rowsIn(stdout);
      assert.deepEqual(
        rows.map(({row, faults: [{fault}]}) => [row.stores, fault]),
        [
          [true, 'cut-network'],
          [false, 'cut-network'],
        ],
      );
      const [stored, requests] = rows.map(({faults: [{lost}]}) => Number(lost));
      assert.equal(stored, 0);
      // The load ends after one timeout, in which a busy host may not answer the last window.
      assert.ok(requests <= window, `${requests} requests without a reply`);
      for (const {
        faults: [{outageMs}],
      } of rows) {
        assertOutage(outageMs, 700);
        assert.ok(outageMs < 10_000, `${outageMs} ms`);
      }
      assert.deepEqual(await workplace.leftovers(), []);
    }),
  );

  it(
    'leaves no process, namespace or interface when the command is killed while it is cut',
    inAWorkplace(async (workplace) => {
      const words = ['faults', ...overHttp, '--fault', 'cut-network', '--restart-after', '60s'];
      const program = workplace.start('battle', words);
      const namespaces = await untilCut(workplace, program);
      assert.equal(namespaces.size, 2);
      assert.ok(processesInNetworkNamespaces(namespaces).length >= 4, 'client, server and what keeps each');
      assert.ok(!Object.keys(networkInterfaces()).includes('link0'));
      program.child.kill('SIGKILL');
      await program.ended;
      assert.deepEqual(await workplace.leftoversWithin(15_000), []);
      const deadline = Date.now() + 5000;
      while (processesInNetworkNamespaces(namespaces).length > 0 && Date.now() < deadline) await sleep(20);
      assert.deepEqual(processesInNetworkNamespaces(namespaces), []);
    }),
  );

  it(
    'is not cut for a user who may not, and connections are reset through a proxy then',
    inAWorkplace(async (workplace) => {
      for (const path of [workplace.path, workplace.temporary]) chownSync(path, 65_534, 65_534);
      const words = ['faults', '--transport', 'tcp', '--fault', 'cut-connection,cut-network'];
      const {code, stdout, stderr} = await workplace.start(
        'battle',
        [...words, '--tries', '2', '--resend', '--json'],
        {},
        {wrapper: asAnother},
      ).ended;
      assert.equal(code, 3, stderr);
      assert.match(
        stderr.replace(/\s+/g, ' '),
        /Exit code 3: not tried here, although asked for \(cut-network\)\./,
      );
      assert.match(
        stderr,
        /The connections go through a proxy of perf-battle: ss -K needs root, ss of iproute2, and a kernel/,
      );
      assert.match(stderr, /Under cut-connection, the connections went through a proxy of perf-battle/);
      const {faults: run, rows} = JSON.parse(stdout);
      assert.deepEqual(run.notTried, [
        {
          fault: 'cut-network',
          why: 'it needs root, ip and tc of iproute2, and nsenter and unshare of util-linux',
        },
      ]);
      const [{faults: own}] = /** @type {Conclusion[]} */ (rows);
      assert.deepEqual(
        own.map(({fault, outcome, tries, isThroughProxy}) => ({fault, outcome, tries, isThroughProxy})),
        [{fault: 'cut-connection', outcome: 'kept', tries: 2, isThroughProxy: true}],
      );
      assert.ok(Number(own[0].outageMs) > 0);
      const entries = await workplace.journal();
      assert.equal(entries.find(({kind}) => kind === 'fault')?.found.isThroughProxy, true);
      assert.deepEqual(await workplace.leftovers(), []);
    }),
  );

  it(
    'resets the connections to a broker through a proxy, too, for a user who may not cut them',
    inAWorkplace(async (workplace) => {
      for (const path of [workplace.path, workplace.temporary]) chownSync(path, 65_534, 65_534);
      const words = [
        'faults',
        '--transport',
        'redis',
        '--redis-appendfsync',
        'off',
        '--fault',
        'cut-connection',
      ];
      const {code, stdout, stderr} = await workplace.start(
        'battle',
        [...words, '--tries', '2', '--json'],
        {},
        {wrapper: asAnother, patienceMs: 100_000},
      ).ended;
      assert.equal(code, 0, stderr);
      const [{faults: own}] = /** @type {Conclusion[]} */ (JSON.parse(stdout).rows);
      assert.deepEqual(
        own.map(({outcome, outageEnd, isThroughProxy}) => [outcome, outageEnd, isThroughProxy]),
        [['kept', 'ended', true]],
      );
      assert.deepEqual(await workplace.leftovers(), []);
    }),
  );
});

/**
 * Waits until the link is cut.
 * @param {Workplace} workplace
 * @param {Program} program
 * @returns {Promise<Set<string>>} the namespaces of its roles
 */
async function untilCut(workplace, program) {
  for (;;) {
    if (program.child.exitCode !== null) throw new Error(program.output());
    const pids = (await workplace.processes()).map(({pid}) => pid);
    const namespaces = networkNamespacesOf(pids);
    const [inside] = processesInNetworkNamespaces(namespaces);
    if (inside !== undefined && disciplineSeenBy(inside).includes('blackhole')) return namespaces;
    await sleep(100);
  }
}

/** The queueing discipline of the link, where a process sees one. @param {number} pid */
function disciplineSeenBy(pid) {
  const command = [`--net=/proc/${pid}/ns/net`, '--', 'tc', 'qdisc', 'show', 'dev', 'link0'];
  try {
    return execFileSync('nsenter', command, {encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore']});
  } catch {
    return '';
  }
}

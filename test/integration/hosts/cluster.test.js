import assert from 'node:assert/strict';
import {describe, it} from 'node:test';
import {setTimeout as sleep} from 'node:timers/promises';
import {connectBroker} from '../../../src/brokers/rabbitmq/connection.js';
import {completeConnection} from '../../../src/brokers/rabbitmq/url.js';
import {inAWorkplace} from '../support/each-in-a-workplace.js';
import {hostsWithCaches} from '../support/fill-caches.js';
import {leftoversOnHostsWithin} from '../support/leftovers-on-hosts.js';
import {untilRoleRuns} from '../support/roles.js';
import {usedTrials} from '../support/used-trials.js';

/**
 * @import {Workplace} from '../support/workplace.js'
 */

/** What runs on a host that lost its battle is gone by then: a silence of 5 s is noticed, and then it must end. */
const goneWithinMs = 15_000;
const startWithinMs = 120_000;
const names = ['alpha', 'beta'];
const measured = ['--transport', 'rabbitmq', '--payload', '1kb', '--rounds', '1'];
const onBoth = ['--broker-on', names.join(), ...measured];

describe('a private cluster with its nodes on other hosts', {timeout: 900_000}, () => {
  const network = hostsWithCaches(names);

  const environment = () => ({PB_SSH_CONFIG: network().sshConfig});

  /**
   * A battle with a node on each host, which measures each cell for this long once its cluster is there.
   * @param {Workplace} workplace
   * @param {string} duration
   */
  async function startBattle(workplace, duration) {
    const flags = [...onBoth, '--duration', duration, '--warmup', '20'];
    const battle = workplace.start('battle', flags, environment());
    const announced = / at (\S+(?:, \S+)+), a private cluster of 2 nodes/;
    const [, said] = await battle.says(announced, startWithinMs);
    return {battle, nodes: said.split(', ')};
  }

  it(
    'has three nodes on two hosts, measures through queues that every node has, and leaves nothing there',
    inAWorkplace(async (workplace) => {
      const settings = ['--workload', 'rtt,queue', '--samples', '50', '--warmup', '10'];
      const many = ['--broker-nodes', '3', '--clients', '3', '--servers', '2'];
      const {code, stderr} = await workplace.battle([...onBoth, ...settings, ...many], environment());
      assert.equal(code, 0, stderr);
      const cells = (await workplace.cells()).filter(({transport}) => transport === 'rabbitmq');
      assert.deepEqual(
        cells.map(({workload}) => workload),
        ['rtt', 'queue'],
      );
      let brokerMs = 0;
      for (const cell of cells) {
        assert.ok(cell.outcome === 'completed', JSON.stringify(cell));
        const {brokerNodes, queueType, deliveryMode} = cell.variant;
        assert.deepEqual([brokerNodes, queueType, deliveryMode], [3, 'quorum', 2]);
        assert.equal(cell.hosts.broker, 'alpha, beta');
        assert.equal(cell.environment, 'cross-host');
        assert.deepEqual([cell.counts.received, cell.counts.lost], [150 * usedTrials(cell), 0]);
        assert.ok(cell.cpu.broker);
        brokerMs += cell.cpu.broker.userMs + cell.cpu.broker.systemMs;
      }
      // The kernel counts in steps of 10 ms, so that of one short cell may be 0.
      assert.ok(brokerMs > 0);
      assert.ok((await workplace.rows()).some((row) => row.includes('RabbitMQ (quorum, 3 nodes')));
      assert.deepEqual(await leftoversOnHostsWithin(network(), 5000), []);
      assert.deepEqual(await workplace.leftoversWithin(5000), []);
    }),
  );

  it(
    'lets nobody in without the password, listens where it must alone, and leaves nothing when the battle is killed',
    inAWorkplace(async (workplace) => {
      const {battle, nodes} = await startBattle(workplace, '3s');
      for (const [index, node] of nodes.entries()) {
        const [hostname, port] = node.split(':');
        assert.equal(hostname, network().hosts[names[index]].address);
        for (const username of ['guest', 'perf-battle']) {
          const connection = completeConnection({hostname, port: Number(port), username, password: 'guest'});
          await assert.rejects(connectBroker(connection), /ACCESS_REFUSED/);
        }
        assert.deepEqual(await listeningOn(names[index]), [hostname, '127.0.0.1'].sort());
      }
      process.kill(battle.pid, 'SIGKILL');
      assert.deepEqual(await leftoversOnHostsWithin(network(), goneWithinMs), []);
      assert.deepEqual(await workplace.leftoversWithin(goneWithinMs), []);
    }),
  );

  it(
    'fails the cell that one of its nodes dies in, and says which it was',
    inAWorkplace(async (workplace) => {
      const {battle} = await startBattle(workplace, '1s');
      await untilRoleRuns(battle.pid, 'rabbitmq-client');
      await sleep(300);
      const node = (await network().processesOf('beta')).find(({command}) => /beam\.smp/.test(command));
      assert.ok(node);
      process.kill(node.pid, 'SIGKILL');
      const {code, stderr} = await battle.ended;
      assert.equal(code, 1, stderr);
      const cell = (await workplace.cells()).find(({transport}) => transport === 'rabbitmq');
      assert.ok(cell?.outcome === 'failed', JSON.stringify(cell));
      assert.match(cell.error.message, new RegExp(`-2@${network().hosts.beta.address}`));
      assert.deepEqual([cell.variant.brokerNodes, cell.hosts.broker], [2, 'alpha, beta']);
      assert.deepEqual(await leftoversOnHostsWithin(network(), 5000), []);
    }),
  );

  it(
    'has the cells that need no broker when one of its hosts cannot be had, and leaves nothing on the others',
    inAWorkplace(async (workplace) => {
      const where = [
        '--broker-on',
        'alpha,nosuch.invalid,beta',
        '--broker-address',
        '10.0.0.1,10.0.0.2,10.0.0.3',
      ];
      const settings = ['--transport', 'rabbitmq', '--payload', '1kb', '--rounds', '1', '--duration', '60ms'];
      const {code, stderr} = await workplace.battle([...where, ...settings], environment());
      assert.equal(code, 3, stderr);
      assert.match(stderr, /nosuch\.invalid .*its name cannot be resolved/);
      const outcomes = (await workplace.cells()).map(({transport, outcome}) => `${transport} ${outcome}`);
      assert.deepEqual(outcomes, ['tcp completed', 'rabbitmq failed']);
      assert.deepEqual(await leftoversOnHostsWithin(network(), 5000), []);
    }),
  );

  it(
    'says that a cluster needs addresses of its hosts own, where others were named',
    inAWorkplace(async (workplace) => {
      const where = ['--broker-address', '10.0.0.1,10.0.0.2'];
      const {code, stderr} = await workplace.battle(
        [...onBoth, ...where, '--duration', '60ms'],
        environment(),
      );
      assert.equal(code, 3, stderr);
      assert.match(stderr, /On alpha: .*10\.0\.0\.1 is not an address of this host, .*--broker-address/);
      assert.deepEqual(await leftoversOnHostsWithin(network(), 5000), []);
    }),
  );

  /** The IPv4 addresses on which something but sshd listens there. @param {string} name */
  async function listeningOn(name) {
    const {stdout} = await network().run(name, 'cat', ['/proc/net/tcp']);
    const local = stdout
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .filter((fields) => fields[3] === '0A' && !fields[1].endsWith(sshPortInHex))
      .map((fields) => fields[1].split(':')[0]);
    return [...new Set(local)].map(readAddress).sort();
  }
});

/** 2222 */
const sshPortInHex = ':08AE';

/** @param {string} hexadecimal of four bytes, the last one first */
function readAddress(hexadecimal) {
  return Buffer.from(hexadecimal, 'hex').reverse().join('.');
}

import assert from 'node:assert/strict';
import {describe, it} from 'node:test';
import {allArrived} from '../support/arrived.js';
import {sharedBroker} from '../support/broker.js';
import {inAWorkplace} from '../support/each-in-a-workplace.js';
import {killedBroker} from '../support/killed-broker.js';

/** @import {Conclusion} from '../../../src/faults/found.js' */

const short = ['--rounds', '1', '--samples', '40', '--warmup', '10'];
const ofAmqp1 = ['--transport', 'amqp1'];

describe('a battle with AMQP 1.0', {timeout: 1_200_000, concurrency: 2}, () => {
  const broker = sharedBroker();

  it(
    'runs settled and unsettled with messages of 1000 KB, keeps a queue, and leaves nothing of its broker',
    inAWorkplace(async (workplace) => {
      const how = [
        '--amqp1-settled',
        'on,off',
        '--delivery-mode',
        '2',
        '--window',
        '64',
        '--payload',
        '1000kb',
      ];
      const workloads = ['--workload', 'pipeline,stream,queue'];
      const flags = [...short, ...ofAmqp1, ...how, ...workloads, '--broker', 'private'];
      const {code, stderr} = await workplace.battle(flags);
      assert.equal(code, 0, stderr);
      const cells = (await workplace.cells()).filter(({transport}) => transport === 'amqp1');
      assert.equal(cells.length, 6);
      for (const cell of allArrived(cells)) {
        assert.match(String(cell.versions.rhea), /^\d+\.\d+\.\d+$/);
        assert.ok(cell.cpu.broker);
      }
      assert.deepEqual(await workplace.leftovers(), []);
    }),
  );

  it(
    'sends each request to one of several servers, answers in chunks, and reaches all subscribers',
    inAWorkplace(async (workplace) => {
      const private_ = ['--payload', '1kb', '--broker', 'private'];
      const many = ['--servers', '2', '--clients', '2', '--rows', '500', '--window', '16'];
      const flags = [...short, ...ofAmqp1, ...private_];
      const workloads = ['--workload', 'pipeline,recordset,fan-out', '--subscribers', '1,6'];
      const {code, stderr} = await workplace.battle([...flags, ...many, ...workloads]);
      assert.equal(code, 0, stderr);
      const cells = await workplace.cells();
      assert.ok(cells.some(({workload}) => workload === 'fan-out'));
      allArrived(cells);
    }),
  );

  it(
    'speaks to RabbitMQ 4, which needs no plugin, through queues of both types',
    inAWorkplace(async (workplace) => {
      const how = ['--rabbitmq-home', '4', '--delivery-mode', '2', '--rabbitmq-queue-type', 'classic,quorum'];
      const workloads = ['--workload', 'rtt,pipeline,stream,queue', '--window', '16', '--payload', '1kb'];
      const {code, stderr} = await workplace.battle([...short, ...ofAmqp1, ...how, ...workloads]);
      assert.equal(code, 0, stderr);
      const cells = (await workplace.cells()).filter(({transport}) => transport === 'amqp1');
      assert.equal(cells.length, 8);
      for (const cell of allArrived(cells)) {
        assert.match(String(cell.versions.rabbitmq), /^4\./);
      }
    }),
  );

  it(
    'names the plugin that a broker which is already there lacks',
    inAWorkplace(async (workplace) => {
      const {code, stderr} = await workplace.battle(
        [...short, ...ofAmqp1, '--payload', '1kb'],
        broker().environment,
      );
      assert.equal(code, 3);
      assert.match(stderr, /does not speak AMQP 1\.0 there: .* plugin rabbitmq_amqp1_0/s);
    }),
  );

  it(
    'fails the cell and names the broker when that is killed',
    inAWorkplace(async (workplace) => {
      const flags = [...ofAmqp1, '--duration', '3s', '--delivery-mode', '1', '--slices', 'off'];
      const outcomes = await killedBroker(workplace, 'amqp1', {
        label: 'RabbitMQ',
        program: /beam\.smp/,
        flags,
      });
      assert.equal(outcomes.amqp1, 'PB_BROKER_DIED');
    }),
  );

  it(
    'keeps what it accepted of durable messages when the broker is killed, and accounts for each',
    inAWorkplace(async (workplace) => {
      const words = ['faults', ...ofAmqp1, '--delivery-mode', '2', '--amqp1-settled', 'off'];
      const how = ['--tries', '1', '--restart-after', '200ms', '--json'];
      const {code, stdout, stderr} = await workplace.start(
        'battle',
        [...words, ...how],
        {},
        {patienceMs: 600_000},
      ).ended;
      assert.equal(code, 0, stderr);
      /** @type {{rows: Conclusion[]}} */
      const {rows} = JSON.parse(stdout);
      const [{faults}] = rows;
      const killed = faults.find(({fault}) => fault === 'kill-broker');
      assert.equal(killed?.outcome, 'kept', JSON.stringify(killed));
      assert.deepEqual(await workplace.leftovers(), []);
    }),
  );
});

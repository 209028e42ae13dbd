import assert from 'node:assert/strict';
import {describe, it} from 'node:test';
import {allArrived} from '../support/arrived.js';
import {brokerWithTls, sharedBroker} from '../support/broker.js';
import {inAWorkplace} from '../support/each-in-a-workplace.js';
import {killedBroker} from '../support/killed-broker.js';
import {freePort} from '../support/ports.js';

/**
 * @import {Conclusion} from '../../../src/faults/found.js'
 * @import {Workplace} from '../support/workplace.js'
 */

const short = ['--rounds', '1', '--samples', '40', '--warmup', '10'];
const ofStomp = ['--transport', 'stomp'];

describe('a battle with STOMP', {timeout: 1_200_000, concurrency: 2}, () => {
  const broker = sharedBroker();

  it(
    'runs with and without receipts with messages of 100 KB, keeps a queue, and leaves nothing of its broker',
    inAWorkplace(async (workplace) => {
      const how = ['--stomp-receipts', 'on,off', '--delivery-mode', '2', '--window', '64'];
      const workloads = ['--payload', '100kb', '--workload', 'pipeline,stream,queue'];
      const flags = [...short, ...ofStomp, ...how, ...workloads, '--broker', 'private'];
      const {code, stderr} = await workplace.battle(flags);
      assert.equal(code, 0, stderr);
      const cells = (await workplace.cells()).filter(({transport}) => transport === 'stomp');
      assert.equal(cells.length, 6);
      for (const cell of allArrived(cells)) {
        assert.match(String(cell.versions['@stomp/stompjs']), /^\d+\.\d+\.\d+$/);
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
      const flags = [...short, ...ofStomp, ...private_];
      const workloads = ['--workload', 'pipeline,recordset,fan-out', '--subscribers', '1,6'];
      const {code, stderr} = await workplace.battle([...flags, ...many, ...workloads]);
      assert.equal(code, 0, stderr);
      const cells = await workplace.cells();
      assert.ok(cells.some(({workload}) => workload === 'fan-out'));
      allArrived(cells);
    }),
  );

  it(
    'speaks to RabbitMQ 4, through queues of both types',
    inAWorkplace(async (workplace) => {
      const how = ['--rabbitmq-home', '4', '--delivery-mode', '2', '--rabbitmq-queue-type', 'classic,quorum'];
      const workloads = ['--workload', 'rtt,pipeline,stream,queue', '--window', '16', '--payload', '1kb'];
      const {code, stderr} = await workplace.battle([...short, ...ofStomp, ...how, ...workloads]);
      assert.equal(code, 0, stderr);
      const cells = (await workplace.cells()).filter(({transport}) => transport === 'stomp');
      assert.equal(cells.length, 8);
      for (const cell of allArrived(cells)) {
        assert.match(String(cell.versions.rabbitmq), /^4\./);
      }
    }),
  );

  it(
    'names the plugin that a broker which is already there lacks',
    inAWorkplace(async (workplace) => {
      for (const [port, message] of /** @type {[number, RegExp][]} */ ([
        [await freePort(), /STOMP of the broker at .* cannot be reached: .* plugin rabbitmq_stomp/s],
        [broker().connection.port, /does not speak STOMP there: .* plugin rabbitmq_stomp/s],
      ])) {
        const flags = [...short, ...ofStomp, '--payload', '1kb', '--rabbitmq-stomp-port', String(port)];
        const {code, stderr} = await workplace.battle(flags, broker().environment);
        assert.equal(code, 3);
        assert.match(stderr, message);
      }
    }),
  );

  it(
    'fails the cell and names the broker when that is killed',
    inAWorkplace(async (workplace) => {
      const flags = [...ofStomp, '--duration', '3s', '--delivery-mode', '1', '--slices', 'off'];
      const outcomes = await killedBroker(workplace, 'stomp', {
        label: 'RabbitMQ',
        program: /beam\.smp/,
        flags,
      });
      assert.equal(outcomes.stomp, 'PB_BROKER_DIED');
    }),
  );

  it(
    'keeps what has a receipt of persistent messages when the broker is killed, and accounts for each',
    inAWorkplace(async (workplace) => {
      const words = ['faults', ...ofStomp, '--delivery-mode', '2', '--stomp-receipts', 'on'];
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

describe('a battle with the STOMP of a broker that a person names', {timeout: 600_000}, () => {
  const broker = brokerWithTls({settings: {plugin: 'rabbitmq_stomp'}, listener: 'stomp'});

  /** @param {Workplace} workplace @param {string} url @param {number | undefined} port */
  async function measure(workplace, url, port) {
    const flags = [...short, ...ofStomp, '--payload', '1kb', '--workload', 'rtt,queue'];
    const {code, stderr} = await workplace.battle([...flags, '--rabbitmq-stomp-port', String(port)], {
      PB_RABBITMQ_URL: url,
    });
    assert.equal(code, 0, stderr);
    const cells = (await workplace.cells()).filter(({transport}) => transport === 'stomp');
    assert.deepEqual(
      cells.map(({outcome}) => outcome),
      ['completed', 'completed', 'completed', 'completed'],
    );
    return cells;
  }

  it(
    'finds it at the port that an option has',
    inAWorkplace(async (workplace) => {
      await measure(workplace, broker().url(), broker().connection.otherPorts?.stomp);
    }),
  );

  it(
    'speaks TLS where AMQP does, with the authority that the URL has',
    inAWorkplace(async (workplace) => {
      const {ports, tlsUrl, made} = broker();
      const cells = await measure(workplace, tlsUrl({cacertfile: made.caFile}), ports.listener);
      for (const {variant} of cells) assert.equal(variant.tlsProtocol, 'TLSv1.3');
    }),
  );
});

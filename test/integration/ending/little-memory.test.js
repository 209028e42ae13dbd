import assert from 'node:assert/strict';
import {after, before, describe, it} from 'node:test';
import {rabbitmq} from '../../../src/brokers/rabbitmq/index.js';
import {provision} from '../brokers/provision.js';
import {usedTrials} from '../support/used-trials.js';
import {Workplace} from '../support/workplace.js';

/**
 * @import {Broker} from '../../../src/brokers/kind.js'
 * @import {RabbitmqConnection} from '../../../src/brokers/rabbitmq/url.js'
 */

const messages = 400;

describe('a private broker on a host of 1 GiB', {timeout: 1_200_000}, () => {
  /** @type {Workplace} */
  let workplace;
  /** @type {Broker<RabbitmqConnection>} */
  let broker;
  before(async () => {
    workplace = await Workplace.make();
    broker = await provision(rabbitmq, {temporaryFolder: workplace.temporary, memoryBytes: 1024 ** 3});
  });
  after(async () => {
    await broker?.release();
    await workplace?.clear();
  });

  it(`carries ${messages} messages of 1000 KB one way and through a queue, and loses none`, async () => {
    const {username, password, hostname, port} = broker.connection;
    const {code, stderr} = await workplace.battle(
      [
        ...[
          '--transport',
          'rabbitmq',
          '--rabbitmq-queue-type',
          'classic,quorum',
          '--workload',
          'stream,queue',
        ],
        ...[
          '--delivery-mode',
          '2',
          '--payload',
          '1000kb',
          '--samples',
          String(messages),
          '--warmup',
          '20',
          '--rounds',
          '1',
        ],
      ],
      {PB_RABBITMQ_URL: `amqp://${username}:${password}@${hostname}:${port}`},
    );
    assert.equal(code, 0, stderr);
    const cells = (await workplace.cells()).filter(({transport}) => transport === 'rabbitmq');
    assert.equal(cells.length, 4, 'classic and quorum, of two workloads');
    for (const cell of cells) {
      assert.ok(cell.outcome === 'completed', JSON.stringify(cell));
      assert.deepEqual([cell.counts.received, cell.counts.lost], [messages * usedTrials(cell), 0]);
    }
  });
});

import assert from 'node:assert/strict';
import {describe, it} from 'node:test';
import {inAWorkplace} from '../support/each-in-a-workplace.js';

const short = ['--rounds', '1', '--samples', '40', '--warmup', '10', '--payload', '1kb'];

describe('--rabbitmq-home', {timeout: 600_000}, () => {
  it(
    'measures two versions of RabbitMQ in one battle, each with its own Erlang',
    inAWorkplace(async (workplace) => {
      const {code, stderr} = await workplace.battle([
        ...['--transport', 'rabbitmq', '--delivery-mode', '2', '--rabbitmq-confirms', 'on'],
        ...['--rabbitmq-home', 'installed,4', ...short],
      ]);
      assert.equal(code, 0, stderr);
      const cells = (await workplace.cells()).filter(({transport}) => transport === 'rabbitmq');
      const versions = Object.fromEntries(
        cells.map(({variant, versions: {rabbitmq, erlang}}) => [variant.rabbitmqHome, {rabbitmq, erlang}]),
      );
      assert.match(versions.installed.rabbitmq, /^3\.10\./);
      assert.match(versions[4].rabbitmq, /^4\.0\./);
      assert.notEqual(versions[4].erlang, versions.installed.erlang);
      assert.deepEqual(
        cells
          .map(({labels}) => [labels.facilitator, labels.qualifier, ...labels.settings].join(' '))
          .toSorted(),
        ['RabbitMQ mode 2 confirms installed version', 'RabbitMQ mode 2 confirms version 4'],
      );
    }),
  );

  it(
    'starts a cluster of that version, and is a side of ab',
    inAWorkplace(async (workplace) => {
      const {code, stderr} = await workplace.battle([
        ...[
          'ab',
          '--transport',
          'rabbitmq',
          '--a',
          'broker=rabbitmq@4',
          '--b',
          '--rabbitmq-home 4 --rabbitmq-confirms on',
        ],
        ...['--broker-nodes', '3', ...short],
      ]);
      assert.equal(code, 0, stderr);
      assert.match(stderr, /Broker: RabbitMQ 4\.0\.\d+ at .*, a private cluster of 3 nodes with home 4/);
    }),
  );

  it(
    'refuses a version or a folder that is not there before anything starts, and a broker that a person named',
    inAWorkplace(async (workplace) => {
      const versions = await workplace.battle([
        '--transport',
        'rabbitmq',
        '--rabbitmq-home',
        '4,9',
        ...short,
      ]);
      assert.equal(versions.code, 3);
      assert.match(
        versions.stderr,
        /--rabbitmq-home 9 is a version that is not on this host, which has .*4\.0/,
      );
      const folder = await workplace.battle(['--transport', 'rabbitmq', '--rabbitmq-home', './no', ...short]);
      assert.equal(folder.code, 3);
      assert.match(folder.stderr, /the folder \S+\/no of --rabbitmq-home has no sbin\/rabbitmq-server/);
      const given = ['--rabbitmq-url', 'amqp://127.0.0.1:1'];
      const named = await workplace.battle([
        ...given,
        '--transport',
        'rabbitmq',
        '--rabbitmq-home',
        '4',
        ...short,
      ]);
      assert.equal(named.code, 2, named.stderr);
      assert.match(named.stderr, /--rabbitmq-home/);
    }),
  );
});

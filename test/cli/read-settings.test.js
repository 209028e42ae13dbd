import assert from 'node:assert/strict';
import {test} from 'node:test';
import {readSettings} from '../../src/cli/read-settings.js';

/** @import {Settings} from '../../src/options/resolve.js' */

/** @type {{flags: string[], values: Record<string, unknown>, origins: Record<string, string>}[]} */
const clusters = [
  {
    flags: [],
    values: {brokerNodes: 1, queueType: ['classic'], deliveryMode: [1, 2]},
    origins: {queueType: 'default'},
  },
  {
    flags: ['--broker-nodes', '3'],
    values: {brokerNodes: 3, queueType: ['quorum'], deliveryMode: [2]},
    origins: {queueType: '--broker-nodes', deliveryMode: '--broker-nodes'},
  },
  {
    flags: ['--broker-nodes', '3', '--rabbitmq-queue-type', 'classic'],
    values: {queueType: ['classic'], deliveryMode: [1, 2]},
    origins: {queueType: '--rabbitmq-queue-type', deliveryMode: 'default'},
  },
  {
    flags: ['--broker-nodes', '3', '--rabbitmq-queue-type', 'classic,quorum'],
    values: {queueType: ['classic', 'quorum'], deliveryMode: [1, 2]},
    origins: {deliveryMode: 'default'},
  },
  {
    flags: ['--broker-on', 'alpha,beta,gamma'],
    values: {brokerNodes: 3, brokerOn: ['alpha', 'beta', 'gamma'], queueType: ['quorum']},
    origins: {brokerNodes: '--broker-on'},
  },
  {
    flags: ['--broker-on', 'alpha,beta', '--broker-nodes', '5', '--broker-address', '10.0.0.3,10.0.0.4'],
    values: {brokerNodes: 5, brokerAddress: ['10.0.0.3', '10.0.0.4']},
    origins: {brokerNodes: '--broker-nodes'},
  },
  {
    flags: ['--broker-on', 'alpha'],
    values: {brokerNodes: 1, queueType: ['classic']},
    origins: {brokerNodes: 'default'},
  },
];

for (const {flags, values, origins} of clusters) {
  test(`the settings of a cluster follow from ${flags.join(' ') || 'nothing'}`, async () => {
    /** @type {Settings} */
    const settings = await readSettings(flags);
    for (const [key, value] of Object.entries(values)) assert.deepEqual(settings.values[key], value, key);
    for (const [key, name] of Object.entries(origins)) assert.equal(settings.origins[key].name, name, key);
  });
}

test('a broker of a kind that no transport needs is refused', async () => {
  await assert.rejects(readSettings(['--transport', 'http', '--broker', 'amqp://broker.invalid']), {
    code: 'PB_USAGE',
    message: '--broker names a RabbitMQ broker, and no transport of this battle needs one: http.',
  });
});

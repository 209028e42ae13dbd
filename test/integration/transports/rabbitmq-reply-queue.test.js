import assert from 'node:assert/strict';
import {randomUUID} from 'node:crypto';
import {describe, it} from 'node:test';
import {connect} from '../../../src/transports/rabbitmq/client.js';
import {serve} from '../../../src/transports/rabbitmq/server.js';
import {sharedBroker} from '../support/broker.js';

describe('A client of RabbitMQ', {timeout: 180_000}, () => {
  const broker = sharedBroker();

  it('has lost its connection when its reply queue is deleted, so that it connects anew', async () => {
    const id = randomUUID();
    const options = /** @type {any} */ ({
      ...{broker: broker().connection, exchange: `exchange-${id}`, queue: `queue-${id}`, pair: 'pair'},
      ...{deliveryMode: 1, acknowledgement: 'auto', prefetch: 100, confirms: false, queueType: 'classic'},
      ...{reply: 'queue', heartbeatSeconds: 10, noDelay: true, hasServer: true, concurrency: 1},
    });
    const server = await serve(options, (request, reply) => reply.end(request));
    const client = await connect(options);
    try {
      assert.equal(String(await client.request(Buffer.from('before'))), 'before');
      await broker().withChannel((channel) => channel.deleteQueue(`queue-${id}-replies-pair-0`));
      await assert.rejects(client.closed, /The reply queue queue-.*-replies-pair-0 was deleted/);
      await assert.rejects(client.request(Buffer.from('after')), {code: 'PB_CONNECTION_LOST'});
    } finally {
      await client.close();
      await server.close();
    }
  });
});

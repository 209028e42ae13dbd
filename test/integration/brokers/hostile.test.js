import assert from 'node:assert/strict';
import {once} from 'node:events';
import {createServer} from 'node:net';
import {describe, it} from 'node:test';
import {brokerKinds} from '../../../src/brokers/index.js';
import {openNats} from '../../../src/brokers/nats/connection.js';
import {parseBrokerUrl} from '../../../src/brokers/rabbitmq/url.js';
import {openAmqp1} from '../../../src/transports/amqp1/connection.js';
import {openStomp} from '../../../src/transports/stomp/connection.js';
import {misbehaviours, passesGreeting, startHostileBroker} from '../../torture/hostile-brokers.js';

/**
 * @import {AddressInfo} from 'node:net'
 */

const timeoutMs = 500;

describe('what answers at the port of a broker, and is none', {timeout: 300_000}, () => {
  for (const kind of brokerKinds) {
    for (const what of Object.keys(misbehaviours[kind.name])) {
      const outcome = passesGreeting.has(what) ? 'is let go' : 'is unavailable';
      it(`${outcome} within a bound: one of ${kind.label} that ${what}`, async () => {
        const broker = await startHostileBroker(kind.name, what);
        try {
          const {greet} = await kind.load();
          const connection = {...kind.local, hostname: '127.0.0.1', port: broker.port};
          const startedAt = performance.now();
          const greeting = greet(connection, {timeoutMs, signal: new AbortController().signal});
          if (passesGreeting.has(what)) await greeting;
          else
            await assert.rejects(greeting, {
              code: 'PB_BROKER_UNAVAILABLE',
              exitCode: 3,
              message: new RegExp(
                ` at 127\\.0\\.0\\.1:${broker.port} does not (speak [\\w. ]+ there|answer) \\(`,
              ),
            });
          assert.ok(performance.now() - startedAt < 8000);
        } finally {
          broker.close();
        }
      });
    }
  }

  it('is unavailable to a role of NATS, too, if it is lost in the moment in which it opens', async () => {
    const {port, close} = await startHostileBroker('nats', 'sends garbage after PONG');
    const server = {hostname: '127.0.0.1', port, others: [], username: null, password: null, token: null};
    const files = {tls: false, caFile: null, certFile: null, keyFile: null};
    const options = {broker: {...server, ...files}, noDelay: true, greetingMs: timeoutMs};
    try {
      await assert.rejects(openNats(/** @type {any} */ (options)), {
        code: 'PB_BROKER_UNAVAILABLE',
        message: new RegExp(` at 127\\.0\\.0\\.1:${port} does not speak NATS there \\(`),
      });
    } finally {
      close();
    }
  });

  // A listener that closes before it has read the whole greeting sends a reset, which discards its own answer.
  for (const [protocol, open] of /** @type {const} */ ([
    ['STOMP', openStomp],
    ['AMQP 1.0', openAmqp1],
  ]))
    it(`lacks a plugin of RabbitMQ, if it resets a connection that speaks ${protocol}`, async () => {
      const server = createServer((socket) => {
        socket.on('error', () => {});
        socket.once('data', () => socket.resetAndDestroy());
      }).listen(0, '127.0.0.1');
      await once(server, 'listening');
      const {port} = /** @type {AddressInfo} */ (server.address());
      const broker = parseBrokerUrl(`amqp://127.0.0.1:${port}`);
      const options = {broker: {...broker, otherPorts: {stomp: port}}, noDelay: true, greetingMs: timeoutMs};
      try {
        await assert.rejects(open(/** @type {any} */ (options)), {
          code: 'PB_BROKER_UNAVAILABLE',
          message: new RegExp(
            `does not speak ${protocol} there: read ECONNRESET\\. RabbitMQ .* plugin rabbitmq_`,
          ),
        });
      } finally {
        server.close();
      }
    });
});

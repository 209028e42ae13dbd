import assert from 'node:assert/strict';
import {once} from 'node:events';
import {chmod, mkdir, rm, writeFile} from 'node:fs/promises';
import {createServer} from 'node:net';
import {join} from 'node:path';
import {describe, it} from 'node:test';
import {inspect} from 'node:util';
import {brokerKinds} from '../../../src/brokers/index.js';
import {findLocalBroker} from '../../../src/brokers/provision.js';
import {connectBroker} from '../../../src/brokers/rabbitmq/connection.js';
import {rabbitmq} from '../../../src/brokers/rabbitmq/index.js';
import {completeConnection, parseBrokerUrl} from '../../../src/brokers/rabbitmq/url.js';
import {UnavailableError} from '../../../src/errors.js';
import {sharedBroker} from '../support/broker.js';
import {freePort} from '../support/ports.js';
import {leftovers, makeBase} from './leftovers.js';
import {provision} from './provision.js';

/**
 * @import {AddressInfo, Socket} from 'node:net'
 * @import {BrokerRequest} from '../../../src/brokers/kind.js'
 * @import {RabbitmqConnection} from '../../../src/brokers/rabbitmq/url.js'
 */

const PASSWORD = 'S3cret-password';

describe('a broker that was named', {timeout: 1_200_000}, () => {
  const broker = sharedBroker();

  it('is used, by a URL or by its parts', async () => {
    const {hostname, port, username, password, vhost} = broker().connection;
    const byParts = completeConnection({hostname, port, username, password, vhost});
    for (const named of [parseBrokerUrl(broker().url()), byParts]) {
      const given = await provision(rabbitmq, {choice: 'auto', given: named});
      assert.equal(given.source, 'given');
      assert.deepEqual(given.connection, broker().connection);
      assert.match(String(given.versions.rabbitmq), /^\d+\.\d+\.\d+/);
      assert.ok(!given.label.includes(password));
      await given.release();
    }
  });

  it('is unavailable when it refuses the password', async () => {
    const {hostname, port, username} = broker().connection;
    const error = await refusal({given: completeConnection({hostname, port, username, password: PASSWORD})});
    assert.match(error.message, new RegExp(`127\\.0\\.0\\.1:${port} .*"perf-battle".*ACCESS_REFUSED`));
  });

  it('is unavailable when it has no such virtual host', async () => {
    const {hostname, port, username, password} = broker().connection;
    const error = await refusal(
      {given: completeConnection({hostname, port, username, password, vhost: 'nosuch'})},
      password,
    );
    assert.match(error.message, /"nosuch"/);
  });

  it('is unavailable when nothing listens there', async () => {
    const error = await refusal({
      given: parseBrokerUrl(`amqp://alice:${PASSWORD}@127.0.0.1:${await freePort()}`),
    });
    assert.match(error.message, /127\.0\.0\.1:\d+ .*"alice".*ECONNREFUSED/);
  });

  it('is unavailable when its name is not known', async () => {
    const error = await refusal({
      given: completeConnection({hostname: 'nosuch.invalid', username: 'alice', password: PASSWORD}),
    });
    assert.match(error.message, /nosuch\.invalid:5672 .*"alice"/);
  });

  it('is unavailable over TLS when it does not speak it', async () => {
    const {hostname, port} = broker().connection;
    const error = await refusal({given: parseBrokerUrl(`amqps://alice:${PASSWORD}@${hostname}:${port}`)});
    assert.match(error.message, /does not speak TLS|cannot be reached/);
  });
});

describe('what is not a broker', () => {
  /** @type {[string, (socket: Socket) => void, RegExp][]} */
  const table = [
    [
      'an HTTP server',
      (socket) => socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')),
      /AMQP/,
    ],
    ['a server that closes', (socket) => socket.destroy(), /AMQP|reached/],
    ['a server that sends noise', (socket) => void socket.write(Buffer.alloc(100, 7)), /AMQP/],
    ['a server that says nothing', () => {}, /no answer within 2 s/],
  ];
  for (const [name, serve, reason] of table) {
    it(`is unavailable: ${name}`, async () => {
      await using(serve, async (port) => {
        const connection = completeConnection({
          hostname: '127.0.0.1',
          port,
          username: 'alice',
          password: PASSWORD,
        });
        await assert.rejects(connectBroker(connection, {timeoutMs: 2000}), {
          code: 'PB_BROKER_UNAVAILABLE',
          message: reason,
        });
      });
    });
  }

  it('is given up at once when asked', async () => {
    await using(
      () => {},
      async (port) => {
        const giveUp = new AbortController();
        setTimeout(() => giveUp.abort(new Error('given up')), 50);
        const startedAt = performance.now();
        await assert.rejects(
          connectBroker(completeConnection({hostname: '127.0.0.1', port}), {signal: giveUp.signal}),
          /given up/,
        );
        assert.ok(performance.now() - startedAt < 8000);
      },
    );
  });

  it('is passed over by auto, with a line that says why', async () => {
    await using(
      (socket) => socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')),
      async (localPort) => {
        /** @type {string[]} */
        const lines = [];
        await refusal({localPort, programFolders: [], log: (line) => void lines.push(line)});
        assert.match(lines.join(), /is not used: .*does not speak AMQP/);
      },
    );
  });
});

describe('a local address at which nothing listens', () => {
  for (const kind of brokerKinds)
    it(`is passed over in silence: ${kind.label}`, async () => {
      /** @type {string[]} */
      const lines = [];
      const connection = {...kind.local, hostname: '127.0.0.1', port: await freePort()};
      const {signal} = new AbortController();
      const log = (/** @type {string} */ line) => void lines.push(line);
      assert.equal(await findLocalBroker(kind, connection, {log, signal}), null);
      assert.deepEqual(lines, []);
    });
});

describe('a host without RabbitMQ', () => {
  it('is told the one command that installs it', async () => {
    for (const choice of /** @type {const} */ (['auto', 'private'])) {
      const error = await refusal({choice, localPort: await freePort(), programFolders: []});
      assert.match(error.message, / npx perf-battle install rabbitmq$/);
    }
  });

  it('is told the last lines of the log when its node does not start', async () => {
    const base = await makeBase();
    const programs = join(base, 'programs');
    await mkdir(programs);
    await writeFile(join(programs, 'rabbitmq-server'), '#!/bin/sh\necho the reason why >&2\nexit 7\n');
    await chmod(join(programs, 'rabbitmq-server'), 0o755);
    const temporaryFolder = await makeBase();
    const error = await refusal({choice: 'private', temporaryFolder, programFolders: [programs]});
    assert.match(error.message, /exit code 7.*\nthe reason why/s);
    assert.deepEqual(await leftovers(temporaryFolder), []);
    for (const folder of [base, temporaryFolder]) await rm(folder, {recursive: true});
  });
});

/**
 * The error that says that there is no broker, checked to keep the password to itself.
 * @param {Partial<BrokerRequest<RabbitmqConnection>>} request
 */
async function refusal(request, password = PASSWORD) {
  const error = await provision(rabbitmq, {choice: 'auto', ...request}).then(
    () => assert.fail('a broker was provisioned'),
    (reason) => reason,
  );
  assert.ok(error instanceof UnavailableError, inspect(error));
  assert.equal(error.exitCode, 3);
  assert.equal(error.code, 'PB_BROKER_UNAVAILABLE');
  assert.ok(!inspect(error, {depth: Infinity, showHidden: true}).includes(password));
  return error;
}

/**
 * @template T
 * @param {(socket: Socket) => void} serve
 * @param {(port: number) => Promise<T>} body
 */
async function using(serve, body) {
  /** @type {Set<Socket>} */
  const sockets = new Set();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}));
    serve(socket);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    return await body(/** @type {AddressInfo} */ (server.address()).port);
  } finally {
    for (const socket of sockets) socket.destroy();
    server.close();
  }
}

import assert from 'node:assert/strict';
import {join} from 'node:path';
import {after, before, describe, it} from 'node:test';
import {rabbitmq} from '../../../src/brokers/rabbitmq/index.js';
import {provision} from '../brokers/provision.js';
import {allArrived} from '../support/arrived.js';
import {makeCertificates} from '../support/certificates.js';
import {inAWorkplace} from '../support/each-in-a-workplace.js';
import {freePort} from '../support/ports.js';
import {makeServerWithTls} from '../support/server-with-tls.js';
import {Workplace} from '../support/workplace.js';

/**
 * @import {Broker} from '../../../src/brokers/kind.js'
 * @import {RabbitmqConnection} from '../../../src/brokers/rabbitmq/url.js'
 */

const short = ['--rounds', '1', '--samples', '40', '--warmup', '10', '--payload', '1kb'];

/** Each transport, the plugin that it needs, and whether that listens at a port of its own. @type {[string, string, boolean][]} */
const transports = [
  ['rabbitmq', 'rabbitmq_stream', false],
  ['rabbitmq-stream', 'rabbitmq_stream', true],
  ['amqp1', 'rabbitmq_amqp1_0', false],
];

for (const plugin of new Set(transports.map(([, one]) => one)))
  describe(`a RabbitMQ with ${plugin} and TLS that a person names`, {timeout: 300_000}, () => {
    /** @type {Workplace} */
    let own;
    /** @type {Awaited<ReturnType<typeof makeCertificates>>} */
    let made;
    /** @type {Broker<RabbitmqConnection>} */
    let broker;
    const ports = {amqps: 0, streams: 0};
    before(async () => {
      own = await Workplace.make();
      Object.assign(ports, {amqps: await freePort(), streams: await freePort()});
      made = await makeCertificates(own.path);
      const more =
        plugin === 'rabbitmq_stream' ? [`stream.listeners.ssl.1 = 127.0.0.1:${ports.streams}`] : [];
      const programs = await makeServerWithTls(own.path, ports.amqps, {more});
      broker = await provision(rabbitmq, {
        ...{settings: {plugin}, temporaryFolder: own.temporary, programFolders: [programs]},
      });
    });
    after(async () => {
      await broker?.release();
      await own.clear();
    });

    const url = (parameters = '') => {
      const {username, password} = broker.connection;
      return `amqps://${username}:${password}@localhost:${ports.amqps}/${parameters}`;
    };

    for (const [transport, , hasOwnPort] of transports.filter(([, one]) => one === plugin)) {
      const flags = () => [
        ...[...short, '--transport', transport, '--workload', 'rtt,stream,queue'],
        ...(hasOwnPort ? ['--rabbitmq-stream-port', String(ports.streams)] : []),
      ];

      it(
        `is used by ${transport} with TLS and a certificate of the client`,
        inAWorkplace(async (workplace) => {
          const {certFile, keyFile} = made.client;
          const identity = ['--rabbitmq-cert-file', certFile, '--rabbitmq-key-file', keyFile];
          const {code, stdout, stderr} = await workplace.battle([...flags(), ...identity], {
            PB_RABBITMQ_URL: url(`?cacertfile=${encodeURIComponent(join(own.path, 'ca.pem'))}`),
          });
          assert.equal(code, 0, stderr);
          const cells = (await workplace.cells()).filter((cell) => cell.transport === transport);
          assert.ok(cells.length >= 3);
          for (const {variant} of allArrived(cells)) assert.equal(variant.tlsProtocol, 'TLSv1.3');
          assert.ok(!(stdout + stderr).includes(broker.connection.password));
        }),
      );

      it(
        `is refused to ${transport} without the authority of its certificate`,
        inAWorkplace(async (workplace) => {
          const {code, stderr} = await workplace.battle(flags(), {PB_RABBITMQ_URL: url()});
          assert.equal(code, 3, stderr);
          assert.match(stderr, /certificate/);
        }),
      );
    }
  });

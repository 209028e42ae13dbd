import assert from 'node:assert/strict';
import {describe, it} from 'node:test';
import {allArrived} from '../support/arrived.js';
import {brokerWithTls} from '../support/broker.js';
import {inAWorkplace} from '../support/each-in-a-workplace.js';

const short = ['--rounds', '1', '--samples', '40', '--warmup', '10', '--payload', '1kb'];

/** Each transport, the plugin that it needs, and whether that listens at a port of its own. @type {[string, string, boolean][]} */
const transports = [
  ['rabbitmq', 'rabbitmq_stream', false],
  ['rabbitmq-stream', 'rabbitmq_stream', true],
  ['amqp1', 'rabbitmq_amqp1_0', false],
];

for (const plugin of new Set(transports.map(([, one]) => one)))
  describe(`a RabbitMQ with ${plugin} and TLS that a person names`, {timeout: 300_000}, () => {
    const broker = brokerWithTls({
      settings: {plugin},
      ...(plugin === 'rabbitmq_stream' && {listener: 'stream'}),
    });

    for (const [transport, , hasOwnPort] of transports.filter(([, one]) => one === plugin)) {
      const flags = () => [
        ...[...short, '--transport', transport, '--workload', 'rtt,stream,queue'],
        ...(hasOwnPort ? ['--rabbitmq-stream-port', String(broker().ports.listener)] : []),
      ];

      it(
        `is used by ${transport} with TLS and a certificate of the client`,
        inAWorkplace(async (workplace) => {
          const {certFile, keyFile} = broker().made.client;
          const identity = ['--rabbitmq-cert-file', certFile, '--rabbitmq-key-file', keyFile];
          const {code, stdout, stderr} = await workplace.battle([...flags(), ...identity], {
            PB_RABBITMQ_URL: broker().tlsUrl({cacertfile: broker().made.caFile}),
          });
          assert.equal(code, 0, stderr);
          const cells = (await workplace.cells()).filter((cell) => cell.transport === transport);
          assert.ok(cells.length >= 3);
          for (const {variant} of allArrived(cells)) assert.equal(variant.tlsProtocol, 'TLSv1.3');
          assert.ok(!(stdout + stderr).includes(broker().connection.password));
        }),
      );

      it(
        `is refused to ${transport} without the authority of its certificate`,
        inAWorkplace(async (workplace) => {
          const {code, stderr} = await workplace.battle(flags(), {PB_RABBITMQ_URL: broker().tlsUrl()});
          assert.equal(code, 3, stderr);
          assert.match(stderr, /certificate/);
        }),
      );
    }
  });

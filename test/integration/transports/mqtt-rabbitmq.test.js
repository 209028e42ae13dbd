import assert from 'node:assert/strict';
import {describe, it} from 'node:test';
import {clientIdOf} from '../../../src/brokers/client-id.js';
import {openMqtt} from '../../../src/brokers/mosquitto/connection.js';
import {localServer} from '../../../src/brokers/mosquitto/url.js';
import {connectBroker} from '../../../src/brokers/rabbitmq/connection.js';
import {removeLeft} from '../../../src/brokers/rabbitmq/driver.js';
import {conformance} from '../../../src/conformance/index.js';
import {openOfRole} from '../../../src/transports/mqtt/broker.js';
import mqtt from '../../../src/transports/mqtt/index.js';
import {allArrived} from '../support/arrived.js';
import {brokerWithTls} from '../support/broker.js';
import {inAWorkplace} from '../support/each-in-a-workplace.js';

/**
 * @import {Conclusion} from '../../../src/faults/found.js'
 * @import {Workplace} from '../support/workplace.js'
 */

const short = ['--rounds', '1', '--samples', '40', '--warmup', '10'];
const overRabbitmq = ['--transport', 'mqtt', '--mqtt-broker', 'rabbitmq'];
const version4 = ['--rabbitmq-home', '4'];

conformance({...mqtt, name: 'mqtt over RabbitMQ'}, {mqttBroker: 'rabbitmq', rabbitmqHome: '4'});

describe('a battle with MQTT over RabbitMQ', {timeout: 1_200_000, concurrency: 2}, () => {
  it(
    'has both kinds of brokers as rows, and leaves nothing of either',
    inAWorkplace(async (workplace) => {
      const flags = ['--transport', 'mqtt', '--mqtt-broker', 'mosquitto,rabbitmq', ...version4];
      const load = ['--payload', '100kb', '--window', '16', '--workload', 'pipeline,stream,queue'];
      const {code, stderr} = await workplace.battle([...short, ...flags, ...load, '--broker', 'private']);
      assert.equal(code, 0, stderr);
      const cells = (await workplace.cells()).filter(({transport}) => transport === 'mqtt');
      assert.equal(cells.length, 2 * (2 + 2 + 1));
      for (const cell of allArrived(cells)) {
        const {mqttBroker} = cell.variant;
        assert.match(String(cell.versions[String(mqttBroker)]), mqttBroker === 'rabbitmq' ? /^4\./ : /^2\./);
        assert.ok(cell.cpu.broker);
      }
      assert.deepEqual(await workplace.leftovers(), []);
    }),
  );

  it(
    'answers two clients in chunks, and reaches all subscribers',
    inAWorkplace(async (workplace) => {
      const flags = [...short, ...overRabbitmq, ...version4, '--payload', '1kb', '--mqtt-qos', '1'];
      const many = ['--clients', '2', '--rows', '500', '--window', '16', '--workload', 'pipeline,recordset'];
      const served = await workplace.battle([...flags, ...many]);
      assert.equal(served.code, 0, served.stderr);
      const published = await workplace.battle([...flags, '--subscribers', '1,6', '--workload', 'fan-out']);
      assert.equal(published.code, 0, published.stderr);
      const cells = await workplace.cells();
      assert.ok(cells.some(({workload}) => workload === 'fan-out'));
      allArrived(cells);
    }),
  );

  it(
    'refuses by name what RabbitMQ does not support before anything starts',
    inAWorkplace(async (workplace) => {
      for (const [flags, code, message] of /** @type {[string[], number, RegExp][]} */ ([
        [['--mqtt-qos', '2'], 2, /--mqtt-qos 2 is not supported by RabbitMQ/],
        [['--rabbitmq-home', '3.10'], 2, /needs MQTT 5, .* --rabbitmq-home is 3\.10/],
        [['--servers', '2', ...version4], 2, /mqtt supports at most 1 server; --servers is 2/],
        [['--mqtt-persistence', 'off'], 2, /--mqtt-persistence off has no effect here/],
        // Debian 12 and Ubuntu 24.04 have an older one.
        [[], 3, /installed RabbitMQ 3\.\d+\.\d+ does not speak MQTT 5.*Use --rabbitmq-home 4/s],
      ])) {
        const words = [...short, ...overRabbitmq, '--payload', '1kb', '--broker', 'private', ...flags];
        const refused = await workplace.battle(words);
        assert.equal(refused.code, code, refused.stderr);
        assert.match(refused.stderr, message);
      }
      assert.deepEqual(await workplace.leftovers(), []);
    }),
  );

  it(
    'keeps what was acknowledged when the broker is killed, and accounts for each',
    inAWorkplace(async (workplace) => {
      const how = ['--tries', '1', '--restart-after', '200ms', '--json'];
      const {code, stdout, stderr} = await workplace.start(
        'battle',
        ['faults', ...overRabbitmq, ...version4, ...how],
        {},
        {patienceMs: 600_000},
      ).ended;
      assert.equal(code, 0, stderr);
      /** @type {{rows: Conclusion[]}} */
      const {rows} = JSON.parse(stdout);
      assert.equal(rows.length, 1);
      const killed = rows[0].faults.find(({fault}) => fault === 'kill-broker');
      assert.equal(killed?.outcome, 'kept', JSON.stringify(killed));
      assert.deepEqual(await workplace.leftovers(), []);
    }),
  );
});

describe('a battle with the MQTT of a RabbitMQ that a person names', {timeout: 600_000}, () => {
  const broker = brokerWithTls({settings: {plugin: 'rabbitmq_mqtt'}, listener: 'mqtt', version: '4'});

  const flags = [...short, ...overRabbitmq, '--payload', '1kb', '--workload', 'rtt,queue'];
  const rows = async (/** @type {Workplace} */ workplace) =>
    (await workplace.cells()).filter(({transport}) => transport === 'mqtt');

  it(
    'finds it at the port that an option has, and says so where there is none',
    inAWorkplace(async (workplace) => {
      const {environment, connection} = broker();
      const at = (/** @type {number | undefined} */ named) =>
        workplace.battle([...flags, '--rabbitmq-mqtt-port', String(named)], environment);
      const {code, stderr} = await at(connection.otherPorts?.mqtt);
      assert.equal(code, 0, stderr);
      assert.deepEqual(
        (await rows(workplace)).map(({outcome}) => outcome),
        ['completed', 'completed', 'completed'],
      );
      const wrong = await at(connection.port);
      assert.equal(wrong.code, 3);
      assert.match(wrong.stderr, /does not speak MQTT 5 there .* plugin rabbitmq_mqtt/s);
    }),
  );

  it(
    'speaks TLS where AMQP does, with the authority that the URL has',
    inAWorkplace(async (workplace) => {
      const {ports, tlsUrl, made} = broker();
      const {code, stderr} = await workplace.battle(
        [...flags, '--rabbitmq-mqtt-port', String(ports.listener)],
        {PB_RABBITMQ_URL: tlsUrl({cacertfile: made.caFile})},
      );
      assert.equal(code, 0, stderr);
      const cells = await rows(workplace);
      assert.equal(cells.length, 3);
      for (const {variant} of cells) assert.equal(variant.tlsProtocol, 'TLSv1.3');
    }),
  );

  it('names the options of RabbitMQ where it refuses a user', async () => {
    const options = /** @type {any} */ ({broker: {...broker().connection, password: 'wrong'}, noDelay: true});
    await assert.rejects(openOfRole(options, {clientId: 'someone'}), {
      message: /refused user "[^"]+": .* Check --rabbitmq-username and --rabbitmq-password\.$/,
    });
  });

  it('has no session of a client that left its own', async () => {
    const {username, password, hostname, otherPorts} = broker().connection;
    const names = {exchange: 'e', queue: 'my.queue', pair: 'p'};
    const clientId = `my_queue-taker-${clientIdOf({pair: 'p', client: 0})}`;
    const access = {...localServer, hostname, port: Number(otherPorts?.mqtt), username, password};
    const {client, abandon} = await openMqtt(access, {clientId, expirySeconds: 3600});
    await client.subscribeAsync('some/topic', {qos: 1});
    abandon();
    const exists = async () => {
      const model = await connectBroker(broker().connection);
      model.on('error', () => {});
      const channel = await model.createChannel();
      channel.on('error', () => {});
      const found = await channel.checkQueue(`mqtt-subscription-${clientId}qos1`).then(
        () => true,
        () => false,
      );
      await model.close();
      return found;
    };
    assert.equal(await exists(), true);
    await removeLeft(broker().connection, [{names, clients: 1, isUnique: true}], {timeoutMs: 10_000});
    assert.equal(await exists(), false);
  });
});

import assert from 'node:assert/strict';
import {spawn, spawnSync} from 'node:child_process';
import {createPrivateKey} from 'node:crypto';
import {once} from 'node:events';
import {readFile, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {after, before, describe, it} from 'node:test';
import {setTimeout as sleep} from 'node:timers/promises';
import {askKafka} from '../../../src/brokers/kafka/connection.js';
import {whenCoordinated} from '../../../src/brokers/kafka/guard.js';
import {kafka as kind} from '../../../src/brokers/kafka/index.js';
import {localServer} from '../../../src/brokers/kafka/url.js';
import {findProgram} from '../../../src/brokers/programs.js';
import {allArrived} from '../support/arrived.js';
import {makeCertificates} from '../support/certificates.js';
import {inAWorkplace} from '../support/each-in-a-workplace.js';
import {killedBroker} from '../support/killed-broker.js';
import {freePort} from '../support/ports.js';
import {Workplace} from '../support/workplace.js';

/** @import {ChildProcess} from 'node:child_process' */

const few = ['--rounds', '1', '--samples', '40', '--warmup', '10', '--transport', 'kafka'];
const short = [...few, '--payload', '1kb'];

describe('a battle with Kafka', {timeout: 600_000}, () => {
  it(
    'starts a private broker, names it in the records, and leaves nothing of it',
    inAWorkplace(async (workplace) => {
      const flags = ['--workload', 'rtt,pipeline,stream,queue', '--window', '16', '--payload', '1kb,1000kb'];
      const {code, stderr} = await workplace.battle([...few, ...flags, '--broker', 'private']);
      assert.equal(code, 0, stderr);
      const cells = (await workplace.cells()).filter(({transport}) => transport === 'kafka');
      assert.equal(cells.length, 8);
      for (const cell of allArrived(cells)) {
        assert.match(String(cell.versions.kafka), /^\d+\.\d+\.\d+$/);
        assert.ok(cell.cpu.broker);
      }
      assert.deepEqual(await workplace.leftovers(), []);
    }),
  );

  it(
    'gives each server a partition, and takes each of its settings',
    inAWorkplace(async (workplace) => {
      const flags = ['--workload', 'pipeline', '--window', '16', '--clients', '3', '--servers', '2'];
      const own = ['--kafka-acks', '0,1,all', '--kafka-linger', '1', '--kafka-flush', 'always'];
      const {code, stderr} = await workplace.battle([...short, ...flags, ...own, '--broker', 'private']);
      assert.equal(code, 0, stderr);
      const cells = (await workplace.cells()).filter(({transport}) => transport === 'kafka');
      assert.equal(cells.length, 3);
      // A busy host once had ten messages twice: Kafka delivers at least once.
      for (const cell of cells) {
        assert.ok(cell.outcome === 'completed', JSON.stringify(cell));
        assert.deepEqual([cell.counts.lost, cell.counts.corrupted], [0, 0]);
      }
    }),
  );

  it(
    'fails the cell, says why and goes on when its broker is killed',
    inAWorkplace(async (workplace) => {
      const transports = ['--transport', 'kafka,http', '--http-server', 'node'];
      const outcomes = await killedBroker(workplace, 'kafka', {
        ...{label: 'Kafka', program: / kafka\.Kafka /, afterMs: 400},
        flags: ['--duration', '700ms', '--seed', '2', ...transports],
      });
      assert.deepEqual(outcomes, {
        ...{tcp: 'completed', http: 'completed', kafka: 'PB_BROKER_DIED'},
      });
    }),
  );

  it(
    'says what to start where no server reads the requests',
    inAWorkplace(async (workplace) => {
      const words = ['call', 'kafka', '--timeout', '1s', '--samples', '10'];
      const {code, stderr} = await workplace.start('battle', words, {
        ...{PB_KAFKA_URL: given.plain(), PB_CONNECT_TIMEOUT: '0', PB_KAFKA_PREFIX: 'nobody'},
      }).ended;
      assert.equal(code, 1, stderr);
      assert.match(stderr, /No server of perf-battle reads the Kafka topic nobody-requests\. .*serve kafka/s);
    }),
  );
});

/** A broker of a person, with a listener for the tests, and one with TLS and SASL. */
const given = {port: 0, plainPort: 0, controllerPort: 0, plain: () => `kafka://127.0.0.1:${given.plainPort}`};
/** @type {Workplace} */
let own;
/** @type {Awaited<ReturnType<typeof makeCertificates>>} */
let made;
/** @type {ChildProcess} */
let server;

before(async () => {
  own = await Workplace.make();
  made = await makeCertificates(own.path);
  [given.port, given.plainPort, given.controllerPort] = [
    await freePort(),
    await freePort(),
    await freePort(),
  ];
  const configuration = join(own.path, 'kafka.properties');
  const keyStore = join(own.path, 'server-store.pem');
  const key = createPrivateKey(await readFile(made.server.keyFile)).export({type: 'pkcs8', format: 'pem'});
  await writeFile(keyStore, `${key}${await readFile(made.server.certFile, 'utf8')}`);
  await writeFile(configuration, configurationWith({keyStore}));
  const program = String(await findProgram(kind));
  const user = 'SCRAM-SHA-256=[name=alice,password=S3cret]';
  const format = ['format', '-t', 'MkU3OEVBNTcwNTJENDM2Qg', '-c', configuration, '--add-scram', user];
  const formatted = spawnSync(program.replace('server-start', 'storage'), format, {encoding: 'utf8'});
  assert.equal(formatted.status, 0, formatted.stderr);
  server = spawn(program, [configuration], {stdio: ['ignore', 'ignore', 'inherit']});
  for (;;) {
    try {
      await ask((admin) => admin.createTopics({topics: ['theirs'], partitions: 1, replicas: 1}));
      return;
    } catch {
      await sleep(200);
    }
  }
});

after(async () => {
  server.kill('SIGKILL');
  await once(server, 'exit');
  await own.clear();
});

/** @param {{keyStore: string}} server */
function configurationWith({keyStore}) {
  const {controllerPort} = given;
  return `process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:${controllerPort}
controller.listener.names=CONTROLLER
listeners=PLAIN://127.0.0.1:${given.plainPort},SECURE://127.0.0.1:${given.port},CONTROLLER://127.0.0.1:${controllerPort}
advertised.listeners=PLAIN://127.0.0.1:${given.plainPort},SECURE://localhost:${given.port}
listener.security.protocol.map=PLAIN:PLAINTEXT,SECURE:SASL_SSL,CONTROLLER:PLAINTEXT
inter.broker.listener.name=PLAIN
sasl.enabled.mechanisms=SCRAM-SHA-256
listener.name.secure.scram-sha-256.sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required;
ssl.keystore.type=PEM
ssl.keystore.location=${keyStore}
ssl.truststore.type=PEM
ssl.truststore.location=${made.caFile}
listener.name.secure.ssl.client.auth=required
log.dirs=${join(own.path, 'logs')}
offsets.topic.replication.factor=1
offsets.topic.num.partitions=1
group.initial.rebalance.delay.ms=0
auto.create.topics.enable=false
`;
}

/** A second broker of the same cluster. @returns {Promise<{port: number, end: () => Promise<void>}>} */
async function startSecond() {
  const port = await freePort();
  const file = join(own.path, 'second.properties');
  await writeFile(
    file,
    `process.roles=broker
node.id=2
controller.quorum.voters=1@127.0.0.1:${given.controllerPort}
controller.listener.names=CONTROLLER
listeners=PLAIN://127.0.0.1:${port}
listener.security.protocol.map=PLAIN:PLAINTEXT,CONTROLLER:PLAINTEXT
inter.broker.listener.name=PLAIN
log.dirs=${join(own.path, 'logs of the second')}
offsets.topic.replication.factor=1
offsets.topic.num.partitions=1
group.initial.rebalance.delay.ms=0
`,
  );
  const program = String(await findProgram(kind));
  const words = ['format', '-t', 'MkU3OEVBNTcwNTJENDM2Qg', '-c', file];
  const formatted = spawnSync(program.replace('server-start', 'storage'), words, {encoding: 'utf8'});
  assert.equal(formatted.status, 0, formatted.stderr);
  const second = spawn(program, [file], {stdio: ['ignore', 'ignore', 'inherit']});
  const end = async () => {
    second.kill('SIGKILL');
    await once(second, 'exit');
  };
  while ((await ask((admin) => admin.metadata({topics: []}))).brokers.size < 2) {
    assert.equal(second.exitCode, null);
    await sleep(200);
  }
  return {port, end};
}

/** @template Answer @param {Parameters<typeof askKafka<Answer>>[2]} question */
async function ask(question) {
  const connection = {...localServer, hostname: '127.0.0.1', port: given.plainPort};
  return await askKafka(connection, {timeoutMs: 5000}, question);
}

/** What is on the broker. */
async function left() {
  const {topics, groups} = await ask(async (admin) => ({
    topics: await admin.listTopics(),
    groups: await whenCoordinated(() => admin.listGroups()),
  }));
  return [...topics, ...groups.keys()];
}

/** Only that which was there is, at once or soon: a broker knows of a deletion a moment after it has answered. */
async function untilAsItWas() {
  for (let attempt = 0; attempt < 50 && (await left()).length > 1; attempt += 1) await sleep(100);
  assert.deepEqual(await left(), ['theirs']);
}

describe('a Kafka broker that a person names', {timeout: 600_000}, () => {
  const identity = () => [
    ...['--kafka-ca-file', made.caFile, '--kafka-cert-file', made.client.certFile],
    ...['--kafka-key-file', made.client.keyFile],
  ];
  const scram = ['--kafka-sasl-mechanism', 'scram-sha-256'];
  const url = (user = 'alice:S3cret@') => `kafka+ssl://${user}localhost:${given.port}`;

  it(
    'is reached by TLS and SASL, is left as it was, and its password is shown nowhere',
    inAWorkplace(async (workplace) => {
      const flags = [...short, '--workload', 'rtt,queue', ...scram, ...identity()];
      const {code, stdout, stderr} = await workplace.battle(flags, {PB_KAFKA_URL: url()});
      assert.equal(code, 0, stderr);
      const cells = (await workplace.cells()).filter(({transport}) => transport === 'kafka');
      assert.deepEqual(
        cells.map(({outcome, variant}) => [outcome, variant.tlsProtocol]),
        Array.from({length: 2}, () => ['completed', 'TLSv1.3']),
      );
      await untilAsItWas();
      const journal = await readFile(workplace.file('results.ndjson'), 'utf8');
      for (const text of [journal, stdout, stderr]) assert.doesNotMatch(text, /S3cret|BEGIN|PRIVATE/);
    }),
  );

  for (const {what, user, words, message} of [
    {
      what: 'a wrong password',
      user: 'alice:Wr0ng@',
      words: () => [...scram, ...identity()],
      message: /refused user "alice": .*Check --kafka-username/s,
    },
    {
      what: 'a mechanism that it does not have',
      user: 'alice:S3cret@',
      words: identity,
      message: /refused user "alice": .*--kafka-sasl-mechanism/s,
    },
    {
      what: 'no user',
      user: '',
      words: identity,
      message: /\(no user\): it closed the connection\. .*whether it needs a user/s,
    },
    {what: 'no authority', user: 'alice:S3cret@', words: () => scram, message: /cannot be verified/},
    {
      what: 'no certificate',
      user: 'alice:S3cret@',
      words: () => [...scram, '--kafka-ca-file', made.caFile],
      message: /refused the client's certificate|may have refused the client's certificate/,
    },
  ])
    it(
      `is not available with ${what}, with a clear reason`,
      inAWorkplace(async (workplace) => {
        const {code, stderr} = await workplace.battle([...short, ...words()], {PB_KAFKA_URL: url(user)});
        assert.equal(code, 3, stderr);
        assert.match(stderr, message);
        assert.doesNotMatch(stderr, /S3cret|Wr0ng/);
      }),
    );

  it(
    'has nothing of a battle that was killed',
    inAWorkplace(async (workplace) => {
      const flags = ['--rounds', '1', '--duration', '5s', '--warmup', '10', '--payload', '1kb'];
      const kafkaFlags = ['--transport', 'kafka', '--workload', 'stream'];
      const battle = workplace.start('battle', [...flags, ...kafkaFlags], {PB_KAFKA_URL: given.plain()});
      let isRunning = true;
      battle.ended.then(() => {
        isRunning = false;
      });
      while ((await left()).length < 4) {
        assert.ok(isRunning, 'It has ended.');
        await sleep(50);
      }
      // A client that is killed while it makes its topic has no time to delete it.
      await sleep(1500);
      battle.child.kill('SIGKILL');
      await battle.ended;
      assert.deepEqual(await workplace.leftoversWithin(10_000), []);
      await untilAsItWas();
    }),
  );

  it(
    'is reached by the first of several addresses of a cluster that answers',
    inAWorkplace(async (workplace) => {
      const second = await startSecond();
      try {
        const dead = `127.0.0.1:${await freePort()}`;
        const urls = {PB_KAFKA_URL: `kafka://${dead},127.0.0.1:${second.port},127.0.0.1:${given.plainPort}`};
        const flags = [...short, '--workload', 'rtt,queue', '--clients', '2', '--servers', '2'];
        const {code, stderr} = await workplace.battle(flags, urls);
        assert.equal(code, 0, stderr);
        const cells = (await workplace.cells()).filter(({transport}) => transport === 'kafka');
        assert.equal(allArrived(cells).length, 2);
        assert.match(stderr, new RegExp(`Kafka at kafka://127\\.0\\.0\\.1:${second.port},${dead},`));
        // By hand, each role looks for itself.
        const words = ['call', 'kafka', '--workload', 'queue', '--samples', '20'];
        const byHand = await workplace.start('battle', words, {...urls, PB_KAFKA_PREFIX: 'by-hand'}).ended;
        assert.equal(byHand.code, 0, byHand.stderr);
        await untilAsItWas();
      } finally {
        await second.end();
      }
      const two = [await freePort(), await freePort()].map((port) => `127.0.0.1:${port}`);
      const none = await workplace.battle(short, {PB_KAFKA_URL: `kafka://${two.join(',')}`});
      assert.equal(none.code, 3, none.stderr);
      for (const one of two) assert.match(none.stderr, new RegExp(`at ${one} cannot be reached`));
    }),
  );
});

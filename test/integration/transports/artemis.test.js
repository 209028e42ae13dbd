import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {createPrivateKey} from 'node:crypto';
import {once} from 'node:events';
import {readFile, writeFile} from 'node:fs/promises';
import {dirname, join} from 'node:path';
import {after, before, describe, it} from 'node:test';
import {setTimeout as sleep} from 'node:timers/promises';
import {isDeepStrictEqual} from 'node:util';
import {connectAmqp} from '../../../src/brokers/artemis/connection.js';
import {driver} from '../../../src/brokers/artemis/driver.js';
import {artemis as kind} from '../../../src/brokers/artemis/index.js';
import {onManagement} from '../../../src/brokers/artemis/management.js';
import {localServer} from '../../../src/brokers/artemis/url.js';
import {findProgram} from '../../../src/brokers/programs.js';
import {conformance} from '../../../src/conformance/index.js';
import amqp1 from '../../../src/transports/amqp1/index.js';
import {topologyOver} from '../../../src/transports/amqp1/over-artemis.js';
import {allArrived} from '../support/arrived.js';
import {makeCertificates} from '../support/certificates.js';
import {inAWorkplace} from '../support/each-in-a-workplace.js';
import {killedBroker} from '../support/killed-broker.js';
import {freePort} from '../support/ports.js';
import {spawnWithParent} from '../support/spawn-with-parent.js';
import {Workplace} from '../support/workplace.js';

/** @import {ChildProcess} from 'node:child_process' */

const few = ['--rounds', '1', '--samples', '40', '--warmup', '10', '--transport', 'amqp1'];
const short = [...few, '--payload', '1kb', '--amqp1-broker', 'artemis'];

conformance(amqp1, {amqp1Broker: 'artemis'});

describe('a battle of AMQP 1.0 with Artemis', {timeout: 900_000}, () => {
  it(
    'measures it beside RabbitMQ, each with a private broker, and leaves nothing of them',
    inAWorkplace(async (workplace) => {
      const flags = ['--amqp1-broker', 'rabbitmq,artemis', '--delivery-mode', '2', '--payload', '1kb,1000kb'];
      const workloads = ['--workload', 'rtt,pipeline,stream,queue', '--window', '16', '--broker', 'private'];
      const {code, stderr} = await workplace.battle([...few, ...flags, ...workloads]);
      assert.equal(code, 0, stderr);
      const cells = (await workplace.cells()).filter(({transport}) => transport === 'amqp1');
      assert.equal(cells.length, 16);
      for (const cell of allArrived(cells)) {
        assert.match(String(cell.versions.artemis), /^\d+\.\d+\.\d+$/);
        assert.ok(cell.cpu.broker);
        const {amqp1Broker, journalBufferTimeoutNs: timeoutNs} = cell.variant;
        if (amqp1Broker !== 'artemis') assert.equal(timeoutNs, undefined);
        else assert.ok(Number.isInteger(timeoutNs) && Number(timeoutNs) > 0, String(timeoutNs));
      }
      assert.equal(cells.filter(({variant}) => variant.amqp1Broker === 'artemis').length, 8);
      assert.equal(cells.filter(({labels}) => labels.settings.includes('Artemis')).length, 8);
      assert.deepEqual(await workplace.leftovers(), []);
    }),
  );

  it(
    'sends each request to one of several servers, reaches all subscribers, and takes each of its settings',
    inAWorkplace(async (workplace) => {
      const own = ['--amqp1-settled', 'on,off', '--artemis-journal', 'nio,asyncio', '--broker', 'private'];
      const many = ['--servers', '2', '--clients', '2', '--rows', '500', '--window', '16'];
      const served = await workplace.battle([
        ...[...short, ...own, ...many],
        ...['--delivery-mode', '2', '--workload', 'pipeline,recordset'],
      ]);
      assert.equal(served.code, 0, served.stderr);
      const published = await workplace.battle([...short, '--subscribers', '1,6', '--workload', 'fan-out']);
      assert.equal(published.code, 0, published.stderr);
      const cells = (await workplace.cells()).filter(({transport}) => transport === 'amqp1');
      const countOf = (/** @type {string} */ name) => cells.filter(({workload}) => workload === name).length;
      assert.deepEqual([countOf('pipeline'), countOf('fan-out')], [4, 2]);
      allArrived(cells);
      assert.ok(cells.some(({variant}) => variant.artemisJournal === 'asyncio'));
    }),
  );

  it(
    'fails the cell and names the broker when that is killed',
    inAWorkplace(async (workplace) => {
      const flags = [
        '--transport',
        'amqp1',
        '--amqp1-broker',
        'artemis',
        '--duration',
        '3s',
        '--delivery-mode',
        '1',
        '--slices',
        'off',
      ];
      const outcomes = await killedBroker(workplace, 'amqp1', {
        label: 'Artemis',
        program: /artemis\.boot/,
        flags,
      });
      assert.equal(outcomes.amqp1, 'PB_BROKER_DIED');
    }),
  );

  it(
    'says what to start where no server takes the requests',
    inAWorkplace(async (workplace) => {
      const environment = {PB_ARTEMIS_URL: given.url('alice:S3cret@'), PB_CONNECT_TIMEOUT: '0'};
      const words = ['call', 'amqp1', '--amqp1-broker', 'artemis', '--timeout', '1s', '--samples', '10'];
      const {code, stderr} = await workplace.start(
        'battle',
        [...words, '--artemis-prefix', 'no'],
        environment,
      ).ended;
      assert.equal(code, 1, stderr);
      assert.match(
        stderr,
        /No server of perf-battle takes from the Artemis queue no-requests\. .*--amqp1-br/s,
      );
    }),
  );
});

/** A broker of a person: without TLS, and with TLS and a certificate of the client. */
const given = {
  port: 0,
  securePort: 0,
  url: (user = '') => `amqp://${user}127.0.0.1:${given.port}`,
  secureUrl: (user = 'alice:S3cret@') => `amqps://${user}localhost:${given.securePort}`,
};
const alice = {username: 'alice', password: 'S3cret'};
/** @type {Workplace} */
let own;
/** @type {Awaited<ReturnType<typeof makeCertificates>>} */
let made;
/** @type {ChildProcess} */
let server;

before(async () => {
  own = await Workplace.make();
  made = await makeCertificates(own.path);
  [given.port, given.securePort] = [await freePort(), await freePort()];
  const program = String(await findProgram(kind));
  const instance = join(own.path, 'theirs');
  const user = ['--user', alice.username, '--password', alice.password, '--require-login'];
  const created = spawnSync(
    program,
    ['create', '--silent', ...user, '--no-web', '--no-autotune', '--nio', instance],
    {encoding: 'utf8'},
  );
  assert.equal(created.status, 0, created.stderr);
  const etc = join(instance, 'etc');
  // He may do all but manage.
  await writeFile(
    join(etc, 'artemis-users.properties'),
    `${alice.username} = ${alice.password}\nbob = 8ob\n`,
  );
  await writeFile(join(etc, 'artemis-roles.properties'), `amq = ${alice.username}\nguests = bob\n`);
  const configuration = join(etc, 'broker.xml');
  const text = await readFile(configuration, 'utf8');
  const withBob = text.replace(/(type="(?!manage)\w+" roles=")amq"/g, '$1amq,guests"');
  await writeFile(configuration, withBob.replace(/<acceptors>.*<\/acceptors>/s, await acceptors()));
  const home = {ARTEMIS_HOME: dirname(dirname(program))};
  server = spawnWithParent(join(instance, 'bin', 'artemis'), ['run'], {
    env: {...process.env, ...home},
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  for (;;) {
    try {
      await ask((management) => management.createQueue('theirs', {expiresMs: 3_600_000, mayExist: true}));
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

async function acceptors() {
  const keyStore = join(own.path, 'server-store.pem');
  const key = createPrivateKey(await readFile(made.server.keyFile)).export({type: 'pkcs8', format: 'pem'});
  await writeFile(keyStore, `${key}${await readFile(made.server.certFile, 'utf8')}`);
  const tls = [
    ...['sslEnabled=true', `keyStorePath=${keyStore}`, 'keyStoreType=PEM', 'needClientAuth=true'],
    ...[`trustStorePath=${made.caFile}`, 'trustStoreType=PEMCA'],
  ].join(';');
  return `<acceptors>
    <acceptor name="plain">tcp://127.0.0.1:${given.port}?protocols=AMQP</acceptor>
    <acceptor name="secure">tcp://localhost:${given.securePort}?protocols=AMQP;${tls}</acceptor>
  </acceptors>`;
}

/** @template Answer @param {Parameters<typeof onManagement<Answer>>[2]} question */
async function ask(question) {
  const connection = {...localServer, ...alice, hostname: '127.0.0.1', port: given.port};
  return await onManagement(connection, {timeoutMs: 5000}, question);
}

/** The queues and addresses on the broker. */
async function left() {
  return await ask(async (management) => {
    const [queues, addresses] = await Promise.all(
      ['getQueueNames', 'getAddressNames'].map((name) =>
        management.ask('broker', {_AMQ_OperationName: name}),
      ),
    );
    const own = ({text = ''}) =>
      text
        .split(',')
        .filter((name) => name.startsWith('perf-battle') || name === 'theirs')
        .sort();
    return {queues: own(queues), addresses: own(addresses)};
  });
}

const asItWas = {queues: ['theirs'], addresses: ['theirs']};

/** Only that which was there is, at once or soon. */
async function untilAsItWas() {
  for (let attempt = 0; attempt < 50 && !isDeepStrictEqual(await left(), asItWas); attempt += 1)
    await sleep(100);
  assert.deepEqual(await left(), asItWas);
}

/** Sends one durable message to an address. @param {string} address @param {string} [over] the address of the link; by default none */
async function send(address, over) {
  const connection = {...localServer, ...alice, hostname: '127.0.0.1', port: given.port};
  const {connection: opened, cut} = await connectAmqp(connection, {timeoutMs: 5000, onLost: () => {}});
  const sender = opened.open_sender({target: over === undefined ? {} : {address: over}});
  await once(/** @type {any} */ (sender), 'sendable');
  sender.send({to: address, body: 'one', durable: true});
  await once(/** @type {any} */ (sender), 'accepted');
  cut();
}

describe('an Artemis broker that a person names', {timeout: 600_000}, () => {
  const identity = () => [
    ...['--artemis-ca-file', made.caFile, '--artemis-cert-file', made.client.certFile],
    ...['--artemis-key-file', made.client.keyFile],
  ];

  it(
    'is reached by TLS with a user, is left as it was, and its password is shown nowhere',
    inAWorkplace(async (workplace) => {
      const flags = [...short, '--delivery-mode', '1', '--workload', 'rtt,queue,fan-out', ...identity()];
      const {code, stdout, stderr} = await workplace.battle(flags, {PB_ARTEMIS_URL: given.secureUrl()});
      assert.equal(code, 0, stderr);
      const cells = (await workplace.cells()).filter(({transport}) => transport === 'amqp1');
      for (const {outcome, variant} of cells)
        assert.deepEqual([outcome, variant.tlsProtocol], ['completed', 'TLSv1.3']);
      assert.ok(cells.length >= 3);
      await untilAsItWas();
      const journal = await readFile(workplace.file('results.ndjson'), 'utf8');
      for (const text of [journal, stdout, stderr]) assert.doesNotMatch(text, /S3cret|BEGIN|PRIVATE/);
    }),
  );

  for (const {what, url, words, message} of [
    {
      what: 'a wrong password',
      url: () => given.url('alice:Wr0ng@'),
      words: () => [],
      message: /refused user "alice": .*Check --artemis-username/s,
    },
    {what: 'no user', url: () => given.url(), words: () => [], message: /no user/},
    {
      what: 'a user without rights',
      url: () => given.url('bob:8ob@'),
      words: () => [],
      message: /user "bob".*must have the permission manage/s,
    },
    {
      what: 'no authority',
      url: () => given.secureUrl(),
      words: () => [],
      message: /certificate that cannot be verified .*--artemis-ca-file/s,
    },
    {
      what: 'no certificate',
      url: () => given.secureUrl(),
      words: () => ['--artemis-ca-file', made.caFile],
      message: /refused the client's certificate|may have refused the client's certificate|asks for a cert/,
    },
    {
      what: 'TLS at a port without it',
      url: () => given.url('alice:S3cret@').replace('amqp:', 'amqps:'),
      words: () => [],
      message: /does not answer \(user "alice"\): no answer within 10 s/,
    },
  ])
    it(
      `is not available with ${what}, with a clear reason`,
      inAWorkplace(async (workplace) => {
        const {code, stderr} = await workplace.battle([...short, ...words()], {PB_ARTEMIS_URL: url()});
        assert.equal(code, 3, stderr);
        assert.match(stderr, message);
        assert.doesNotMatch(stderr, /S3cret|Wr0ng|8ob/);
      }),
    );

  it(
    'has nothing of a battle that was killed',
    inAWorkplace(async (workplace) => {
      const flags = ['--rounds', '1', '--duration', '5s', '--warmup', '10', '--payload', '1kb'];
      const which = ['--transport', 'amqp1', '--amqp1-broker', 'artemis', '--workload', 'queue,rtt'];
      const battle = workplace.start('battle', [...flags, ...which], {
        PB_ARTEMIS_URL: given.url('alice:S3cret@'),
      });
      let isRunning = true;
      battle.ended.then(() => {
        isRunning = false;
      });
      while ((await left()).queues.length < 2) {
        assert.ok(isRunning, 'It has ended.');
        await sleep(50);
      }
      await sleep(1500);
      battle.child.kill('SIGKILL');
      await battle.ended;
      assert.deepEqual(await workplace.leftoversWithin(10_000), []);
      await untilAsItWas();
    }),
  );

  it('has no queue of a role that had to end while the broker was slow to make it', async () => {
    const [ending, timeout] = [new AbortController(), 20_000];
    const connection = {...localServer, ...alice, hostname: '127.0.0.1', port: given.port};
    const cutAt = new AbortController();
    const role = onManagement(connection, {timeoutMs: timeout, signal: cutAt.signal}, async (management) => {
      server.kill('SIGSTOP');
      const made = management.createQueue('perf-battle-late', {expiresMs: 60_000, signal: ending.signal});
      await sleep(100);
      ending.abort();
      await sleep(100);
      // The process of the role ends.
      cutAt.abort(new Error('ended'));
      await made;
    });
    await assert.rejects(role, {message: 'ended'});
    server.kill('SIGCONT');
    await sleep(1000);
    await untilAsItWas();
    await assert.rejects(
      ask((management) =>
        management.createQueue('perf-battle-late', {expiresMs: 60_000, signal: ending.signal}),
      ),
      /This operation was aborted/,
    );
    assert.deepEqual(await left(), asItWas);
  });

  it('deletes a queue that has had no consumer for its time, whatever it holds', async () => {
    await ask((management) => management.createQueue('perf-battle-brief', {expiresMs: 100}));
    await send('perf-battle-brief', 'perf-battle-brief');
    // Artemis looks for such queues each 30 s.
    for (let attempt = 0; attempt < 200 && (await left()).queues.length > 1; attempt += 1) await sleep(500);
    assert.deepEqual((await left()).queues, ['theirs']);
    // As `artemis create` configures it, it deletes no address.
    await ask((management) => management.deleteAddresses((name) => name === 'perf-battle-brief'));
    assert.deepEqual(await left(), asItWas);
  });

  it(
    'has no address of settled messages after a battle, nor of a reply that came late',
    inAWorkplace(async (workplace) => {
      const settled = ['--amqp1-settled', 'on', '--workload', 'stream,queue', '--delivery-mode', '1'];
      const {code, stderr} = await workplace.battle([...short, ...settled], {
        PB_ARTEMIS_URL: given.url('alice:S3cret@'),
      });
      assert.equal(code, 0, stderr);
      await untilAsItWas();
      const [names, late] = [{artemisPrefix: 'perf-battle-late', pair: 'p'}, 'perf-battle-late-replies-p-1'];
      await send(late);
      assert.deepEqual((await left()).addresses, [late, 'theirs']);
      const connection = {...localServer, ...alice, hostname: '127.0.0.1', port: given.port};
      await driver.removeLeft?.(connection, [{names, clients: 2, isUnique: false}], {timeoutMs: 5000});
      assert.deepEqual(await left(), asItWas);
      const server = topologyOver(
        /** @type {any} */ (null),
        /** @type {any} */ ({...names, broker: connection}),
      );
      await server.serve();
      await send(late);
      await server.endServing();
      assert.deepEqual(await left(), asItWas);
    }),
  );

  it('keeps an address that a person has made', async () => {
    const name = 'perf-battle-mine';
    const by = (/** @type {string} */ operation, /** @type {string[]} */ ...parameters) =>
      ask((management) => management.ask('broker', {_AMQ_OperationName: operation, parameters}));
    await by('createAddress', name, 'ANYCAST');
    await ask((management) => management.deleteAddresses((one) => one === name));
    assert.deepEqual((await left()).addresses, [name, 'theirs']);
    await by('deleteAddress', name);
  });

  it('refuses a queue that is there and may not be, or that is another one, and the deletion of what is none', async () => {
    const name = 'perf-battle-other';
    const made = {name, address: name, 'routing-type': 'ANYCAST', durable: false};
    const by = (/** @type {string} */ operation, /** @type {unknown[]} */ ...parameters) =>
      ask((management) => management.ask('broker', {_AMQ_OperationName: operation, parameters}));
    await by('createQueue', JSON.stringify(made), false);
    for (const [mayExist, message] of /** @type {const} */ ([
      [false, /refused the queue perf-battle-other: .*already exists/],
      [true, /another queue perf-battle-other: its Durable is false, and must be true/],
    ]))
      await assert.rejects(
        ask((management) => management.createQueue(name, {expiresMs: 60_000, mayExist})),
        {code: 'PB_TOPOLOGY', message},
      );
    await ask((management) => management.deleteQueue(name));
    await ask((management) => management.deleteQueue(name));
    const divert = 'perf-battle-divert';
    await by('createDivert', divert, divert, 'theirs', 'theirs', false, null, null);
    await assert.rejects(
      ask((management) => management.deleteQueue(divert)),
      {code: 'PB_TOPOLOGY', message: /refused to delete the queue perf-battle-divert: ./},
    );
    await by('destroyDivert', divert);
    assert.deepEqual(await left(), asItWas);
  });
});

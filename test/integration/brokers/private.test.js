import assert from 'node:assert/strict';
import {execFile} from 'node:child_process';
import {once} from 'node:events';
import {readdir, readFile, rm, stat, writeFile} from 'node:fs/promises';
import {connect, createServer} from 'node:net';
import {join} from 'node:path';
import {after, before, describe, it} from 'node:test';
import {setTimeout as delay} from 'node:timers/promises';
import {promisify} from 'node:util';
import {connectBroker} from '../../../src/brokers/rabbitmq/connection.js';
import {rabbitmq} from '../../../src/brokers/rabbitmq/index.js';
import {examineBroker} from '../../../src/doctor/brokers.js';
import {openChannel} from '../../../src/transports/rabbitmq/channel.js';
import {listeningAddresses} from '../support/ports.js';
import {environmentOf, leftoversAfter, makeBase, processesOf} from './leftovers.js';
import {provision} from './provision.js';

/**
 * @import {Broker} from '../../../src/brokers/kind.js'
 * @import {RabbitmqConnection} from '../../../src/brokers/rabbitmq/url.js'
 * @import {ConfirmChannel} from 'amqplib'
 * @import {EventEmitter} from 'node:events'
 * @import {AddressInfo} from 'node:net'
 */

const run = promisify(execFile);

/**
 * Passes everything on until a client asks for publisher confirms (AMQP's confirm.select: class 85, method 10), which doctor does first.
 * @param {number} port of the broker
 */
function relayUntilConfirms(port) {
  const select = Buffer.from([0, 85, 0, 10]);
  return createServer((client) => {
    const server = connect(port, '127.0.0.1');
    for (const socket of [client, server]) socket.on('error', () => socket.destroy());
    client.on(
      'data',
      (bytes) => void (bytes.includes(select) ? client.removeAllListeners('data') : server.write(bytes)),
    );
    server.on('data', (bytes) => void client.write(bytes));
    client.on('close', () => server.destroy());
  });
}

const shortAlarm =
  'rabbit_disk_monitor:set_disk_free_limit(1000000000000000), timer:sleep(2000), rabbit_disk_monitor:set_disk_free_limit(50000000).';

describe('a private broker', {timeout: 1_200_000}, () => {
  /** @type {string} */
  let base;
  /** @type {Broker<RabbitmqConnection>[]} */
  let brokers;

  before(async () => {
    base = await makeBase();
    brokers = await Promise.all([provisionPrivate(base), provisionPrivate(base)]);
  });
  after(async () => {
    await Promise.all(brokers.map((broker) => broker.release()));
    await rm(base, {recursive: true, force: true});
  });

  it('answers, carries a persistent message and tells its versions, beside another one', async () => {
    for (const broker of brokers) {
      assert.equal(broker.source, 'private');
      assert.match(String(broker.versions.rabbitmq), /^\d+\.\d+\.\d+/);
      assert.match(String(broker.versions.erlang), /^\d+/);
      assert.equal(await echo(broker, 'a message'), 'a message');
    }
    assert.notEqual(brokers[0].connection.port, brokers[1].connection.port);
    assert.notEqual(brokers[0].connection.password, brokers[1].connection.password);
  });

  it('searches no folders of plugins, which it does not use', async () => {
    const {RABBITMQ_PLUGINS_DIR = ''} = await environmentOf(Number(brokers[0].pid));
    assert.deepEqual(await readdir(RABBITMQ_PLUGINS_DIR), [`rabbit-${brokers[0].versions.rabbitmq}`]);
  });

  it('has Erlang search the folders of modules that it runs before all others, where that is faster', async () => {
    const [{pid, versions}] = brokers;
    const parameters = (await readFile(`/proc/${pid}/cmdline`, 'utf8')).split('\0');
    const folders = parameters.filter((folder, index) => folder && parameters[index - 1] === '-pa');
    const expected = [`rabbit-${versions.rabbitmq}`, 'rabbit_common-', 'ssl-', 'mnesia-', 'kernel-'];
    const isLater = Number.parseInt(String(versions.erlang), 10) >= 26;
    const found = expected.filter((name) => folders.some((folder) => folder.includes(`/${name}`)));
    assert.deepEqual(found, isLater ? [] : expected, folders.join(' '));
    assert.ok(!folders.some((folder) => folder.includes('/rabbitmq_management')));
  });

  it('refuses guest', async () => {
    const connection = {...brokers[0].connection, username: 'guest', password: 'guest'};
    await assert.rejects(connectBroker(connection), {
      code: 'PB_BROKER_UNAVAILABLE',
      message: /ACCESS_REFUSED/,
    });
  });

  it('has the pid of the Erlang process itself', async () => {
    for (const {pid} of brokers) {
      assert.match(await readFile(`/proc/${pid}/comm`, 'utf8'), /^beam/);
    }
  });

  it('listens on loopback addresses only', async () => {
    const processes = (await processesOf(base)).map(({pid}) => pid);
    const addresses = (await Promise.all(processes.map(listeningAddresses))).flat();
    const [ipv4Loopback, ipv6Loopback] = ['0100007F', '00000000000000000000000001000000'];
    const onLoopback = addresses.filter((address) => address === ipv4Loopback);
    assert.equal(onLoopback.length, 6, 'AMQP, distribution, epmd; twice');
    // epmd listens on the IPv6 loopback address too, whatever it is told.
    const others = addresses.filter((address) => ![ipv4Loopback, ipv6Loopback].includes(address));
    assert.deepEqual(others, []);
  });

  it('keeps its files to itself', async () => {
    const folders = await readdir(base);
    assert.equal(folders.length, 2);
    for (const folder of folders) {
      assert.equal((await stat(join(base, folder))).mode & 0o777, 0o700);
      assert.equal((await stat(join(base, folder, 'home', '.erlang.cookie'))).mode & 0o777, 0o400);
    }
  });

  it('shows its password on no command line and in no label', async () => {
    const {stdout} = await run('ps', ['-axeww', '-o', 'command='], {maxBuffer: 1 << 26});
    for (const {connection, label} of brokers) {
      assert.ok(!stdout.includes(connection.password));
      assert.ok(!label.includes(connection.password));
    }
  });

  it('takes nothing over from our environment or the machine', async () => {
    const nodes = (await processesOf(base)).filter(({pid}) => brokers.some((broker) => broker.pid === pid));
    assert.equal(nodes.length, 2);
    for (const {environment} of nodes) {
      assert.deepEqual(
        Object.keys(environment).filter((name) => name.startsWith('PB_') || name.startsWith('npm_')),
        [],
      );
      assert.ok(environment.RABBITMQ_CONFIG_FILES.startsWith(base));
    }
  });

  it('is an error to doctor while an alarm stops publishers, with the reason', async () => {
    const {connection, pid} = brokers[1];
    const examine = () => examineBroker(rabbitmq, connection, new AbortController().signal);
    await control(base, Number(pid), ['set_disk_free_limit', '1000000000000000']);
    try {
      const {level, finding} = await examine();
      assert.equal(level, 'error');
      assert.match(finding, /^RabbitMQ .* takes no messages: low on disk$/);
    } finally {
      await control(base, Number(pid), ['set_disk_free_limit', '50MB']);
    }
    assert.equal((await examine()).level, 'ok');
  });

  it('may stop publishers for a moment, as a queue does that grows on a host with little memory', async () => {
    const {connection, pid} = brokers[1];
    const opened = await openChannel(
      /** @type {any} */ ({broker: connection, noDelay: true, confirms: true}),
    );
    const {queue} = await opened.channel.assertQueue('', {exclusive: true});
    // The connection below that of amqplib's model says when it is blocked.
    const {connection: below} = /** @type {{connection: EventEmitter}} */ (
      /** @type {unknown} */ (opened.channel)
    );
    let isBlocked = false;
    below.once('blocked', () => {
      isBlocked = true;
    });
    const unblocked = once(below, 'unblocked');
    // The broker itself lifts the alarm after two seconds, however long a program takes to start on a busy host.
    const alarm = control(base, Number(pid), ['eval', shortAlarm]);
    try {
      const {channel} = opened;
      while (!isBlocked) {
        channel.sendToQueue(queue, Buffer.alloc(10));
        await Promise.race([opened.closed, delay(20)]);
      }
      const confirmed = new Promise((resolve) => {
        /** @type {ConfirmChannel} */ (channel).sendToQueue(queue, Buffer.alloc(10), {}, resolve);
      });
      await Promise.race([opened.closed, unblocked]);
      assert.equal(await Promise.race([opened.closed, confirmed]), null);
    } finally {
      await alarm;
      await opened.close();
    }
  });

  it('ends the connection of a role when an alarm stops publishers for long, with the reason and advice', async () => {
    const {connection, pid} = brokers[1];
    const opened = await openChannel(/** @type {any} */ ({broker: connection, noDelay: true}));
    const {queue} = await opened.channel.assertQueue('', {exclusive: true});
    await control(base, Number(pid), ['set_disk_free_limit', '1000000000000000']);
    try {
      const startedAt = performance.now();
      opened.channel.sendToQueue(queue, Buffer.alloc(10));
      await assert.rejects(opened.closed, {
        code: 'PB_BROKER_BLOCKED',
        message: new RegExp(
          `:${connection.port} takes no messages now: low on disk\\. .*disk_free_limit.*doctor`,
        ),
      });
      assert.ok(performance.now() - startedAt < 30_000);
    } finally {
      await control(base, Number(pid), ['set_disk_free_limit', '50MB']);
      await opened.close();
    }
  });

  it('is an error to doctor if it falls silent after the greeting', async () => {
    const {connection} = brokers[1];
    const relay = relayUntilConfirms(connection.port).listen(0, '127.0.0.1');
    await once(relay, 'listening');
    const {port} = /** @type {AddressInfo} */ (relay.address());
    try {
      const silent = {...connection, hostname: '127.0.0.1', port};
      const {level, finding} = await examineBroker(rabbitmq, silent, new AbortController().signal);
      assert.equal(level, 'error');
      assert.match(finding, /takes no messages: no answer within 5 s$/);
    } finally {
      relay.close();
    }
  });

  it('is found as a broker of this host once it knows guest, and is not used before', async () => {
    const {port} = brokers[0].connection;
    /** @type {string[]} */
    const lines = [];
    const request = {
      choice: /** @type {const} */ ('auto'),
      localPort: port,
      programFolders: [],
      log: (/** @type {string} */ line) => void lines.push(line),
    };
    await assert.rejects(provision(rabbitmq, request), {
      code: 'PB_BROKER_UNAVAILABLE',
      message: /perf-battle install rabbitmq$/,
    });
    assert.match(lines.join('\n'), new RegExp(`localhost:${port} is not used: .*refused user "guest"`));

    await addGuest(base, /** @type {number} */ (brokers[0].pid));
    const found = await provision(rabbitmq, request);
    assert.equal(found.source, 'found');
    assert.equal(found.pid, brokers[0].pid);
    assert.deepEqual(found.versions, brokers[0].versions);
    assert.equal(found.label.includes('guest:guest'), false);
    await found.release();
    assert.equal(await echo(found, 'still there'), 'still there');
  });

  it('is gone, with its folder, once it is released, however often and at once that is asked', async () => {
    const [released, other] = brokers;
    await Promise.all([released.release(), released.release()]);
    await released.release();
    assert.equal((await readdir(base)).length, 1);
    assert.equal(await echo(other, 'the other one is not touched'), 'the other one is not touched');
    assert.equal(
      await Promise.race([released.died, new Promise((resolve) => setTimeout(resolve, 50, 'quiet'))]),
      'quiet',
    );
  });

  // The last: it is the end of the other one.
  it('says so when it dies unasked, with the tail of its log, and leaves nothing', async () => {
    const [, broker] = brokers;
    process.kill(/** @type {number} */ (broker.pid), 'SIGKILL');
    const reason = await broker.died;
    assert.match(reason, /rabbitmq-server \(pid \d+\) was ended by SIGKILL/);
    assert.match(reason, /last lines of its log:\n.+/);
    assert.ok(!reason.includes(broker.connection.password));
    await broker.release();
    assert.deepEqual(await leftoversAfter(base), []);
  });
});

describe('a private broker whose port is taken while it starts', {timeout: 1_200_000}, () => {
  it('starts on others', async () => {
    const base = await makeBase();
    const programs = await makeBase();
    const busy = createServer().listen(0, '127.0.0.1');
    await once(busy, 'listening');
    const {port} = /** @type {AddressInfo} */ (busy.address());
    // The first time, and then no more, the node is told a port that is in use.
    const script = `#!/bin/sh
if mkdir ${programs}/tried 2>/dev/null; then RABBITMQ_NODE_PORT=${port}; export RABBITMQ_NODE_PORT; fi
exec /usr/lib/rabbitmq/bin/rabbitmq-server`;
    await writeFile(join(programs, 'rabbitmq-server'), script, {mode: 0o755});
    try {
      const broker = await provisionPrivate(base, [programs]);
      assert.equal(await echo(broker, 'here'), 'here');
      await broker.release();
      await stat(join(programs, 'tried'));
    } finally {
      busy.close();
      for (const folder of [base, programs]) await rm(folder, {recursive: true});
    }
  });
});

/** @param {string} base @param {string[] | undefined} [programFolders] */
async function provisionPrivate(base, programFolders) {
  return await provision(rabbitmq, {temporaryFolder: base, programFolders});
}

/** @param {Broker<RabbitmqConnection>} broker @param {string} text */
async function echo({connection}, text) {
  const model = await connectBroker(connection);
  const channel = await model.createConfirmChannel();
  const {queue} = await channel.assertQueue('', {exclusive: true});
  channel.sendToQueue(queue, Buffer.from(text), {persistent: true});
  await channel.waitForConfirms();
  const message = await channel.get(queue, {noAck: true});
  await model.close();
  return message ? message.content.toString() : null;
}

/** @param {string} base @param {number} pid */
async function addGuest(base, pid) {
  await control(base, pid, ['add_user', 'guest', 'guest']);
  await control(base, pid, ['set_permissions', 'guest', '.*', '.*', '.*']);
}

/** @param {string} base @param {number} pid @param {string[]} command of rabbitmqctl */
async function control(base, pid, command) {
  const environment = (await processesOf(base)).find((process) => process.pid === pid)?.environment;
  await run('/usr/lib/rabbitmq/bin/rabbitmqctl', command, {env: environment});
}

import assert from 'node:assert/strict';
import {execFile} from 'node:child_process';
import {readdir, rm, stat, symlink, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {after, before, describe, it} from 'node:test';
import {setTimeout as sleep} from 'node:timers/promises';
import {promisify} from 'node:util';
import {connectBroker} from '../../../src/brokers/rabbitmq/connection.js';
import {rabbitmq} from '../../../src/brokers/rabbitmq/index.js';
import {listeningAddresses} from '../support/ports.js';
import {itOutlivesNoParent} from './killed-parent.js';
import {leftovers, leftoversAfter, makeBase, processesOf} from './leftovers.js';
import {provision} from './provision.js';

/**
 * @import {ConfirmChannel} from 'amqplib'
 * @import {Broker, BrokerRequest} from '../../../src/brokers/kind.js'
 * @import {RabbitmqConnection} from '../../../src/brokers/rabbitmq/url.js'
 */

const run = promisify(execFile);

describe('a private cluster on this host', {timeout: 900_000}, () => {
  /** @type {string} */
  let base;
  /** @type {Broker<RabbitmqConnection>} */
  let broker;
  before(async () => {
    base = await makeBase();
    broker = await provisionCluster(base);
  });
  after(async () => {
    await broker.release();
    await rm(base, {recursive: true, force: true});
  });

  it('has three nodes, each of which sees all of them run', async () => {
    assert.equal(broker.source, 'private');
    assert.equal(new Set(broker.connections.map(({port}) => port)).size, 3);
    assert.equal(broker.connection, broker.connections[0]);
    assert.match(broker.label, /a private cluster of 3 nodes$/);
    const nodes = await nodesOf(base);
    assert.equal(nodes.length, 3);
    for (const {environment} of nodes) {
      const status = JSON.parse(await control(environment, 'cluster_status', '--formatter', 'json'));
      assert.deepEqual(
        status.running_nodes.sort(),
        nodes.map((node) => node.environment.RABBITMQ_NODENAME).sort(),
      );
    }
  });

  it('replicates a quorum queue to every node, and has its leader where it was declared', async () => {
    const declaredOn = broker.connections[1];
    await withChannel(declaredOn, async (channel) => {
      await channel.assertQueue('replicated', {durable: true, arguments: {'x-queue-type': 'quorum'}});
      channel.sendToQueue('replicated', Buffer.from('a message'), {persistent: true});
      await channel.waitForConfirms();
    });
    const [{environment}] = await nodesOf(base);
    const said = await control(environment, 'list_queues', 'leader', 'members', '--formatter', 'json');
    const [{leader, members}] = JSON.parse(said);
    assert.equal(members.length, 3);
    assert.match(leader, /-2@127\.0\.0\.1$/);
    await withChannel(broker.connections[2], async (channel) => {
      const message = await channel.get('replicated', {noAck: true});
      assert.ok(message);
      assert.equal(message.content.toString(), 'a message');
    });
  });

  it('refuses guest on every node', async () => {
    for (const connection of broker.connections)
      await assert.rejects(connectBroker({...connection, username: 'guest', password: 'guest'}), {
        code: 'PB_BROKER_UNAVAILABLE',
        message: /ACCESS_REFUSED/,
      });
  });

  it('listens on loopback addresses only', async () => {
    const pids = (await processesOf(base)).map(({pid}) => pid);
    const addresses = (await Promise.all(pids.map(listeningAddresses))).flat();
    const [ipv4Loopback, ipv6Loopback] = ['0100007F', '00000000000000000000000001000000'];
    assert.equal(addresses.filter((address) => address === ipv4Loopback).length, 7, 'two a node, and epmd');
    assert.deepEqual(
      addresses.filter((address) => ![ipv4Loopback, ipv6Loopback].includes(address)),
      [],
    );
  });

  it('shows neither its password nor its cookie to others', async () => {
    const {stdout} = await run('ps', ['-axeww', '-o', 'command='], {maxBuffer: 1 << 26});
    assert.ok(!stdout.includes(broker.connection.password));
    assert.doesNotMatch(stdout, /-setcookie/);
    const [folder] = await readdir(base);
    assert.equal((await stat(join(base, folder))).mode & 0o777, 0o700);
    assert.equal((await stat(join(base, folder, 'home', '.erlang.cookie'))).mode & 0o777, 0o400);
    for (const number of [1, 2, 3])
      assert.equal((await stat(join(base, folder, `node-${number}`, 'rabbitmq.conf'))).mode & 0o777, 0o600);
  });

  it('reads the times of all nodes together', async () => {
    const pids = (await nodesOf(base)).map(({pid}) => pid);
    const readings = [];
    let isClose = false;
    // The nodes go on meanwhile: the two readings of their peaks are not of the same moment.
    for (let attempt = 1; attempt <= 5 && !isClose; attempt += 1) {
      await broker.readTimes();
      const peaks = await Promise.all(pids.map(peakBytes));
      const sum = peaks.reduce((total, bytes) => total + bytes, 0);
      const times = await broker.readTimes();
      readings.push({...times, sum});
      isClose = times !== null && times.userMs > 0 && Math.abs(Number(times.maxRssBytes) / sum - 1) < 0.05;
    }
    assert.ok(isClose, JSON.stringify(readings));
  });

  it('is whole again, with its messages, after all of its nodes were killed and started', async () => {
    await withChannel(broker.connection, async (channel) => {
      await channel.assertQueue('kept', {durable: true, arguments: {'x-queue-type': 'quorum'}});
      channel.sendToQueue('kept', Buffer.from('a message'), {persistent: true});
      await channel.waitForConfirms();
    });
    // RabbitMQ keeps what it knows of a new queue in memory for some seconds. After a kill before that, the queue has no leader any more.
    await sleep(5000);
    for (const type of /** @type {const} */ (['kill', 'start'])) await broker.perform?.({type});
    assert.equal(await untilRead(broker.connections[1], 'kept'), 'a message');
    const [{environment}] = await nodesOf(base);
    const status = JSON.parse(await control(environment, 'cluster_status', '--formatter', 'json'));
    assert.equal(status.running_nodes.length, 3);
  });

  // The last: it is the end of the cluster.
  it('has died when one node is lost, which it names, and leaves nothing once it is released', async () => {
    const [, second] = await nodesOf(base);
    process.kill(second.pid, 'SIGKILL');
    const reason = await broker.died;
    assert.ok(reason.startsWith(`${second.environment.RABBITMQ_NODENAME} (pid ${second.pid}) was ended`));
    assert.match(reason, /last lines of its log:\n.+/);
    assert.ok(!reason.includes(broker.connection.password));
    await Promise.all([broker.release(), broker.release()]);
    assert.deepEqual(await leftoversAfter(base), []);
  });
});

describe('a private cluster that cannot be formed', {timeout: 1_200_000}, () => {
  /** @type {string} */
  let base;
  /** @type {string} */
  let programs;
  before(async () => {
    [base, programs] = await Promise.all([makeBase(), makeBase()]);
    // The script is looked for beside the other ones of RabbitMQ.
    for (const name of ['rabbitmq-env', 'rabbitmq-defaults'])
      await symlink(`/usr/lib/rabbitmq/bin/${name}`, join(programs, name));
  });
  after(async () => {
    for (const folder of [base, programs]) await rm(folder, {recursive: true});
  });

  /** @param {string} name @param {string} script */
  const program = (name, script) =>
    writeFile(join(programs, name), `#!/bin/sh\n${script}\nexec /usr/lib/rabbitmq/bin/${name} "$@"`, {
      mode: 0o755,
    });

  it('says which node could not be started, with the tail of its log', async () => {
    await program(
      'rabbitmq-server',
      'case $RABBITMQ_NODENAME in *-2@*) echo the reason why >&2; exit 7;; esac',
    );
    await assert.rejects(provisionCluster(base, {nodes: 2, programFolders: [programs]}), {
      code: 'PB_BROKER_UNAVAILABLE',
      message: /perf-battle-[\da-f]+-2@127\.0\.0\.1 \(pid \d+\) ended with exit code 7.*\nthe reason why$/s,
    });
    assert.deepEqual(await leftovers(base), []);
  });

  it('says which node does not see the others', async () => {
    await program('rabbitmq-server', '');
    await program('rabbitmqctl', 'case $RABBITMQ_NODENAME in *-2@*) echo too few nodes; exit 70;; esac');
    await assert.rejects(provisionCluster(base, {nodes: 2, programFolders: [programs]}), {
      code: 'PB_BROKER_UNAVAILABLE',
      message:
        /perf-battle-[\da-f]+-2@127\.0\.0\.1 did not find 2 running nodes.*exit code 70: too few nodes/s,
    });
    assert.deepEqual(await leftovers(base), []);
  });
});

describe('nothing of a private cluster is left', {timeout: 900_000}, () => {
  /** @type {string} */
  let base;
  before(async () => {
    base = await makeBase();
  });
  after(() => rm(base, {recursive: true, force: true}));

  itOutlivesNoParent(() => base, {
    nodes: 2,
    // The node that joins the first, and the check that both see each other.
    windows: [[2000, 7000]],
    // test/integration/hosts/cluster.test.js kills a battle that uses one.
    minInUse: null,
  });

  it('when the start is given up half way, by the time that is reported', async () => {
    const giveUp = new AbortController();
    const reason = new Error('given up');
    setTimeout(() => giveUp.abort(reason), 2000);
    await assert.rejects(
      provisionCluster(base, {nodes: 2, signal: giveUp.signal}),
      (error) => error === reason,
    );
    assert.deepEqual(await leftovers(base), []);
  });
});

/** @param {string} base @param {Partial<BrokerRequest<RabbitmqConnection>>} [request] */
async function provisionCluster(base, request) {
  return await provision(rabbitmq, {choice: 'auto', nodes: 3, temporaryFolder: base, ...request});
}

/** The Erlang processes of the nodes, in the order of their numbers. @param {string} base */
async function nodesOf(base) {
  const processes = await processesOf(base);
  return processes
    .filter(({command}) => /\/beam\.smp /.test(command))
    .sort((one, other) =>
      one.environment.RABBITMQ_NODENAME.localeCompare(other.environment.RABBITMQ_NODENAME),
    );
}

/** @param {Record<string, string>} environment of a node @param {...string} command */
async function control(environment, ...command) {
  const parameters = ['--quiet', '--longnames', ...command];
  const {stdout} = await run('/usr/lib/rabbitmq/bin/rabbitmqctl', parameters, {env: environment});
  return stdout;
}

/** @param {number} pid */
async function peakBytes(pid) {
  const {stdout} = await run('grep', ['VmHWM', `/proc/${pid}/status`]);
  return Number(/\d+/.exec(stdout)?.[0]) * 1024;
}

/**
 * A queue has no leader for some seconds after its nodes have started, and RabbitMQ then closes the connection of who reads.
 * @param {RabbitmqConnection} connection
 * @param {string} queue
 * @returns {Promise<string>} the first message in it
 */
async function untilRead(connection, queue) {
  for (let attempts = 1; ; attempts += 1) {
    const model = await connectBroker(connection);
    const lost = new Promise((_, reject) => model.on('error', reject));
    try {
      const channel = await model.createChannel();
      channel.on('error', () => {});
      const message = await Promise.race([channel.get(queue, {noAck: true}), lost]);
      assert.ok(message, 'the queue is empty');
      await model.close();
      return message.content.toString();
    } catch (error) {
      if (attempts === 20 || error instanceof assert.AssertionError) throw error;
      await sleep(1000);
    }
  }
}

/**
 * @param {RabbitmqConnection} connection
 * @param {(channel: ConfirmChannel) => Promise<void>} action
 */
async function withChannel(connection, action) {
  const model = await connectBroker(connection);
  try {
    await action(await model.createConfirmChannel());
  } finally {
    await model.close();
  }
}

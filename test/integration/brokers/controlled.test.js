import assert from 'node:assert/strict';
import {once} from 'node:events';
import {readFile, rm} from 'node:fs/promises';
import {connect} from 'node:net';
import {after, before, describe, it} from 'node:test';
import {setTimeout as sleep} from 'node:timers/promises';
import {nats} from '../../../src/brokers/nats/index.js';
import {closeBroker, connectBroker} from '../../../src/brokers/rabbitmq/connection.js';
import {rabbitmq} from '../../../src/brokers/rabbitmq/index.js';
import {devicesIn} from '../support/devices.js';
import {killIfRunning} from '../support/kill-if-running.js';
import {leftovers, leftoversAfter, makeBase, processesOf} from './leftovers.js';
import {provision} from './provision.js';

/**
 * @import {Broker, BrokerAction} from '../../../src/brokers/kind.js'
 * @import {RabbitmqConnection} from '../../../src/brokers/rabbitmq/url.js'
 */

const diskBytes = 512 * 1024 ** 2;
const queue = 'kept';
/** RabbitMQ writes what it knows of a new queue to its disk a moment later. */
const settleMs = 2500;

describe('a private broker under control', {timeout: 900_000}, () => {
  /** @type {string} */
  let base;
  before(async () => {
    base = await makeBase();
  });
  after(() => rm(base, {recursive: true, force: true}));

  it('is started again at the same port, on its data, after it was killed', async () => {
    const broker = await provision(rabbitmq, {temporaryFolder: base});
    try {
      await publish(broker.connection, {count: 50, persistent: true});
      await sleep(settleMs);
      await perform(broker, {type: 'kill'});
      await assert.rejects(answers(broker.connection), {code: 'ECONNREFUSED'});
      const {fromMs, atMs} = await perform(broker, {type: 'start'});
      assert.ok(atMs > fromMs);
      assert.equal(await messagesIn(broker.connection), 50);
      assert.equal(await Promise.race([broker.died, 'alive']), 'alive', 'an end on purpose is no death');
    } finally {
      await broker.release();
    }
    assert.deepEqual(await leftovers(base), []);
  });

  it('stops and goes on, and dies of a kill that was not asked for', async () => {
    const broker = await provision(nats, {temporaryFolder: base});
    try {
      for (const type of /** @type {const} */ (['pause', 'resume', 'stop', 'start']))
        await perform(broker, {type});
      await answers(broker.connection);
      const [{pid}] = (await processesOf(base)).filter(({command}) => command.includes('nats-server'));
      killIfRunning(pid);
      assert.match(await broker.died, /was ended by SIGKILL/);
      await assert.rejects(perform(broker, {type: 'pause'}), {code: 'PB_BROKER_UNAVAILABLE'});
    } finally {
      await broker.release();
    }
    assert.deepEqual(await leftovers(base), []);
  });

  it('keeps running when it is to be started although no node has ended', async () => {
    const broker = await provision(nats, {temporaryFolder: base});
    try {
      const ofBroker = async () =>
        (await processesOf(base)).filter(({command}) => command.includes('nats-server')).map(({pid}) => pid);
      const before = await ofBroker();
      await perform(broker, {type: 'start'});
      assert.deepEqual(await ofBroker(), before);
      await answers(broker.connection);
      // A kill is still noticed, and a later start brings the node back.
      await perform(broker, {type: 'kill'});
      await perform(broker, {type: 'start'});
      assert.notDeepEqual(await ofBroker(), before);
      await answers(broker.connection);
    } finally {
      await broker.release();
    }
    assert.deepEqual(await leftovers(base), []);
  });

  it('has on a copy of its disk what a power cut leaves: what it has flushed, and not what is in memory', async () => {
    const broker = await provision(rabbitmq, {temporaryFolder: base, diskBytes});
    try {
      await publish(broker.connection, {count: 40, persistent: true});
      await publish(broker.connection, {count: 60, persistent: false});
      // Its own records of the queue are written later; without them it does not start.
      await sleep(settleMs);
      await perform(broker, {type: 'sync'});
      await publish(broker.connection, {count: 5, persistent: true});
      const {written} = await perform(broker, {type: 'written'});
      assert.ok(Number(written?.dirtiedBytes) > 40 * 1024, `${written?.dirtiedBytes} bytes`);
      assert.ok(Number(written?.flushes) > 0, 'it has flushed');
      await perform(broker, {type: 'pause'});
      const {copy = 0} = await perform(broker, {type: 'copy'});
      await perform(broker, {type: 'resume'});
      await publish(broker.connection, {count: 10, persistent: true});
      assert.equal(await messagesIn(broker.connection), 115);
      await perform(broker, {type: 'kill'});
      await perform(broker, {type: 'use', copy});
      await perform(broker, {type: 'start'});
      assert.equal(await messagesIn(broker.connection), 45);
      for (const type of /** @type {const} */ (['kill', 'kill', 'restore', 'start']))
        await perform(broker, {type});
      assert.equal(await messagesIn(broker.connection), 55, 'its own disk has all that was persistent');
    } finally {
      await broker.release();
    }
    assert.deepEqual([...(await leftovers(base)), ...(await devicesIn(base))], []);
  });

  it('leaves no mount and no device when it and its supervisor are killed', async () => {
    const broker = await provision(nats, {temporaryFolder: base, diskBytes: 64 * 1024 ** 2});
    assert.equal((await devicesIn(base)).length, 1);
    const [supervisor] = (await processesOf(base)).filter(({command}) => command.includes('supervisor.js'));
    // Its environment does not name the folder: it is found by its children.
    const pid = supervisor?.pid ?? (await parentOf((await processesOf(base))[0].pid));
    killIfRunning(pid);
    await broker.died;
    await broker.release();
    assert.deepEqual(await leftoversAfter(base), []);
    // The kernel frees a device some time after the last process that used it.
    for (let tries = 0; tries < 100 && (await devicesIn(base)).length > 0; tries += 1) await sleep(100);
    assert.deepEqual(await devicesIn(base), []);
  });
});

/** @param {Broker<any>} broker @param {BrokerAction} action */
async function perform(broker, action) {
  assert.ok(broker.perform);
  return await broker.perform(action);
}

/** @param {{hostname: string, port: number}} connection */
async function answers({hostname, port}) {
  const socket = connect(port, hostname);
  await once(socket, 'connect');
  socket.destroy();
}

/** @param {RabbitmqConnection} connection @param {{count: number, persistent: boolean}} messages */
async function publish(connection, {count, persistent}) {
  const model = await connectBroker(connection);
  try {
    const channel = await model.createConfirmChannel();
    await channel.assertQueue(queue, {durable: true});
    for (let at = 0; at < count; at += 1) channel.sendToQueue(queue, Buffer.alloc(2048, at), {persistent});
    await channel.waitForConfirms();
  } finally {
    await closeBroker(model);
  }
}

/** @param {RabbitmqConnection} connection */
async function messagesIn(connection) {
  const model = await connectBroker(connection);
  try {
    const channel = await model.createChannel();
    return (await channel.checkQueue(queue)).messageCount;
  } finally {
    await closeBroker(model);
  }
}

/** @param {number} pid */
async function parentOf(pid) {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8');
  return Number(text.split(') ')[1].split(' ')[1]);
}

import assert from 'node:assert/strict';
import {EventEmitter} from 'node:events';
import {test} from 'node:test';
import amqp1 from '../../src/transports/amqp1/index.js';
import {LinkPublisher, Outgoing} from '../../src/transports/amqp1/outgoing.js';
import {addressesOf} from '../../src/transports/amqp1/over-rabbitmq.js';

test('addresses are those of version 2 from RabbitMQ 4 on, and of version 1 before', () => {
  for (const [version, queue, exchange, keyed] of [
    ['3.10.8', '/amq/queue/a%2Fb%25', '/exchange/e', '/exchange/e/k'],
    ['3.13.7', '/amq/queue/a%2Fb%25', '/exchange/e', '/exchange/e/k'],
    ['4.0.1', '/queues/a%2Fb%25', '/exchanges/e', '/exchanges/e/k'],
    ['10.0.0', '/queues/a%2Fb%25', '/exchanges/e', '/exchanges/e/k'],
    ['undefined', '/amq/queue/a%2Fb%25', '/exchange/e', '/exchange/e/k'],
  ]) {
    const addresses = addressesOf(version);
    assert.equal(addresses.queue('a/b%'), queue, version);
    assert.equal(addresses.exchange('e'), exchange, version);
    assert.equal(addresses.exchange('e', 'k'), keyed, version);
    const {target, to} = addresses.byKey('e');
    assert.deepEqual(
      [target, to('k')],
      target === undefined ? [undefined, {to: keyed}] : [exchange, {subject: 'k'}],
    );
    assert.equal(target === undefined, exchange.startsWith('/exchanges'), version);
  }
});

/** A link that takes as many messages as it has credit for, and keeps them. @param {number} credit */
function linkWith(credit) {
  /** @type {{message: any, delivery: any}[]} */
  const sent = [];
  const link = Object.assign(new EventEmitter(), {
    credit,
    sendable: () => link.credit > 0,
    send(/** @type {any} */ message) {
      link.credit -= 1;
      const delivery = {remote_state: null};
      sent.push({message, delivery});
      return delivery;
    },
  });
  const socket = Object.assign(new EventEmitter(), {writableNeedDrain: false});
  return {link, sent, opened: /** @type {any} */ ({socket, closed: new Promise(() => {})})};
}

test('messages wait for credit in their order, and each gets its own outcome', () => {
  const {link, sent, opened} = linkWith(1);
  const outgoing = new Outgoing(opened, /** @type {any} */ (link), {isSettled: false, isDurable: true});
  /** @type {(string | null)[]} */
  const outcomes = [];
  for (const text of ['a', 'b', 'c'])
    outgoing.send(Buffer.from(text), {}, (error) => outcomes.push(error?.code ?? null));
  assert.deepEqual([sent.length, outgoing.hasRoom], [1, false]);
  link.credit = 5;
  link.emit('sendable');
  assert.equal(sent.map(({message}) => String(message.body.content)).join(''), 'abc');
  assert.ok(sent.every(({message}) => message.durable));
  assert.ok(outgoing.hasRoom);
  link.emit('released', {delivery: sent[1].delivery});
  link.emit('accepted', {delivery: sent[0].delivery});
  sent[2].delivery.remote_state = {error: {condition: 'amqp:not-allowed'}};
  link.emit('rejected', {delivery: sent[2].delivery});
  assert.deepEqual(outcomes, ['PB_RETURNED', null, 'PB_NACK']);
});

test('a window bounds messages that are not settled, and a refusal fails the publisher', async () => {
  const {link, sent, opened} = linkWith(100);
  const outgoing = new Outgoing(opened, /** @type {any} */ (link), {isSettled: false, isDurable: false});
  const publisher = new LinkPublisher(opened, outgoing, {window: 2});
  assert.equal(publisher.publish(Buffer.from('a')), true);
  assert.equal(publisher.publish(Buffer.from('b')), false);
  link.emit('accepted', {delivery: sent[0].delivery});
  await publisher.drained();
  link.emit('released', {delivery: sent[1].delivery});
  await assert.rejects(publisher.flushed(), {code: 'PB_RETURNED'});
});

test('all flushes of a settled publisher send their mark over one link', async () => {
  const [{link, opened}, marking] = [linkWith(100), linkWith(100)];
  /** @type {unknown[]} */
  const targets = [];
  const openSender = async (/** @type {unknown} */ target) => {
    targets.push(target);
    return marking.link;
  };
  Object.assign(opened, {topology: {marks: 'marks'}, openSender});
  const outgoing = new Outgoing(opened, /** @type {any} */ (link), {isSettled: true, isDurable: false});
  const publisher = new LinkPublisher(opened, outgoing, {window: 1});
  for (const count of [1, 2]) {
    const flushed = publisher.flushed();
    while (marking.sent.length < count) await Promise.resolve();
    marking.link.emit('accepted', {delivery: marking.sent[count - 1].delivery});
    assert.deepEqual(await flushed, {confirmed: null});
  }
  assert.deepEqual(targets, ['marks']);
});

test('a full socket holds settled messages back', async () => {
  const {link, opened} = linkWith(100);
  const outgoing = new Outgoing(opened, /** @type {any} */ (link), {isSettled: true, isDurable: false});
  const publisher = new LinkPublisher(opened, outgoing, {window: 1});
  assert.equal(publisher.publish(Buffer.from('a')), true);
  opened.socket.writableNeedDrain = true;
  assert.equal(publisher.publish(Buffer.from('b')), false);
  const drained = publisher.drained();
  opened.socket.writableNeedDrain = false;
  opened.socket.emit('drain');
  await drained;
});

test('quorum queues refuse transient messages, and subscribers have no queue type', () => {
  const {refuse, ignores} = amqp1;
  const refused = (/** @type {object} */ variant) => refuse(/** @type {any} */ (variant));
  assert.match(String(refused({deliveryMode: 1, queueType: 'quorum'})), /not supported by quorum queues/);
  assert.equal(refused({deliveryMode: 2, queueType: 'quorum'}), null);
  assert.deepEqual(ignores(/** @type {any} */ ({subscribers: 3})), [
    'deliveryMode',
    'queueType',
    'amqp1Settled',
    'artemisJournal',
  ]);
  assert.deepEqual(ignores(/** @type {any} */ ({})), ['artemisJournal']);
});

test('the settings name the kind of broker, and what is only of the other has no effect', () => {
  const {brokersOf, brokerSettings, ignores, refuse, complete} = amqp1;
  const over = (/** @type {object} */ variant) => /** @type {any} */ (variant);
  assert.deepEqual(brokersOf(over({})), ['rabbitmq']);
  assert.deepEqual(brokersOf(over({amqp1Broker: ['rabbitmq', 'artemis']})), ['rabbitmq', 'artemis']);
  const artemis = over({amqp1Broker: 'artemis', deliveryMode: 1, queueType: 'quorum', brokerNodes: 3});
  assert.deepEqual(brokersOf(artemis), ['artemis']);
  assert.deepEqual(ignores(artemis), ['queueType', 'rabbitmqHome']);
  assert.equal(refuse(artemis), null);
  assert.ok(!('brokerNodes' in complete(artemis)));
  assert.equal(complete(over({brokerNodes: 3})).brokerNodes, 3);
  // With none, a broker that a person names is taken, too.
  assert.deepEqual(brokerSettings(artemis), {});
  assert.deepEqual(brokerSettings({...artemis, artemisJournal: 'asyncio'}), {journal: 'asyncio'});
  assert.deepEqual(brokerSettings(over({artemisJournal: 'asyncio'})), {plugin: 'rabbitmq_amqp1_0'});
});

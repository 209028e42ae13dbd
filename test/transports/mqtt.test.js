import assert from 'node:assert/strict';
import {EventEmitter} from 'node:events';
import {test} from 'node:test';
import {setImmediate as turn} from 'node:timers/promises';
import {topicsOn} from '../../src/transports/mqtt/broker.js';
import {Calls} from '../../src/transports/mqtt/client.js';
import mqtt from '../../src/transports/mqtt/index.js';
import {Outgoing, refusalOf, TopicPublisher} from '../../src/transports/mqtt/outgoing.js';
import {promised} from '../../src/transports/pending-replies.js';

const unset = {
  mqttQos: /** @type {const} */ (1),
  mqttPersistence: null,
  mqttBroker: null,
  rabbitmqHome: null,
};

/** A broker that acknowledges only when it is told to. @param {{qos: 0 | 1 | 2, receiveMaximum?: number}} settings */
function scriptedBroker({qos, receiveMaximum}) {
  /** @type {{topic: string, text: string, properties: any, acknowledge: (reasonCode?: number) => void}[]} */
  const sent = [];
  const client = Object.assign(new EventEmitter(), {
    publish: (
      /** @type {string} */ topic,
      /** @type {Buffer} */ payload,
      /** @type {any} */ {properties},
      /** @type {any} */ callback,
    ) =>
      void sent.push({
        ...{topic, text: String(payload), properties},
        acknowledge: (reasonCode = 0) => callback(null, {reasonCode}),
      }),
  });
  const socket = Object.assign(new EventEmitter(), {writableNeedDrain: false});
  /** @type {(error: Error) => void} */
  let lose = () => {};
  /** @type {Promise<void>} */
  const closed = new Promise((_, reject) => {
    lose = reject;
  });
  const greeting = {properties: receiveMaximum === undefined ? {} : {receiveMaximum}};
  const opened = /** @type {any} */ ({client, socket, greeting, closed});
  const outgoing = new Outgoing(opened, {...unset, mqttQos: qos});
  const answer = (/** @type {any} */ {properties}, /** @type {string} */ text) =>
    client.emit('message', properties.responseTopic, Buffer.from(text), {properties});
  return {outgoing, client, socket, sent, closed, lose, answer};
}

/** @param {Promise<unknown>} promise */
async function isSettled(promise) {
  await turn();
  return await Promise.race([promise.then(() => true), turn(false)]);
}

/** @param {0 | 1 | 2} qos */
function scriptedCalls(qos) {
  const broker = scriptedBroker({qos});
  const strays = {count: 0};
  const onStray = () => {
    strays.count += 1;
  };
  const correlation = {ofRequest: () => 0, ofReply: () => 0, onStray};
  const calls = new Calls(broker.outgoing, {topic: 'requests', replies: 'replies', correlation});
  calls.listen(/** @type {any} */ (broker.client));
  const request = promised((payload, waiting) => calls.ask(payload, waiting));
  return {...broker, calls, request, strays};
}

for (const first of ['acknowledgement', 'reply'])
  test(`with QoS 1, a round trip ends when the reply and the acknowledgement are in, the ${first} first`, async () => {
    const {request, sent, answer} = scriptedCalls(1);
    const reply = request(Buffer.from('a'));
    const steps = [() => sent[0].acknowledge(), () => answer(sent[0], 'A')];
    const [one, other] = first === 'reply' ? steps.toReversed() : steps;
    one();
    assert.equal(await isSettled(reply), false);
    other();
    assert.equal(String(await reply), 'A');
  });

test('with QoS 0, replies find their requests, and others are strays', async () => {
  const {request, sent, answer, client, strays} = scriptedCalls(0);
  const replies = ['a', 'b', 'c'].map((text) => request(Buffer.from(text)));
  for (const one of sent.toReversed()) answer(one, one.text.toUpperCase());
  assert.deepEqual((await Promise.all(replies)).map(String), ['A', 'B', 'C']);
  answer(sent[0], 'again');
  client.emit('message', 'replies', Buffer.from('x'), {properties: {correlationData: Buffer.from('other')}});
  client.emit('message', 'replies', Buffer.from('x'), {});
  assert.equal(strays.count, 3);
});

test('the parts of a reply are handed over until an empty one', async () => {
  const {request, sent, answer} = scriptedCalls(0);
  /** @type {string[]} */
  const parts = [];
  const reply = request(Buffer.from('a'), {onChunk: (chunk) => void parts.push(String(chunk))});
  for (const text of ['one', 'two', '']) answer(sent[0], text);
  assert.equal((await reply).length, 0);
  assert.deepEqual(parts, ['one', 'two']);
});

test('a request to which nobody subscribes fails at once', async () => {
  const {request, sent} = scriptedCalls(1);
  const reply = request(Buffer.from('a'));
  sent[0].acknowledge(16);
  await assert.rejects(reply, {code: 'PB_RETURNED'});
});

test('all requests fail when the connection is lost, those to come included', async () => {
  const {calls, request} = scriptedCalls(1);
  const waiting = request(Buffer.from('a'));
  calls.fail(new Error('gone'));
  await assert.rejects(waiting, /gone/);
  await assert.rejects(request(Buffer.from('b')), /gone/);
});

test('no more messages are sent than the broker takes before an acknowledgement; the others follow in their order', () => {
  const {outgoing, sent} = scriptedBroker({qos: 2, receiveMaximum: 2});
  for (const text of ['a', 'b', 'c', 'd']) outgoing.publish('topic', Buffer.from(text), undefined, () => {});
  const texts = () => sent.map(({text}) => text).join('');
  assert.equal(texts(), 'ab');
  sent[1].acknowledge();
  assert.equal(texts(), 'abc');
  sent[0].acknowledge();
  assert.equal(texts(), 'abcd');
});

/** @param {0 | 1 | 2} qos @param {number} window */
function scriptedPublisher(qos, window) {
  const broker = scriptedBroker({qos});
  const {outgoing, closed} = broker;
  return {...broker, publisher: new TopicPublisher(outgoing, {topic: 't', marks: 'm', window, closed})};
}

test('with QoS 1, a publisher waits when its window is full, and counts what was confirmed', async () => {
  const {publisher, sent} = scriptedPublisher(1, 2);
  assert.deepEqual([publisher.publish(Buffer.from('a')), publisher.publish(Buffer.from('b'))], [true, false]);
  const drained = publisher.drained();
  assert.equal(await isSettled(drained), false);
  sent[0].acknowledge();
  assert.equal(await isSettled(drained), true);
  sent[1].acknowledge();
  assert.deepEqual(await publisher.flushed(), {confirmed: 2});
});

test('with QoS 0, a publisher waits for its socket', async () => {
  const {publisher, socket} = scriptedPublisher(0, 1);
  assert.equal(publisher.publish(Buffer.from('a')), true);
  socket.writableNeedDrain = true;
  assert.equal(publisher.publish(Buffer.from('b')), false);
  const drained = publisher.drained();
  assert.equal(await isSettled(drained), false);
  socket.writableNeedDrain = false;
  socket.emit('drain');
  assert.equal(await isSettled(drained), true);
});

test('a message that the broker refuses fails a publisher, unless its outcome was asked for', async () => {
  const {publisher, sent} = scriptedPublisher(1, 9);
  /** @type {string[]} */
  const outcomes = [];
  const outcome = {
    confirmed: () => void outcomes.push('confirmed'),
    refused: () => void outcomes.push('refused'),
  };
  for (const text of ['a', 'b']) publisher.publish(Buffer.from(text), outcome);
  sent[0].acknowledge();
  sent[1].acknowledge(16);
  assert.deepEqual(outcomes, ['confirmed', 'refused']);
  assert.deepEqual(await publisher.flushed(), {confirmed: 1});
  publisher.publish(Buffer.from('c'));
  sent[2].acknowledge(151);
  await assert.rejects(publisher.flushed(), {code: 'PB_NACK'});
});

test('a publisher fails with its connection', async () => {
  const {publisher, lose} = scriptedPublisher(1, 1);
  publisher.publish(Buffer.from('a'));
  const drained = publisher.drained();
  lose(new Error('gone'));
  await assert.rejects(drained, /gone/);
});

test('an acknowledgement below 128 is none of a refusal, unless nobody subscribes', () => {
  const refusal = (/** @type {number} */ reasonCode) =>
    refusalOf(null, /** @type {any} */ ({reasonCode}))?.code ?? null;
  assert.deepEqual([0, 16, 128, 151].map(refusal), [null, 'PB_RETURNED', 'PB_NACK', 'PB_NACK']);
  assert.equal(refusalOf(null, undefined), null);
});

test('QoS 0 is refused for a queue, and a private broker is asked for what it keeps', () => {
  assert.match(String(mqtt.refuse({...unset, mqttQos: 0}, ['store'])), /^--mqtt-qos 0 stores nothing/);
  assert.equal(mqtt.refuse({...unset, mqttQos: 0}, ['request']), null);
  assert.equal(mqtt.refuse({...unset, mqttQos: 1}, ['store']), null);
  assert.deepEqual(mqtt.brokerSettings(unset), {});
  assert.deepEqual(mqtt.brokerSettings({...unset, mqttPersistence: 'changes'}), {persistence: 'changes'});
});

test('over RabbitMQ, what it does not support is refused by name', () => {
  const over = {...unset, mqttBroker: /** @type {const} */ ('rabbitmq')};
  assert.match(String(mqtt.refuse({...over, mqttQos: 2}, [])), /^--mqtt-qos 2 is not supported by RabbitMQ/);
  assert.equal(mqtt.refuse({...unset, mqttQos: 2}, []), null);
  for (const [rabbitmqHome, isRefused] of /** @type {[string | null, boolean][]} */ ([
    ['3.10', true],
    ['3.12.9', true],
    ['3.13', false],
    ['3', false],
    ['4', false],
    ['installed', false],
    [null, false],
  ]))
    assert.equal(
      /MQTT 5/.test(String(mqtt.refuse({...over, rabbitmqHome}, []))),
      isRefused,
      String(rabbitmqHome),
    );
  assert.equal(mqtt.maxServers(over), 1);
  assert.equal(mqtt.maxServers(unset), Number.POSITIVE_INFINITY);
});

test('a variant has its kind of broker only where it is named, and what that needs', () => {
  const {complete, brokersOf, brokerSettings, ignores} = mqtt;
  assert.deepEqual(complete(unset), {mqttQos: 1, mqttPersistence: null});
  assert.deepEqual(complete({...unset, mqttBroker: 'mosquitto', brokerNodes: 3}), {
    ...{mqttQos: 1, mqttPersistence: null, mqttBroker: 'mosquitto'},
  });
  const over = {...unset, mqttBroker: /** @type {const} */ ('rabbitmq'), rabbitmqHome: '4', brokerNodes: 3};
  assert.deepEqual(complete(over), {
    ...{mqttQos: 1, mqttPersistence: null, rabbitmqHome: '4', mqttBroker: 'rabbitmq', brokerNodes: 3},
  });
  assert.deepEqual(brokerSettings(over), {plugin: 'rabbitmq_mqtt', home: '4'});
  assert.deepEqual([ignores(over), ignores(unset)], [['mqttPersistence', 'exchange'], ['rabbitmqHome']]);
  assert.deepEqual([brokersOf({}), brokersOf({mqttBroker: null})], [['mosquitto'], ['mosquitto']]);
  assert.deepEqual(brokersOf({mqttBroker: ['rabbitmq', 'mosquitto']}), ['rabbitmq', 'mosquitto']);
  assert.deepEqual(brokersOf(over), ['rabbitmq']);
});

test('topics over RabbitMQ begin with the name of its queues, and no subscription is shared', () => {
  const broker = /** @type {any} */ ({vhost: '/'});
  const topics = topicsOn({broker, topic: 't', queue: 'my.queue/+#'});
  assert.deepEqual(
    [topics.requests, topics.sharedRequests],
    ['my_queue___/requests', 'my_queue___/requests'],
  );
  const shared = topicsOn({broker: /** @type {any} */ ({}), topic: 't', pair: 'p'});
  assert.deepEqual([shared.sharedRequests, shared.broadcast], ['$share/servers/t/requests', 't/broadcast/p']);
});

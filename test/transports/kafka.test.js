import assert from 'node:assert/strict';
import {describe, test} from 'node:test';
import {setImmediate as turn} from 'node:timers/promises';
import {answerOf, whenCoordinated} from '../../src/brokers/kafka/guard.js';
import {Calls} from '../../src/transports/kafka/client.js';
import kafka from '../../src/transports/kafka/index.js';
import {Reader} from '../../src/transports/kafka/reader.js';
import {PartitionPublisher, Sender} from '../../src/transports/kafka/sender.js';
import {
  declareTopic,
  maxPayloadBytes,
  noHeaders,
  purgeRead,
  readRequest,
  refusalOf,
  replyHeaders,
  requestHeaders,
} from '../../src/transports/kafka/topic.js';
import {promised} from '../../src/transports/pending-replies.js';

/** As the library wraps what a broker answers. @param {string} apiId */
function answered(apiId) {
  const inner = Object.assign(new Error(`It is ${apiId}.`), {apiId});
  return new AggregateError([new AggregateError([inner], 'a response with error')], 'failed');
}

/** A producer that keeps its requests until they are answered. */
function scriptedProducer() {
  /** @type {{texts: string[], acks: number, headers: Map<Buffer, Buffer>, answer: (error: Error | null) => void}[]} */
  const requests = [];
  const producer = {
    send: (/** @type {any} */ {messages, acks}, /** @type {(error: Error | null) => void} */ answer) =>
      void requests.push({
        texts: messages.map((/** @type {any} */ {value}) => String(value)),
        acks,
        headers: messages[0].headers,
        answer,
      }),
  };
  return {producer: /** @type {any} */ (producer), requests};
}

/** @param {string | Buffer} value */
const messageOf = (value) => ({topic: 't', partition: 0, value: Buffer.from(value), headers: noHeaders});
const nothing = () => {};

describe('a sender', () => {
  test('sends what comes in one turn together, and what waits for one of five requests', async () => {
    const {producer, requests} = scriptedProducer();
    const sender = new Sender(producer, {kafkaAcks: 'all', kafkaLinger: 0});
    sender.post(messageOf('a'), nothing);
    sender.post(messageOf('b'), nothing);
    await turn();
    for (const text of ['1', '2', '3', '4', '5', '6']) {
      sender.post(messageOf(text), nothing);
      await turn();
    }
    assert.deepEqual(
      requests.map(({texts}) => texts.join('')),
      ['ab', '1', '2', '3', '4'],
    );
    requests[0].answer(null);
    await turn();
    assert.deepEqual(requests.at(-1)?.texts, ['5', '6']);
    assert.deepEqual([...new Set(requests.map(({acks}) => acks))], [-1]);
  });

  test('makes no request of more than 1 MiB out of several messages, and sends a larger message alone', async () => {
    const {producer, requests} = scriptedProducer();
    const sender = new Sender(producer, {kafkaAcks: '1', kafkaLinger: 0});
    for (const kibibytes of [600, 400, 100, 2000, 1])
      sender.post(messageOf(Buffer.alloc(kibibytes * 1024)), nothing);
    await turn();
    assert.deepEqual(
      requests.map(({texts}) => texts.map(({length}) => length / 1024)),
      [[600, 400], [100], [2000], [1]],
    );
    assert.equal(requests[0].acks, 1);
  });

  test('tells each message of a request what became of it', async () => {
    const {producer, requests} = scriptedProducer();
    const sender = new Sender(producer, {kafkaAcks: 'all', kafkaLinger: 0});
    /** @type {(string | undefined)[]} */
    const outcomes = [];
    for (const text of ['a', 'b']) sender.post(messageOf(text), (error) => outcomes.push(error?.message));
    await turn();
    requests[0].answer(new Error('lost'));
    assert.deepEqual(outcomes, ['lost', 'lost']);
  });

  test('waits for others with a linger', async (t) => {
    t.mock.timers.enable({apis: ['setTimeout']});
    const {producer, requests} = scriptedProducer();
    const sender = new Sender(producer, {kafkaAcks: '0', kafkaLinger: 5});
    sender.post(messageOf('a'), nothing);
    await turn();
    sender.post(messageOf('b'), nothing);
    t.mock.timers.tick(4);
    assert.equal(requests.length, 0);
    t.mock.timers.tick(1);
    assert.deepEqual(
      requests.map(({texts}) => texts),
      [['a', 'b']],
    );
    assert.equal(requests[0].acks, 0);
  });

  test('waits for others also while other requests are answered', async (t) => {
    t.mock.timers.enable({apis: ['setTimeout']});
    const {producer, requests} = scriptedProducer();
    const sender = new Sender(producer, {kafkaAcks: 'all', kafkaLinger: 5});
    sender.post(messageOf('a'), nothing);
    t.mock.timers.tick(5);
    sender.post(messageOf('b'), nothing);
    requests[0].answer(null);
    await turn();
    assert.equal(requests.length, 1, 'b has not lingered');
    t.mock.timers.tick(5);
    assert.deepEqual(
      requests.map(({texts}) => texts),
      [['a'], ['b']],
    );
  });

  test('sends to the other topics what was refused because one is gone', async () => {
    const {producer, requests} = scriptedProducer();
    const sender = new Sender(producer, {kafkaAcks: 'all', kafkaLinger: 0});
    /** @type {string[]} */
    const outcomes = [];
    for (const topic of ['gone', 'there', 'gone'])
      sender.post({...messageOf(topic), topic}, (error) =>
        outcomes.push(`${topic} ${error?.message ?? 'sent'}`),
      );
    await turn();
    requests[0].answer(new Error('Unknown topic gone.'));
    assert.deepEqual(
      requests.slice(1).map(({texts}) => texts),
      [['gone', 'gone'], ['there']],
    );
    requests[1].answer(new Error('Unknown topic gone.'));
    requests[2].answer(null);
    assert.deepEqual(outcomes, ['gone Unknown topic gone.', 'gone Unknown topic gone.', 'there sent']);
  });
});

/** A sender whose messages are settled by hand. */
function scriptedSender() {
  /** @type {{value: Buffer, headers: Map<Buffer, Buffer>, settle: (error: Error | null) => void}[]} */
  const posted = [];
  const sender = {
    post: (/** @type {any} */ {value, headers}, /** @type {(error: Error | null) => void} */ settle) =>
      void posted.push({value, headers, settle}),
  };
  return {sender: /** @type {any} */ (sender), posted};
}

const to = {topic: 't', partition: 0};
const never = new Promise(nothing);

describe('a publisher', () => {
  /** @param {number} window */
  function made(window, isConfirmed = true) {
    const {sender, posted} = scriptedSender();
    return {publisher: new PartitionPublisher(sender, to, {window, isConfirmed, closed: never}), posted};
  }

  test('keeps a copy of what it was given: a workload writes the next message into the same buffer', () => {
    const {publisher, posted} = made(2);
    const payload = Buffer.from('one');
    publisher.publish(payload);
    payload.write('two');
    assert.equal(String(posted[0].value), 'one');
  });

  test('has no more than its window unconfirmed, and counts what was confirmed', async () => {
    const {publisher, posted} = made(2);
    assert.equal(publisher.publish(Buffer.from('a')), true);
    assert.equal(publisher.publish(Buffer.from('b')), false);
    const drained = publisher.drained();
    posted[0].settle(null);
    await drained;
    posted[1].settle(null);
    assert.deepEqual(await publisher.flushed(), {confirmed: 2});
  });

  test('holds back large messages before their number fills the window', () => {
    const {publisher} = made(1000);
    assert.equal(publisher.publish(Buffer.alloc(31 * 1024 ** 2)), true);
    assert.equal(publisher.publish(Buffer.alloc(1024 ** 2)), false);
  });

  test('confirms nothing with acks=0', async () => {
    const {publisher, posted} = made(1, false);
    assert.equal(publisher.publish(Buffer.from('a')), true);
    posted[0].settle(null);
    assert.deepEqual(await publisher.flushed(), {confirmed: null});
  });

  test('fails by a message that the broker refused, unless its outcome is asked for', async () => {
    const {publisher, posted} = made(2);
    /** @type {string[]} */
    const outcomes = [];
    const outcome = {confirmed: () => outcomes.push('confirmed'), refused: () => outcomes.push('refused')};
    publisher.publish(Buffer.from('a'), outcome);
    publisher.publish(Buffer.from('b'), outcome);
    posted[0].settle(answered('MESSAGE_TOO_LARGE'));
    posted[1].settle(null);
    assert.deepEqual(outcomes, ['refused', 'confirmed']);
    publisher.publish(Buffer.from('c'));
    posted[2].settle(answered('MESSAGE_TOO_LARGE'));
    await assert.rejects(publisher.flushed(), {
      code: 'PB_NACK',
      message: /MESSAGE_TOO_LARGE.*message\.max\.bytes/,
    });
  });
});

describe('calls', () => {
  /** @param {boolean} isConfirmed */
  function made(isConfirmed) {
    const {sender, posted} = scriptedSender();
    const strays = {count: 0};
    const onStray = () => {
      strays.count += 1;
    };
    const correlation = {ofRequest: () => 0, ofReply: () => 0, onStray};
    const calls = new Calls(sender, to, {replyTo: 'replies', isConfirmed, correlation});
    const request = promised((payload, waiting) => calls.ask(payload, waiting));
    const reply = (/** @type {number} */ number, /** @type {string} */ text) => {
      const asked = readRequest(posted[number].headers);
      assert.equal(asked?.replyTopic, 'replies');
      calls.takeRecord({headers: [...replyHeaders(asked.number)], value: Buffer.from(text)});
    };
    return {calls, posted, request, reply, strays};
  }

  test('end when both the reply and the acknowledgement are in', async () => {
    const {posted, request, reply} = made(true);
    let isDone = false;
    const first = request(Buffer.from('a')).then((value) => {
      isDone = true;
      return value;
    });
    reply(0, 'A');
    await turn();
    assert.equal(isDone, false);
    posted[0].settle(null);
    assert.equal(String(await first), 'A');
  });

  test('end with the reply with acks=0, each with its own', async () => {
    const {request, reply} = made(false);
    const both = [request(Buffer.from('a')), request(Buffer.from('b'))];
    reply(1, 'B');
    reply(0, 'A');
    assert.deepEqual((await Promise.all(both)).map(String), ['A', 'B']);
  });

  test('count a second reply as a stray', async () => {
    const {request, reply, strays} = made(false);
    const one = request(Buffer.from('a'));
    reply(0, 'A');
    await one;
    reply(0, 'A');
    assert.equal(strays.count, 1);
  });

  test('fail by name when the topic is gone, the message is too large, or the connection is lost', async () => {
    const {calls, posted, request} = made(true);
    const gone = request(Buffer.from('a'));
    posted[0].settle(new Error('Unknown topic perf-battle-requests.'));
    await assert.rejects(gone, {code: 'PB_RETURNED'});
    await assert.rejects(request(Buffer.alloc(maxPayloadBytes + 1)), {code: 'PB_NACK'});
    const waiting = request(Buffer.from('b'));
    calls.fail(new Error('lost'));
    await assert.rejects(waiting, {message: 'lost'});
    await assert.rejects(request(Buffer.from('c')), {message: 'lost'});
  });
});

describe('a reader', () => {
  /** @param {bigint} from */
  function made(from) {
    /** @type {{offset: bigint, answer: (error: Error | null, response?: any) => void}[]} */
    const fetches = [];
    const consumer = {
      fetch: (/** @type {any} */ {topics}, /** @type {any} */ answer) =>
        void fetches.push({offset: topics[0].partitions[0].fetchOffset, answer}),
    };
    /** @type {string[]} */
    const read = [];
    /** @type {string[]} */
    const errors = [];
    const reader = new Reader(
      /** @type {any} */ (consumer),
      {name: 't', id: 'id', leaders: [1]},
      {
        from,
        onRecord: ({value}) => read.push(String(value)),
        onError: ({message}) => errors.push(message),
      },
    );
    return {reader, fetches, read, errors};
  }

  /** @param {bigint} firstOffset @param {string[]} texts */
  function batchOf(firstOffset, ...texts) {
    const records = texts.map((text, offsetDelta) => ({offsetDelta, value: Buffer.from(text), headers: []}));
    return {
      responses: [{partitions: [{records: [{firstOffset, lastOffsetDelta: texts.length - 1, records}]}]}],
    };
  }

  test('asks for more before it hands on what came, and leaves out what is before its position', () => {
    const {reader, fetches, read} = made(1n);
    reader.begin();
    fetches[0].answer(null, batchOf(0n, 'a', 'b', 'c'));
    assert.deepEqual(read, ['b', 'c']);
    assert.deepEqual(
      fetches.map(({offset}) => offset),
      [1n, 3n],
    );
    fetches[1].answer(null, {responses: []});
    assert.deepEqual(fetches.at(-1)?.offset, 3n);
  });

  test('asks for nothing while it is at rest, and hands on what still comes', () => {
    const {reader, fetches, read} = made(0n);
    reader.begin();
    reader.end();
    fetches[0].answer(null, batchOf(0n, 'a'));
    assert.deepEqual([read, fetches.length], [['a'], 1]);
    reader.begin();
    reader.begin();
    assert.deepEqual(
      fetches.map(({offset}) => offset),
      [0n, 1n],
    );
  });

  test('reports an error, and asks no more', () => {
    const {reader, fetches, errors} = made(0n);
    reader.begin();
    fetches[0].answer(new Error('closed'));
    assert.deepEqual([errors, fetches.length], [['closed'], 1]);
  });
});

describe('a topic', () => {
  /** @param {{created?: string, error?: Error, found: string[]}} broker found: the ids that it knows, one after the other */
  function adminOf({created = 'new', error, found}) {
    /** @type {any[]} */
    const asked = [];
    const admin = {
      createTopics: async (/** @type {any} */ what) => {
        asked.push(what);
        if (error) throw error;
        return [{id: created}];
      },
      metadata: async () => ({topics: new Map([['t', {id: found.shift(), partitions: [{leader: 1}]}]])}),
      listOffsets: async () => [{partitions: [{offset: 0n}]}],
    };
    return {admin: /** @type {any} */ (admin), asked};
  }

  test('is waited for while the broker still knows a deleted one of its name', async () => {
    const {admin} = adminOf({found: ['old', 'old', 'new']});
    const topic = await declareTopic(admin, {name: 't'}, {kafkaFlush: 'system'});
    assert.deepEqual(topic, {name: 't', id: 'new', leaders: [1]});
  });

  test('may be there, and is refused by what the broker answers otherwise', async () => {
    const there = adminOf({error: answered('TOPIC_ALREADY_EXISTS'), found: ['theirs']});
    assert.equal((await declareTopic(there.admin, {name: 't'}, {kafkaFlush: 'system'})).id, 'theirs');
    const refused = adminOf({error: answered('TOPIC_AUTHORIZATION_FAILED'), found: []});
    await assert.rejects(declareTopic(refused.admin, {name: 't'}, {kafkaFlush: 'system'}), {
      code: 'PB_TOPOLOGY',
      message: /refused the topic t: TOPIC_AUTHORIZATION_FAILED/,
    });
  });

  test('is flushed before each acknowledgement only on request', async () => {
    /** @type {(string | undefined)[]} */
    const flushes = [];
    for (const kafkaFlush of /** @type {const} */ (['system', 'always'])) {
      const {admin, asked} = adminOf({found: ['new']});
      await declareTopic(admin, {name: 't', partitions: 2}, {kafkaFlush});
      assert.equal(asked[0].partitions, 2);
      flushes.push(asked[0].configs.find((/** @type {any} */ {name}) => name === 'flush.messages')?.value);
    }
    assert.deepEqual(flushes, [undefined, '1']);
  });

  test('loses what was read, each second, and nothing twice', async (t) => {
    t.mock.timers.enable({apis: ['setInterval']});
    /** @type {string[]} */
    const deleted = [];
    const admin = {
      deleteRecords: async (/** @type {any} */ {topics: [{name, partitions}]}) =>
        void deleted.push(
          `${name} ${partitions.map((/** @type {any} */ one) => `${one.partition}<${one.offset}`)}`,
        ),
    };
    let offset = 0n;
    /** @type {(() => Promise<unknown>)[]} */
    const endings = [];
    const beforeEnd = (/** @type {() => Promise<unknown>} */ ending) => void endings.push(ending);
    purgeRead(/** @type {any} */ ({admin, beforeEnd}), 't', () => [[0, offset]]);
    const second = async () => {
      t.mock.timers.tick(1000);
      await turn();
    };
    await second();
    offset = 5n;
    await second();
    await second();
    offset = 7n;
    await second();
    await endings[0]();
    offset = 9n;
    await second();
    assert.deepEqual(deleted, ['t 0<5', 't 0<7']);
  });

  test('of offsets is waited for, and no other answer is', async () => {
    const answers = [answered('COORDINATOR_LOAD_IN_PROGRESS'), answered('NOT_COORDINATOR')];
    const question = async () => {
      const error = answers.shift();
      if (error) throw error;
      return 'yes';
    };
    assert.equal(await whenCoordinated(question), 'yes');
    answers.push(answered('GROUP_AUTHORIZATION_FAILED'));
    await assert.rejects(whenCoordinated(question), {message: 'failed'});
  });
});

test('a one-way message has no headers, and expects no reply', () => {
  assert.equal(readRequest(noHeaders), null);
  const [[name, value]] = requestHeaders('7', Buffer.from('r'));
  assert.deepEqual([String(name), String(value)], ['kafka_correlationId', '7']);
});

test('what a broker answered is found in what the library throws; a lost connection is no refusal', () => {
  assert.equal(answerOf(answered('NOT_ENOUGH_REPLICAS')), 'NOT_ENOUGH_REPLICAS');
  assert.equal(answerOf(new Error('Connection closed')), null);
  assert.equal(refusalOf(new Error('Connection closed')), null);
  assert.equal(refusalOf(answered('NOT_ENOUGH_REPLICAS'))?.code, 'PB_NACK');
});

test('a table says that nothing waits for the disk, unless each message is flushed', () => {
  const variant = /** @type {const} */ ({kafkaAcks: 'all', kafkaLinger: 0});
  assert.match(kafka.notesOn([{...variant, kafkaFlush: 'system'}])[0], /page cache/);
  assert.deepEqual(kafka.notesOn([{...variant, kafkaFlush: 'always'}]), []);
});

test('only acks=0 leaves sends without a bound', () => {
  const variant = /** @type {const} */ ({kafkaLinger: 0, kafkaFlush: 'system'});
  assert.deepEqual(
    /** @type {const} */ (['0', '1', 'all']).map((kafkaAcks) => kafka.boundsSends({...variant, kafkaAcks})),
    [false, true, true],
  );
});

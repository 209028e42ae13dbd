import assert from 'node:assert/strict';
import {createHash} from 'node:crypto';
import {test} from 'node:test';
import {randomBytes, randomSource} from '../../../src/payload/random.js';
import {
  headerBytes,
  kinds,
  makeDatagram,
  messageHeaderBytes,
  writeHeader,
} from '../../../src/transports/udp/datagram.js';
import {inactivityMs} from '../../../src/transports/udp/session.js';
import {runsOf} from '../../support/effort.js';
import {nothingIsLost, SimulatedNetwork, travelMs} from './simulated-network.js';

/** @import {Fate} from './simulated-network.js' */

/** @param {SimulatedNetwork} network */
function dataOf({sent}) {
  return sent.filter(({header, bytes}) => header.kind === kinds.data && bytes.length > headerBytes);
}

/** Messages with different contents. @param {readonly number[]} sizes */
function messagesOf(sizes) {
  return sizes.map((size, index) => randomBytes(7, `message ${index}`, size));
}

/** Sends one way as a workload does: it waits for room. @param {SimulatedNetwork} network @param {readonly Buffer[]} payloads */
function sendAll(network, payloads) {
  for (const payload of payloads) if (!network.client.write(0, payload)) network.run();
  network.client.flush();
  network.run();
}

/** @param {Buffer} payload */
function digestOf(payload) {
  return `${payload.length} bytes ${createHash('sha256').update(payload).digest('hex').slice(0, 12)}`;
}

/** @param {SimulatedNetwork} network @param {readonly Buffer[]} payloads */
function assertArrived(network, payloads) {
  const {received} = network;
  assert.deepEqual(network.ends, {client: [], server: []});
  assert.deepEqual(
    received.server.map(({payload}) => digestOf(payload)),
    payloads.map(digestOf),
  );
  assert.ok(network.client.outgoing.isDone);
}

/** Loses only these datagrams of the client. @param {...number} numbers @returns {Fate} */
function losing(...numbers) {
  return ({from, number}) => (from === 'client' && numbers.includes(number) ? [] : [travelMs]);
}

test('a reply acknowledges its request, and nothing else is sent until the next request', () => {
  const network = new SimulatedNetwork();
  for (let count = 1; count <= 3; count += 1) {
    network.client.write(count, Buffer.from(`request ${count}`));
    network.client.flush();
    network.run(1);
  }
  assert.deepEqual(
    network.sent.map(({from, header}) => [from, header.kind === kinds.data]),
    ['client', 'server', 'client', 'server', 'client', 'server'].map((from) => [from, true]),
  );
  assert.deepEqual(
    network.received.client.map(({id, payload}) => [id, String(payload)]),
    [1, 2, 3].map((id) => [id, `request ${id}`]),
  );
  network.run();
  assert.equal(network.sent.length, 7, 'the last reply is acknowledged alone');
});

test('one-way messages of one turn share datagrams, and a message may continue in the next', () => {
  const network = new SimulatedNetwork({datagramBytes: 600});
  const payloads = messagesOf(Array.from({length: 10}, () => 256));
  sendAll(network, payloads);
  assertArrived(network, payloads);
  const bytes = 10 * (256 + messageHeaderBytes);
  assert.equal(dataOf(network).length, Math.ceil(bytes / (600 - headerBytes)));
});

test('without batching, each message begins a datagram', () => {
  const network = new SimulatedNetwork({isBatching: false, datagramBytes: 600});
  const payloads = messagesOf(Array.from({length: 10}, () => 256));
  sendAll(network, payloads);
  assertArrived(network, payloads);
  assert.equal(dataOf(network).length, 10);
});

for (const size of [0, 1, 573, 574, 575, 1156, 100_000]) {
  test(`a message of ${size} bytes arrives whole, and its reply too`, () => {
    const network = new SimulatedNetwork({datagramBytes: 600});
    const [payload] = messagesOf([size]);
    network.client.write(5, payload);
    network.client.flush();
    network.run();
    const [reply, ...more] = network.received.client;
    assert.deepEqual([reply.id, digestOf(reply.payload), more], [5, digestOf(payload), []]);
    const datagrams = Math.max(1, Math.ceil((size + messageHeaderBytes) / (600 - headerBytes)));
    assert.equal(dataOf(network).length, 2 * datagrams);
    assert.equal(network.client.outgoing.retransmissions, 0);
  });
}

test('a lost datagram is sent again when three later ones have arrived, before its time is over', () => {
  const network = new SimulatedNetwork({fate: losing(2), isBatching: false});
  const payloads = messagesOf([10, 10, 10, 10, 10, 10, 10]);
  for (const payload of payloads) network.client.write(0, payload);
  network.run(1);
  assertArrived(network, payloads);
  assert.equal(network.client.outgoing.retransmissions, 1);
});

test('several losses in one window need one timer at most', () => {
  const network = new SimulatedNetwork({fate: losing(1, 4, 5, 9), isBatching: false});
  const payloads = messagesOf(Array.from({length: 20}, () => 10));
  for (const payload of payloads) network.client.write(0, payload);
  network.run(1);
  assertArrived(network, payloads);
  assert.equal(network.client.outgoing.retransmissions, 4);
});

test('the last datagram of all is sent again by the timer', () => {
  const network = new SimulatedNetwork({fate: losing(0)});
  sendAll(network, messagesOf([10]));
  assertArrived(network, messagesOf([10]));
  assert.equal(network.client.outgoing.retransmissions, 1);
  assert.equal(network.nowMs >= 200, true, 'nothing was measured before');
});

test('the timer follows the measured round trips, is never below 10 ms, and doubles with each timeout up to 500 ms', () => {
  const network = new SimulatedNetwork();
  sendAll(network, messagesOf([10, 10]));
  const {outgoing} = network.client;
  assert.equal(outgoing.estimate.timeoutMs, 10);
  network.fate = () => [];
  const sentBefore = network.sent.length;
  const begin = network.nowMs;
  network.client.write(0, Buffer.from('lost'));
  network.client.flush();
  network.run(4000);
  const times = [];
  // The times of the datagrams are those of the timer: 10, 30, 70 … ms after the first one.
  for (let after = 10, wait = 10; after <= 4000; wait = Math.min(500, 2 * wait), after += wait)
    times.push(after);
  assert.equal(network.sent.length - sentBefore, 1 + times.length);
  assert.equal(network.nowMs, begin + 4000);
  network.fate = nothingIsLost;
  network.run();
  assert.deepEqual(String(network.received.server.at(-1)?.payload), 'lost');
});

test('a timeout of an end that was only slow makes one datagram be sent again, and no more', () => {
  const network = new SimulatedNetwork({isBatching: false});
  sendAll(network, messagesOf([10]));
  const payloads = messagesOf(Array.from({length: 33}, () => 10));
  network.fate = () => [12];
  sendAll(network, payloads.slice(1));
  assertArrived(network, payloads);
  assert.equal(network.client.outgoing.retransmissions, 1);
});

test('duplicates are dropped, and acknowledged so that they end', () => {
  const network = new SimulatedNetwork({fate: () => [travelMs, travelMs, 3 * travelMs]});
  const payloads = messagesOf([10, 700, 20]);
  sendAll(network, payloads);
  assertArrived(network, payloads);
});

test('what arrives early waits for what is before it', () => {
  const network = new SimulatedNetwork({
    isBatching: false,
    fate: ({number}) => [travelMs * (1 + ((number * 7) % 5))],
  });
  const payloads = messagesOf(Array.from({length: 30}, (_, index) => 10 + index));
  sendAll(network, payloads);
  assertArrived(network, payloads);
});

test('a full window is back-pressure until acknowledgements arrive', async () => {
  const network = new SimulatedNetwork({window: 4, isBatching: false});
  const payloads = messagesOf([10, 10, 10, 10, 10]);
  assert.deepEqual(
    payloads.map((payload) => network.client.write(0, payload)),
    [true, true, true, true, false],
  );
  assert.equal(dataOf(network).length, 4);
  let isDrained = false;
  const drained = network.client.drained().then(() => {
    isDrained = true;
  });
  await Promise.resolve();
  assert.equal(isDrained, false);
  network.run();
  await drained;
  assertArrived(network, payloads);
});

test('a message that is larger than the window is sent as its parts are acknowledged', () => {
  const network = new SimulatedNetwork({window: 4});
  const payloads = messagesOf([50_000]);
  sendAll(network, payloads);
  assertArrived(network, payloads);
});

test('everything is flushed when everything was acknowledged', async () => {
  const network = new SimulatedNetwork();
  network.client.write(0, Buffer.from('one'));
  const flushed = network.client.flushed();
  assert.equal(dataOf(network).length, 1);
  network.run();
  await flushed;
  assert.ok(network.client.outgoing.isDone);
});

test('an end that is paused takes what it has room for and no more, and goes on afterwards', () => {
  const network = new SimulatedNetwork({window: 8, isBatching: false});
  const payloads = messagesOf(Array.from({length: 40}, () => 10));
  network.server.pause();
  for (const payload of payloads) network.client.write(0, payload);
  network.run(3 * inactivityMs);
  assert.equal(network.received.server.length, 0);
  assert.equal(network.server.incoming.room, 0);
  assert.deepEqual(network.ends.client, [], 'it acknowledges, so it lives');
  network.server.resume();
  network.run();
  assertArrived(network, payloads);
});

test('an end that is paused goes on although the acknowledgement that says so was lost', () => {
  const network = new SimulatedNetwork({window: 4, isBatching: false});
  const payloads = messagesOf(Array.from({length: 9}, () => 10));
  network.server.pause();
  for (const payload of payloads) network.client.write(0, payload);
  network.run(50);
  network.fate = () => [];
  network.server.resume();
  network.fate = nothingIsLost;
  network.run();
  assertArrived(network, payloads);
});

test('an end that does not acknowledge is given up after its time', () => {
  const network = new SimulatedNetwork({fate: () => []});
  network.client.write(1, Buffer.from('to nobody'));
  network.client.flush();
  network.run();
  const [error] = network.ends.client;
  assert.equal(/** @type {any} */ (error).code, 'PB_CONNECTION_LOST');
  assert.match(error.message, /did not acknowledge for 5 s/);
  assert.ok(network.nowMs >= inactivityMs && network.nowMs < inactivityMs + 2000);
  assert.equal(network.client.write(1, Buffer.from('more')), false);
  assert.equal(network.client.deadline, Number.POSITIVE_INFINITY);
});

test('a process that was stopped for long reads what arrived before it gives up the other end', () => {
  const network = new SimulatedNetwork();
  network.client.write(1, Buffer.from('request'));
  network.client.flush();
  network.nowMs += 10 * inactivityMs;
  network.client.tick();
  network.run();
  assert.deepEqual(network.ends.client, []);
  assert.equal(network.received.client.length, 1);
});

test('an end to which nothing is sent gets a keep-alive request, and is given up without a reply', () => {
  const network = new SimulatedNetwork();
  network.nowMs = 1000;
  network.client.probe(1000);
  network.run();
  assert.deepEqual([network.sent.length, network.ends.client.length], [2, 0]);
  network.client.probe(1000);
  network.run();
  assert.equal(network.sent.length, 2, 'it was heard a moment ago');
  network.fate = () => [];
  network.nowMs += 1000;
  network.client.probe(1000);
  network.run();
  assert.equal(network.ends.client.length, 1);
});

test('an end that closes informs the other one', () => {
  const network = new SimulatedNetwork();
  network.server.close();
  network.run();
  assert.equal(network.ends.client.length, 1);
  assert.match(network.ends.client[0].message, /closed the UDP session/);
  assert.deepEqual(network.ends.server, []);
});

for (const {what, content} of [
  {what: 'a message that is longer than any payload', content: Buffer.from('ffffffff00000000aa', 'hex')},
  {what: 'a part of a header', content: Buffer.from('000000', 'hex')},
]) {
  test(`${what} ends the session, and no memory is reserved for it`, () => {
    const network = new SimulatedNetwork();
    network.deliver('server', dataWith(network, 0, content));
    assert.equal(/** @type {any} */ (network.ends.server[0]).code, 'PB_FRAME_TOO_LONG');
    network.run();
    assert.equal(network.ends.client.length, 1);
  });
}

test('datagrams far ahead, far behind, too large or acknowledging what was never sent change nothing', () => {
  const network = new SimulatedNetwork({window: 8});
  const content = Buffer.from('0000000100000000aa', 'hex');
  for (const ahead of [8, 9, 1000, 2 ** 31, 2 ** 32 - 1, 2 ** 32 - 9])
    network.deliver('server', dataWith(network, ahead, content, {acknowledged: network.first + 5}));
  network.deliver('server', dataWith(network, 0, Buffer.alloc(10_000)));
  assert.deepEqual(network.received.server, []);
  assert.equal(network.server.incoming.early, 0);
  const payloads = messagesOf([100, 2000]);
  sendAll(network, payloads);
  assertArrived(network, payloads);
});

test('no bytes make a session fail in another way than by its end', () => {
  const random = randomSource(11, 'garbage');
  for (let count = 0; count < runsOf(3000); count += 1) {
    const network = new SimulatedNetwork({window: 8});
    for (let datagram = 0; datagram < 4; datagram += 1) {
      const bytes = randomBytes(count, `garbage ${datagram}`, Math.floor(random() * 100));
      const header = {
        kind: 1 + Math.floor(random() * 5),
        room: Math.floor(random() * 65_536),
        session: network.client.id,
        sequence: (network.first + Math.floor(random() * 12)) >>> 0,
        acknowledged: (network.first + Math.floor(random() * 3)) >>> 0,
      };
      if (bytes.length >= headerBytes) writeHeader(bytes, header);
      network.deliver('server', bytes);
    }
    network.run();
    assert.ok(network.server.incoming.slots.length === 8);
  }
});

/** What a random network does: each datagram is lost, doubled or delayed. @param {() => number} random @param {number} share @returns {Fate} */
function randomFate(random, share) {
  return () => {
    if (random() < share) return [];
    const delays = [travelMs];
    if (random() < share) delays.push(travelMs * 20 * random());
    if (random() < share) delays[0] += travelMs * 40 * random();
    return delays;
  };
}

for (let seed = 1; seed <= 60; seed += 1) {
  const random = randomSource(seed, 'network');
  const share = 0.02 + 0.23 * random();
  const options = {
    id: Math.floor(random() * 2 ** 48),
    window: 2 ** (1 + Math.floor(random() * 6)),
    datagramBytes: 600 + Math.floor(random() * 3000),
    isBatching: random() < 0.5,
  };
  test(`everything arrives once and in order, with ${(100 * share).toFixed()} % of losses, duplicates and delays, a window of ${options.window} (seed ${seed})`, () => {
    const network = new SimulatedNetwork({...options, fate: randomFate(random, share)});
    const sizes = Array.from({length: 60}, () => Math.floor(random() ** 4 * 20_000));
    const payloads = messagesOf(sizes);
    for (const [index, payload] of payloads.entries()) {
      // Every third one expects a reply.
      const hasRoom = network.client.write(index % 3 === 0 ? index + 1 : 0, payload);
      if (index % 3 === 0) network.client.flush();
      if (!hasRoom || random() < 0.2) network.run();
    }
    network.client.flush();
    network.run();
    assertArrived(network, payloads);
    const replies = network.received.client.map(({id, payload}) => [id, digestOf(payload)]);
    const expected = payloads.flatMap((payload, index) =>
      index % 3 === 0 ? [[index + 1, digestOf(payload)]] : [],
    );
    assert.deepEqual(replies, expected);
  });
}

/**
 * @param {SimulatedNetwork} network
 * @param {number} ahead of the first datagram
 * @param {Buffer} content
 * @param {{acknowledged?: number}} [more]
 */
function dataWith({client, first}, ahead, content, {acknowledged = first} = {}) {
  const datagram = Buffer.concat([makeDatagram({kind: kinds.data, session: client.id}), content]);
  writeHeader(datagram, {
    ...{kind: kinds.data, room: 8, session: client.id},
    sequence: (first + ahead) >>> 0,
    acknowledged: acknowledged >>> 0,
  });
  return datagram;
}

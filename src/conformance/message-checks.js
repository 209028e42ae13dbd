import {setTimeout as sleep} from 'node:timers/promises';
import {makeHub} from '../workloads/fan-out/server.js';
import {publish, subscribe} from '../workloads/fan-out/subscription.js';
import {
  numbered,
  numberOf,
  patternOf,
  refuseDifferent,
  senderOf,
  soon,
  storeOf,
  until,
} from './expectations.js';

/** @import {TransportCheck} from './transport-pair.js' */

const sizes = [1, 2, 255, 1024, 16_384, 65_535, 65_536, 102_400, 1_024_000, 4_194_304];
const inFlight = 32;
const partBytes = [1, 10_000, 100_000];
const messages = 1000;
const subscribers = 3;
/** A surplus message would arrive within this time after the last expected message. */
const graceMs = 100;
/** The maximum that a transport may keep in memory while it cannot send. */
const maxHeldBytes = 256 * 1024 * 1024;

/** What becomes of messages between a client and its server. @type {readonly TransportCheck[]} */
export const messageChecks = [
  {
    name: 'a reply has the bytes that the server gave, at each size',
    needs: 'request',
    async run(pair) {
      const client = await pair.open((request, reply) => reply.end(request));
      for (const size of sizes) {
        const payload = patternOf(size, size);
        const reply = await soon(client.request(payload), `the reply to ${size} bytes`);
        refuseDifferent(reply, payload, `The reply to a request of ${size} bytes`);
      }
      return `${sizes.length} sizes from ${sizes[0]} byte to ${sizes.at(-1)} bytes`;
    },
  },
  {
    name: 'each request in flight gets its own reply',
    needs: 'request',
    async run(pair) {
      // Requests with odd numbers are answered first, if the server can change the order.
      const client = await pair.open(
        async (request, reply) => {
          await sleep(numberOf(request) % 2 === 0 ? 5 : 0);
          reply.end(request);
        },
        {concurrency: inFlight},
      );
      const payloads = Array.from({length: 4 * inFlight}, (_, number) => numbered(number, 1024));
      for (let begin = 0; begin < payloads.length; begin += inFlight) {
        const some = payloads.slice(begin, begin + inFlight);
        const replies = await soon(
          Promise.all(some.map((payload) => client.request(payload))),
          'all replies',
        );
        for (const [index, reply] of replies.entries())
          refuseDifferent(reply, some[index], `The reply to request ${begin + index}`);
      }
      return `${payloads.length} requests, ${inFlight} at a time`;
    },
  },
  {
    name: 'the parts of a reply come in order',
    needs: 'request',
    handles: true,
    async run(pair) {
      const parts = partBytes.map((size) => patternOf(size, size));
      const client = await pair.open(async (_request, reply) => {
        for (const part of parts) if (!reply.write(part)) await reply.drained();
        reply.end();
      });
      const whole = Buffer.concat(parts);
      for (let round = 1; round <= 3; round += 1) {
        /** @type {Buffer[]} */
        const received = [];
        const onChunk = (/** @type {Buffer} */ chunk) => void received.push(Buffer.from(chunk));
        const last = await soon(client.request(numbered(round, 64), {onChunk}), 'the end of the reply');
        refuseDifferent(Buffer.concat([...received, last]), whole, 'The parts of the reply');
      }
      return `3 replies of ${parts.length} parts`;
    },
  },
  {
    name: 'a message that expects no reply arrives once',
    needs: 'send',
    async run(pair) {
      const seen = new Uint32Array(messages);
      let count = 0;
      const client = await pair.open((request, reply) => {
        seen[numberOf(request)] += 1;
        count += 1;
        reply.end();
      });
      const sender = senderOf(client);
      for (let number = 0; number < messages; number += 1)
        if (!sender.send(numbered(number, 1024))) await soon(sender.drained(), 'room for the next message');
      await soon(sender.flushed(), 'that all messages were handed over');
      await until(
        () => count >= messages,
        () => `the server has ${count} of ${messages} messages`,
      );
      const wrong = seen.findIndex((times) => times !== 1);
      if (wrong >= 0) throw new Error(`Message ${wrong} arrived ${seen[wrong]} times.`);
      return `${messages} messages`;
    },
  },
  {
    name: 'a sender that is faster than the connection is held back',
    needs: 'send',
    async run(pair) {
      const client = await pair.open((_request, reply) => reply.end());
      const sender = senderOf(client);
      const payload = patternOf(262_144, 7);
      let held = 0;
      while (sender.send(payload)) {
        held += payload.length;
        if (held > maxHeldBytes)
          throw new Error(
            `send() took ${held} bytes without a turn of the event loop, and never returned false.`,
          );
      }
      await soon(sender.drained(), 'room after send() returned false');
      await soon(sender.flushed(), 'that all messages were handed over');
      return `send() returned false after ${held} bytes, and there was room again`;
    },
  },
  {
    name: 'what a store took comes out once, whole and in order',
    needs: 'store',
    async run(pair) {
      const store = storeOf(await pair.connect());
      const wanted = [1024, 4, 102_400, 1024].map((size, number) => numbered(number, size));
      for (const payload of wanted)
        if (!store.put(payload)) await soon(store.drained(), 'room for the next message');
      await soon(store.flushed(), 'that the store has all messages');
      /** @type {Buffer[]} */
      const taken = [];
      const all = store.take(wanted.length, (payload) => void taken.push(Buffer.from(payload)));
      await soon(all, `${wanted.length} messages of the store`);
      if (taken.length !== wanted.length)
        throw new Error(`The store gave ${taken.length} of ${wanted.length} messages.`);
      for (const [index, payload] of taken.entries())
        refuseDifferent(payload, wanted[index], `Message ${index} of the store`);
      return `${wanted.length} messages`;
    },
  },
  {
    name: 'what is published reaches each subscriber once, whole and in order',
    needs: 'broadcast',
    async run(pair) {
      const {onRequest} = await makeHub();
      const publisher = await pair.open(onRequest, {broadcasts: true});
      const wanted = [1024, 1, 102_400, 1024].map((size, index) => patternOf(size, index));
      const copies = Array.from({length: subscribers}, () => Buffer.alloc(0));
      let isOfBuffers = true;
      for (const index of copies.keys()) {
        const onChunk = (/** @type {Buffer} */ chunk) => {
          isOfBuffers &&= Buffer.isBuffer(chunk);
          copies[index] = Buffer.concat([copies[index], chunk]);
        };
        const subscribed = subscribe(await pair.connect(), 'check', {onChunk, onEnd: () => {}});
        await soon(subscribed, `the subscription of subscriber ${index + 1}`);
      }
      let bytes = 0;
      for (const payload of wanted) {
        bytes += payload.length;
        const arrived = until(
          () => copies.every((copy) => copy.length >= bytes),
          () => `the subscribers have ${copies.map((copy) => copy.length).join(', ')} of ${bytes} bytes`,
        );
        // Without a handler, a rejection would be unhandled if `publish` throws before `arrived` is awaited.
        arrived.catch(() => {});
        publish(publisher, payload, arrived);
        await arrived;
      }
      // A second copy would arrive right after the first copy.
      await sleep(graceMs);
      for (const [index, copy] of copies.entries())
        refuseDifferent(copy, Buffer.concat(wanted), `The copy of subscriber ${index + 1}`);
      if (!isOfBuffers) throw new Error('A subscriber got a part that is no Buffer.');
      return `${wanted.length} messages to ${subscribers} subscribers`;
    },
  },
  {
    name: 'two clients get their own replies',
    needs: 'request',
    async run(pair) {
      const client = await pair.open((request, reply) => reply.end(request));
      const other = await pair.connect();
      for (let number = 0; number < 50; number += 1) {
        const payloads = [numbered(number, 256), numbered(1000 + number, 256)];
        const replies = await soon(
          Promise.all([client.request(payloads[0]), other.request(payloads[1])]),
          'both replies',
        );
        for (const [index, reply] of replies.entries())
          refuseDifferent(reply, payloads[index], `The reply to client ${index + 1}`);
      }
      return '50 requests of each';
    },
  },
];

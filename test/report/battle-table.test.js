import assert from 'node:assert/strict';
import {test} from 'node:test';
import {printTable} from '../../src/report/battle-table.js';
import {completedRecord} from '../exports/completed-record.js';

/** @import {CompletedRecord} from '../../src/results/record-schema.js' */

/** @param {number} messagesPerSecond */
const rateOf = (messagesPerSecond) => ({messagesPerSecond, ci95MessagesPerSecond: null});

/** @param {Record<string, unknown>} fields */
function record(fields) {
  return completedRecord({
    ...{comparedBy: 'rate', transport: 'rabbitmq', variant: {}, rtt: null, latencies: {}, openLoop: null},
    ...{phases: {}, floor: null, hosts: {broker: null}, cpu: {client: null, server: null, broker: null}},
    throughput: {...rateOf(1234), bytesPerSecond: 1_264_128},
    verdict: {status: 'valid', warnings: []},
    ...fields,
  });
}

/** @param {CompletedRecord[]} records */
function printed(records) {
  let text = '';
  const stream = {
    isTTY: false,
    write: (/** @type {string} */ more) => {
      text += more;
    },
  };
  printTable(records, {machine: 'AMD EPYC', environment: 'local', floor: 'tcp'}, /** @type {any} */ (stream));
  return text;
}

const enqueued = {messages: 100, meanMs: 50, ...rateOf(2000)};
const dequeued = {messages: 100, meanMs: 25, ...rateOf(4000)};

test('A queue whose parts are timed apart and one in pairs have a table each', () => {
  const text = printed([
    record({workload: 'queue', phases: {enqueue: enqueued, dequeue: dequeued}}),
    record({workload: 'queue'}),
  ]);
  assert.match(
    text,
    /enqueue msgs\/s.*dequeue msgs\/s[^\n]*\n1kb +RabbitMQ mode 1 +2000 .* 50\.0 +4000 .* 25\.0/,
  );
  assert.match(
    text,
    /\(queue\), local[^\n]*\nPayload +Transport +msgs\/s[^\n]*\n1kb +RabbitMQ mode 1 +1234 /,
  );
});

test('A stream shows the rate by its receiver, and by its sender if that timed itself, in any order of the records', () => {
  const sender = {messages: 100, meanMs: 90, ...rateOf(1111)};
  const [alone, closed] = [record({workload: 'stream'}), record({workload: 'stream', phases: {sender}})];
  for (const records of [
    [alone, closed],
    [closed, alone],
  ]) {
    const text = printed(records);
    assert.match(text, /msgs\/s ± 95 % +by the sender/);
    assert.match(text, /1234 ± n\/a +1111 ± n\/a/);
    assert.match(text, /1234 ± n\/a +n\/a/);
  }
});

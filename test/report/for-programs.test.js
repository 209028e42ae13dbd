import assert from 'node:assert/strict';
import {test} from 'node:test';
import {recordsCsv, toCsv} from '../../src/report/for-programs.js';
import {completedRecord} from '../exports/completed-record.js';

const record = completedRecord({
  ...{
    id: 'b-1',
    battleId: 'b',
    startedAt: '2026-01-02T03:04:05.678Z',
    transport: 'rabbitmq',
    machine: 'Xeon, 2.5 GHz "turbo"',
  },
  labels: {facilitator: 'RabbitMQ', qualifier: 'mode 1', settings: ['confirms', 'TLS'], persistent: '*N/A*'},
  rtt: {
    meanMs: 0.25,
    ci95Ms: [0.24, 0.26],
    minMs: 0.1,
    p50Ms: 0.2,
    p90Ms: 0.3,
    p95Ms: 0.35,
    p99Ms: null,
    p999Ms: null,
    maxMs: 9,
    samples: 400,
  },
  throughput: {messagesPerSecond: 4000, ci95MessagesPerSecond: null},
  counts: {lost: 0},
  cpu: {client: {microsPerMessage: 12.5}, server: null, broker: {microsPerMessage: null}},
  ...{openLoop: null, floor: {ratio: 3.5, ratioCi95: [3.4, 3.6], verdict: {status: 'valid', warnings: []}}},
  verdict: {status: 'suspect', warnings: [{code: 'run-delay'}, {code: 'wide'}]},
});

test('a record is a line of fields; what there is not is empty, and a comma is quoted', () => {
  const [heading, line, ...rest] = recordsCsv([record]).split('\r\n');
  assert.deepEqual(rest, ['']);
  const quoted = line.match(/"(?:[^"]|"")*"|[^,]+|(?<=,|^)(?=,|$)/g) ?? [];
  const fields = Object.fromEntries(heading.split(',').map((name, index) => [name, quoted[index]]));
  assert.equal(quoted.length, heading.split(',').length);
  const {
    machine,
    settings,
    persistent,
    mean_ms,
    mean_low_ms,
    p95_ms,
    p99_ms,
    lost,
    cpu_server_micros,
    floor_verdict,
    verdict,
    warnings,
  } = fields;
  assert.deepEqual([floor_verdict, verdict], ['valid', 'suspect']);
  assert.deepEqual(
    [machine, settings, persistent, mean_ms, mean_low_ms, p95_ms, p99_ms, lost, cpu_server_micros, warnings],
    [
      '"Xeon, 2.5 GHz ""turbo"""',
      'confirms; TLS',
      'N/A',
      '0.25',
      '0.24',
      '0.35',
      '',
      '0',
      '',
      'run-delay; wide',
    ],
  );
});

test('without records there are headings', () => {
  assert.match(recordsCsv([]), /^id,battle,started_at,[a-z0-9_,]+\r\n$/);
});

/** @param {unknown} value @param {string} [separator] */
const lineOf = (value, separator) =>
  toCsv(
    [
      ['a', (row) => row],
      ['b', () => 1],
    ],
    [value],
    separator,
  ).split('\r\n')[1];

test('a text that a spreadsheet would run as a formula has an apostrophe before it, and a number has none', () => {
  const formulas = [
    '=1+1',
    '+1+1',
    '-1+1',
    '@SUM(A1)',
    '\t=1',
    '-',
    '-1.5.2',
    '--tcp-no-delay off',
    '-1e',
    '=HYPERLINK(1)',
  ];
  for (const text of formulas) assert.equal(lineOf(text), `'${text},1`);
  assert.equal(lineOf('=1,2'), '"\'=1,2",1');
  assert.equal(lineOf('\r=1'), '"\'\r=1",1');
  for (const value of [-1.5, '-1.5', '+2', 0.5, 1e-7, '-2e-7', 1e21])
    assert.equal(lineOf(value), `${value},1`);
  for (const text of ['a=1', ' x', 'n/a', "'quoted'"]) assert.equal(lineOf(text), `${text},1`);
});

test('another separator is quoted in its place', () => {
  assert.equal(lineOf('a;b', ';'), '"a;b";1');
  assert.equal(lineOf('a,b', ';'), 'a,b;1');
  assert.equal(lineOf('a\tb', '\t'), '"a\tb"\t1');
  assert.match(recordsCsv([record], ';'), /^id;battle;started_at;[\s\S]*;"confirms; TLS";/);
});

test('a figure without an end is an empty field', () => {
  const endless = {
    ...record,
    throughput: {...record.throughput, messagesPerSecond: Number.POSITIVE_INFINITY},
  };
  assert.doesNotMatch(recordsCsv([endless]), /Infinity|NaN/);
});

import assert from 'node:assert/strict';
import {test} from 'node:test';
import {battleMarkdown, detailTable, summaryTable} from '../../../src/report/tables/markdown-tables.js';
import {completedRecord} from '../../exports/completed-record.js';

const warning = {code: 'not-warm', message: 'It was cold | early.', advice: 'Warm up longer.'};

/** @param {Record<string, unknown>} fields */
function record(fields) {
  return completedRecord({
    id: 'one-1',
    ...{comparedBy: 'latency', transport: 'rabbitmq', variant: {}, latencies: {}, openLoop: null, phases: {}},
    ...{
      hosts: {broker: null},
      cpu: {client: null, server: null, broker: null},
      counts: {received: 5000},
      placement: null,
      interference: {client: null, server: null},
    },
    rtt: {
      ...{meanMs: 0.5, ci95Ms: [0.48, 0.52], minMs: 0.4, maxMs: 9, samples: 5000},
      ...{p50Ms: 0.45, p90Ms: 0.6, p99Ms: 1.2, p999Ms: null},
      ci95: {p50Ms: [0.44, 0.46], p90Ms: null, p99Ms: [1, 1.4], p999Ms: null},
    },
    throughput: {messagesPerSecond: 2000, ci95MessagesPerSecond: [1923, 2083], bytesPerSecond: 2_048_000},
    floor: {meanMs: 0.1, ratio: 5, ratioCi95: [4.8, 5.2]},
    vsFastest: {
      id: 'one-2',
      ratio: 1.01,
      ratioCi95: [0.97, 1.05],
      pValue: 0.6,
      difference: 'no difference shown',
    },
    verdict: {status: 'suspect', warnings: [warning]},
    ...fields,
  });
}

const old = {
  rtt: {...record({}).rtt, ci95: undefined},
  floor: {meanMs: 0.1, ratio: 5, ratioCi95: null},
  vsFastest: null,
  verdict: {status: 'valid', warnings: []},
};
const queue = {
  ...{workload: 'queue', comparedBy: 'rate', rtt: null, floor: null, vsFastest: null},
  phases: Object.fromEntries(
    ['enqueue', 'dequeue'].map((name) => [
      name,
      {messages: 100, meanMs: 50, messagesPerSecond: 2000, ci95MessagesPerSecond: null},
    ]),
  ),
};

/** @param {string} table @returns {Record<string, string>[]} the cells of each row by their headings */
function rowsOf(table) {
  const [header, _delimiter, ...rows] = table
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) =>
      line
        .slice(1, -1)
        .split(/(?<!\\)\|/)
        .map((cell) => cell.trim().replaceAll('\\', '')),
    );
  return rows.map((cells) => Object.fromEntries(header.map((heading, at) => [heading, cells[at]])));
}

test('--detail has both ends of each interval, and ratios that show no difference', () => {
  const [row] = rowsOf(detailTable([record({})]));
  assert.equal(row['Mean [95 %] (ms)'], '0.5000 [0.4800, 0.5200]');
  assert.equal(row.p99, '1.2000 [1.0000, 1.4000]');
  assert.equal(row['p99.9'], 'n/a');
  assert.equal(row['msgs/s [95 %]'], '2000 [1923, 2083]');
  assert.equal(row['× floor [95 %]'], '5.000× [4.800, 5.200]');
  assert.equal(row['vs fastest [95 %]'], '1.010× [0.970, 1.050] (no difference shown)');
  assert.equal(row.Verdict, 'suspect: not-warm');
});

test('--detail of an old record has its ratio alone', () => {
  const [row] = rowsOf(detailTable([record(old)]));
  assert.equal(row.p99, '1.2000');
  assert.equal(row['× floor [95 %]'], '5.000×');
  assert.equal(row['vs fastest [95 %]'], 'n/a');
});

test('--detail has the columns of each workload, empty for the others, and none of those that are not there', () => {
  const [first, second] = rowsOf(detailTable([record({}), record(queue)]));
  assert.deepEqual([first['enqueue/s [95 %]'], first['dequeue ms']], ['n/a', 'n/a']);
  assert.deepEqual([second['enqueue/s [95 %]'], second['dequeue ms']], ['2000', '50.0']);
  assert.equal(second['Mean [95 %] (ms)'], 'n/a');
  assert.ok(!('achieved/s' in first));
  assert.ok(!('enqueue ms' in rowsOf(detailTable([record({})]))[0]));
});

test('--detail says below the table the problems of each cell, and once what to do', () => {
  const text = detailTable([record({}), record(old)]);
  assert.deepEqual(text.slice(text.indexOf('\n\n')).trim().split('\n'), [
    '- RabbitMQ mode 1, 1kb, rtt, AMD EPYC: not-warm: It was cold \\| early.',
    '',
    '- not-warm: Warm up longer.',
  ]);
  assert.doesNotMatch(detailTable([record(old)]), /\n\n/);
});

test('the table for a README marks what is suspect, and not what only has a wide interval', () => {
  const [suspect] = rowsOf(summaryTable([record({})]));
  assert.equal(suspect.Transport, 'RabbitMQ (suspect)');
  assert.equal(suspect['RTT AMD EPYC'], '0.5000 ms');
  const [wide] = rowsOf(summaryTable([record({verdict: {status: 'wide', warnings: [warning]}})]));
  assert.equal(wide.Transport, 'RabbitMQ');
});

test('a table in a file has intervals, where there are some', () => {
  const queued = record({
    ...queue,
    phases: {
      enqueue: {...queue.phases.enqueue, ci95MessagesPerSecond: [1900, 2100]},
      dequeue: queue.phases.dequeue,
    },
  });
  const one = record(old);
  const alone = record({...old, payloadBytes: 2048, rtt: {...one.rtt, ci95Ms: null}});
  const rows = rowsOf(summaryTable([one, alone], {withIntervals: true}));
  assert.deepEqual(
    rows.map((row) => row['RTT AMD EPYC']),
    ['0.50 ± 0.02 ms', '0.5000 ms'],
  );
  const rates = summaryTable([queued], {withIntervals: true});
  assert.match(rates, /2000 ± 100 +\|/);
  assert.match(rates, /\| 2000 +\|/);
  const printed = summaryTable([one]);
  assert.match(printed, /\| 0\.5000 ms/);
});

test('--detail shows what kept the roles from their work, if a record has it', () => {
  const heading = 'GC % client / server';
  const role = {runDelayMs: 5, gcMs: 4, loopDelayMaxMs: 2.34, migrations: 3};
  const [trial, spoiled] = [0.012, 0.4].map((lostShare) => ({used: lostShare < 0.1, wallMs: 100, lostShare}));
  const measured = record({
    trials: [trial, spoiled],
    interference: {client: role, server: {...role, gcMs: null}},
    placement: {client: [0], server: [1, 3], broker: null},
  });
  const [first, second] = rowsOf(detailTable([measured, record(old)]));
  assert.equal(first['lost time %'], '1.2');
  assert.equal(first[heading], '4.0 / n/a');
  assert.equal(first['cores client / server / broker'], '0 / 1, 3 / any');
  const placed = {client: [0], server: [1], broker: null, threads: 'main'};
  const [awake] = rowsOf(detailTable([record({...old, placement: placed, coreState: 'awake'})]));
  assert.equal(awake['cores client / server / broker'], '0 / 1 / any (main threads, awake)');
  assert.equal(first['max loop delay (ms) client / server'], '2.3 / 2.3');
  assert.equal(first['changes of core client / server'], '3 / 3');
  assert.equal(second[heading], 'n/a / n/a');
  assert.ok(!(heading in rowsOf(detailTable([record(old)]))[0]));
});

/** @param {string} transport @param {number} meanMs @param {Record<string, unknown>} [changes] */
const recordOf = (transport, meanMs, changes = {}) =>
  completedRecord({
    ...{
      id: `b-${transport}`,
      battleId: 'b',
      transport,
      comparedBy: 'latency',
      variant: {},
      openLoop: null,
      oneWay: null,
      link: null,
    },
    labels: {facilitator: transport.toUpperCase(), qualifier: null, settings: [], persistent: '*N/A*'},
    rtt: {meanMs, ci95Ms: [0.9 * meanMs, 1.1 * meanMs], p50Ms: meanMs, p99Ms: 2 * meanMs, ci95: null},
    floor: {meanMs: 0.1, ratio: meanMs / 0.1, ratioCi95: [meanMs / 0.11, meanMs / 0.09], verdict: null},
    ...{vsFastest: null, latencies: {}, cpu: {client: null, server: null, broker: null}},
    hosts: {client: 'vm', server: 'vm', broker: null},
    verdict: {status: 'valid', warnings: []},
    ...changes,
  });

const runDelay = {code: 'run-delay', message: 'The roles | waited.', advice: 'Wait.'};

test('a battle as markdown has a sentence for each payload, a table with verdicts, and the reasons, folded', () => {
  const records = [
    recordOf('http', 0.2),
    recordOf('tcp', 0.1, {verdict: {status: 'suspect', warnings: [runDelay]}}),
  ];
  const markdown = battleMarkdown(records, 'tcp');
  assert.match(markdown, /^\*\*Mean round-trip times in ms ± 95 % interval\*\*\n\n- 1 KB: /);
  assert.match(markdown, /\n\| Payload \| Transport \| Mean ± 95 % +\| p50 .*\| Verdict \|\n\| -/);
  assert.match(
    markdown,
    /\n\| 1kb +\| TCP +\| 0\.1\d* ± 0\.01\d* .*\| suspect \|\n\| 1kb +\| HTTP +\| 0\.2\d* ± 0\.02\d* .*\| valid +\|\n/,
  );
  assert.match(markdown, /\n- 2 cells: 1 valid, 1 suspect\.\n/);
  assert.match(
    markdown,
    /<details><summary>The reasons of each cell<\/summary>\n\n- TCP, 1kb: run-delay: The roles \\\| waited\.\n\n<\/details>$/,
  );
});

test('a cell that failed is named with its error, also where no cell completed', () => {
  const failed = /** @type {any} */ ({
    ...recordOf('http', 1),
    outcome: 'failed',
    error: {code: 'PB_RUN', message: 'It <b>broke</b>.'},
  });
  assert.match(
    battleMarkdown([failed, recordOf('tcp', 0.1)], 'tcp'),
    /\n- Failed: HTTP, 1kb: It \\<b>broke\\<\/b>\.\n/,
  );
  assert.equal(battleMarkdown([failed], 'tcp'), '- Failed: HTTP, 1kb: It \\<b>broke\\</b>.');
});

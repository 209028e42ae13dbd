import assert from 'node:assert/strict';
import {test} from 'node:test';
import {presetNames, presets} from '../../../src/presets/index.js';
import {besidePublished, forTerminal} from '../../../src/report/tables/beside-published.js';
import {publishedSources} from '../../../src/results/published/figures.js';
import {completedRecord, trialOf} from '../../exports/completed-record.js';

const valid = {status: 'valid', warnings: []};
const suspect = {status: 'suspect', warnings: [{code: 'few-trials', message: '', advice: ''}]};

/** @param {Record<string, unknown>} [fields] */
function record(fields = {}) {
  return completedRecord({
    ...{labels: labelsOf('TCP'), phases: {}, rtt: null, verdict: valid, machine: 'AMD EPYC'},
    ...{trials: [{used: true, histogram: null}], counts: {received: 100}, hosts: {broker: null}},
    cpu: {client: {percent: 24.3}, server: {percent: 25.9}, broker: null},
    ...fields,
  });
}

/** @param {string} facilitator @param {string[]} [settings] @param {string} [persistent] */
function labelsOf(facilitator, settings = [], persistent = '*N/A*') {
  return {facilitator, qualifier: null, settings, persistent};
}

/** The cells of the rows that hold this text. @param {string} markdown @param {string} text */
function rowsWith(markdown, text) {
  return markdown
    .split('\n')
    .filter((line) => line.startsWith('|') && line.includes(text))
    .map((line) =>
      line
        .split(/(?<!\\)\|/)
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}

/** @type {{says: string, preset: string, fields: Record<string, unknown>, row: string[], ratio?: string}[]} */
const measured = [
  {
    says: 'A mean is in ms, and says whether the messages were persistent',
    preset: 'perf-battle-2016',
    fields: {
      ...{labels: labelsOf('RabbitMQ', ['Nagle on'], 'Yes'), verdict: suspect, environment: 'EC2'},
      ...{machine: 't2.micro', payloadBytes: 102_400, rtt: {meanMs: 7.33}},
    },
    row: ['RabbitMQ (Nagle on, suspect)', 'mean RTT, persistent=Yes', '100kb', '7.3300 ms', 'EC2 / t2.micro'],
    // The fastest published one is 3.0374 ms.
    ratio: '2.41×',
  },
  {
    says: 'A mean of a transport without persistence says so',
    preset: 'perf-battle-2016',
    fields: {labels: labelsOf('HTTP'), rtt: {meanMs: 0.95541}},
    row: ['HTTP', 'mean RTT, persistent=N/A', '1kb', '0.9554 ms', 'local / AMD EPYC'],
    ratio: '1.00×',
  },
  {
    says: 'Calls are counted per second',
    preset: 'endurox-rpc',
    fields: {payloadBytes: 4064, throughput: {messagesPerSecond: 1299.7}},
    row: ['TCP', 'RPC', '4064b', '1300 calls/s', 'local / AMD EPYC'],
  },
  {
    says: 'Messages one way are counted per second by the receiver',
    preset: 'endurox-oneway',
    fields: {payloadBytes: 32, throughput: {messagesPerSecond: 54_321}},
    row: ['TCP', 'one way', '32b', '54321 msg/s', 'local / AMD EPYC'],
  },
  {
    says: 'With a closing call the sender times',
    preset: 'endurox-04',
    fields: {
      workload: 'stream',
      phases: {sender: {messages: 100, meanMs: 2, messagesPerSecond: 50_000}},
      throughput: {messagesPerSecond: 60_000},
    },
    row: ['TCP', 'one way, by the sender', '1kb', '50000 calls/s', 'local / AMD EPYC'],
  },
  {
    says: 'Pairs into and out of a queue are counted per second',
    preset: 'endurox-05',
    fields: {labels: labelsOf('RabbitMQ', ['pairwise'], 'Yes'), throughput: {messagesPerSecond: 333.3}},
    row: ['RabbitMQ (pairwise)', 'enqueue and dequeue', '1kb', '333 pairs/s', 'local / AMD EPYC'],
  },
  {
    says: 'Ten thousand echoes have the time of all together',
    preset: 'socketpro-echo',
    fields: {payloadBytes: 16, counts: {received: 10_000}, throughput: {messagesPerSecond: 40_000}},
    row: ['TCP', 'Echo x10000', '16b', '250 ms total', 'local / AMD EPYC'],
  },
  {
    says: 'Fewer echoes are scaled, and the row says from how many a trial',
    preset: 'socketpro-echo',
    fields: {
      ...{payloadBytes: 16, counts: {received: 1000}, throughput: {messagesPerSecond: 400_000}},
      trials: [
        {used: true, histogram: null},
        {used: false, histogram: null},
        {used: true, histogram: null},
      ],
    },
    row: ['TCP', 'Echo x10000, scaled from 500', '16b', '25.0 ms total', 'local / AMD EPYC'],
  },
  {
    says: 'A hundred record sets have the time of all together',
    preset: 'socketpro-recordset',
    fields: {payloadBytes: 8389, counts: {received: 100}, throughput: {messagesPerSecond: 5000}},
    row: ['TCP', 'record set x100', '8389b', '20.0 ms total', 'local / AMD EPYC'],
  },
];

for (const {says, preset, fields, row, ratio} of measured) {
  test(`${says}: ${row[3]}`, () => {
    const markdown = besidePublished(presets[preset], [record(fields)]);
    const rows = rowsWith(markdown, 'measured here').filter(([, what]) => !what.startsWith('CPU'));
    assert.deepEqual(rows, [[...row, 'measured here', ...(ratio ? [ratio] : [])]]);
  });
}

test('The variants of a transport have different names, and a suspect record is marked', () => {
  const labels = {...labelsOf('RabbitMQ', ['manual ack']), qualifier: 'mode 1'};
  const markdown = besidePublished(presets['endurox-rpc'], [record({labels, verdict: suspect})]);
  assert.equal(rowsWith(markdown, 'measured here')[0][0], 'RabbitMQ mode 1 (manual ack, suspect)');
});

test('A queue has a row for what went in and one for what came out, each beside its like', () => {
  const phases = {
    enqueue: {messages: 1000, meanMs: 60, messagesPerSecond: 16_667},
    dequeue: {messages: 1000, meanMs: 40.04, messagesPerSecond: 24_975},
  };
  const labels = labelsOf('RabbitMQ', [], 'Yes');
  const fields = {workload: 'queue', labels, payloadBytes: 200, phases};
  const markdown = besidePublished(presets['socketpro-queue'], [record(fields)]);
  const ours = rowsWith(markdown, 'measured here').map(([, what, , figure]) => [what, figure]);
  assert.deepEqual(ours, [
    ['enqueue 100000 durable, scaled from 1000', '6000 ms total'],
    ['dequeue 100000 durable, scaled from 1000', '4004 ms total'],
  ]);
  const subjects = rowsWith(markdown, ' durable').map(
    ([, what, payload]) => `${payload} ${what.split(' ')[0]}`,
  );
  assert.deepEqual(subjects.slice(0, 10), [
    ...Array(4).fill('200 chars enqueue'),
    '200b enqueue',
    ...Array(4).fill('200 chars dequeue'),
    '200b dequeue',
  ]);
});

test('Bands are in µs, each below the published one of its kind; an unknown figure is n/a', () => {
  const trial = trialOf([...Array(900).fill(1000), ...Array(100).fill(2000)]);
  const unused = trialOf([9_000_000], {used: false});
  const fields = {payloadBytes: 256, trials: [trial, unused], throughput: {messagesPerSecond: 909_090.9}};
  const markdown = besidePublished(presets.coralmq, [record(fields)]);
  const figures = rowsWith(markdown, '256').map(
    ([system, what, , figure]) => `${system}: ${what}: ${figure}`,
  );
  assert.deepEqual(figures.slice(0, 8), [
    'CoralMQ: RTT avg, 1000000 msgs: 5.627 µs',
    'TCP: RTT avg, 1000 msgs: 1.100 µs',
    'CoralMQ: RTT min, 1000000 msgs: 4.854 µs',
    'TCP: RTT min, 1000 msgs: 1.000 µs',
    'CoralMQ: RTT max, 1000000 msgs: 78.16 µs',
    'TCP: RTT max, 1000 msgs: 2.000 µs',
    'CoralMQ: RTT 75% avg, 1000000 msgs: 5.529 µs',
    'TCP: RTT 75% avg, 1000 msgs: 1.000 µs',
  ]);
  assert.ok(figures.includes('TCP: RTT 99% avg, 1000 msgs: 1.091 µs'));
  assert.ok(figures.includes('TCP: RTT 99.999% max, 1000 msgs: n/a'));
  assert.equal(figures.at(-1), 'TCP: throughput, 1000 msgs: 909091 msg/s');
  assert.equal(figures.length, 17 + 16);
});

test('Published rows are as printed, say that they are published, and where', () => {
  const markdown = besidePublished(presets['perf-battle-2016'], [record({rtt: {meanMs: 1}})]);
  assert.deepEqual(rowsWith(markdown, '0.8266')[0], [
    ...['RabbitMQ', 'mean RTT, persistent=Yes', '1kb', '0.8266 ms', 'local / t2.micro column'],
    'published: perf-battle 2016, row 2',
    '',
  ]);
  assert.equal(rowsWith(markdown, 'published: ').length, 10);
});

test('A mean of which no like was published has no ratio', () => {
  const none = record({labels: labelsOf('TCP'), rtt: {meanMs: 1}});
  const [row] = rowsWith(besidePublished(presets['perf-battle-2016'], [none]), 'measured here');
  assert.equal(row.at(-1), '');
});

test('Figures of a size that was not measured are left out, those without a size are not', () => {
  const text = (/** @type {string} */ name, /** @type {Record<string, unknown>} */ fields) =>
    rowsWith(besidePublished(presets[name], [record(fields)]), 'published: ');
  const culture = text('socketpro-recordset', {payloadBytes: 8389});
  assert.equal(culture.length, 6);
  assert.ok(culture.every(([, what]) => what.startsWith('Culture 8 rows')));
  assert.equal(text('socketpro-echo', {payloadBytes: 16, counts: {received: 10_000}}).length, 6);
  const rpc = text('endurox-rpc', {payloadBytes: 4064}).map(([, what, payload]) => `${what}: ${payload}`);
  assert.deepEqual(rpc.slice(0, 6), [
    'CPU during RPC total: -',
    'CPU beam.smp/rbtmqsrv/rbtmqclt (top, HA section): -',
    'CPU total \\~1-2KB: -',
    'CPU exclt at small sizes: -',
    'CPU exclt/exsrv after kill ndrxd: -',
    'HA stall until retry (NDRX_TOUT): -',
  ]);
  assert.deepEqual(rpc.slice(6), ['RPC: 4 KB', 'RPC, server manual ack: largest (size not given)']);
});

test('CPU stands in per cent of one core where the text gives it', () => {
  const [, [, what, , figure]] = rowsWith(
    besidePublished(presets['endurox-rpc'], [record()]),
    'measured here',
  );
  assert.deepEqual([what, figure], ['CPU client / server', '24 / 26 %']);
});

test('Rows of one size stand together, the published ones first', () => {
  const sizesHere = [1024, 102_400, 512_000, 1_024_000];
  const records = sizesHere.map((payloadBytes) => record({payloadBytes, rtt: {meanMs: 1}}));
  const sizes = rowsWith(besidePublished(presets['perf-battle-2016'], records), 'mean RTT').map(
    ([, , payload, , , source]) => `${payload} ${source.split(' ')[0].replace(':', '')}`,
  );
  assert.deepEqual(sizes, [
    ...Array(10).fill('1kb published'),
    '1kb measured',
    ...Array(6).fill('100kb published'),
    '100kb measured',
    ...Array(6).fill('500kb published'),
    '500kb measured',
    ...Array(4).fill('1000kb published'),
    '1000kb measured',
  ]);
});

test('Only the figures of its own part of a text stand beside a preset', () => {
  const shown = (/** @type {string} */ name) =>
    rowsWith(besidePublished(presets[name], []), 'published: ').length;
  const counts = presetNames.map((name) => [name, shown(name)]);
  assert.deepEqual(Object.fromEntries(counts), {
    ...{'perf-battle-2016': 26, coralmq: 17, 'endurox-rpc': 12, 'endurox-oneway': 1},
    // Of nine configurations, four with the cache, the first size, the middle one and the last; one has no last.
    ...{'endurox-01': 26, 'endurox-02': 26, 'endurox-04': 26, 'endurox-06': 12},
    // These begin at 1 KB.
    ...{'endurox-03': 18, 'endurox-05': 18},
    ...{'socketpro-echo': 6, 'socketpro-recordset': 24, 'socketpro-queue': 24},
  });
});

test('A cell that did not complete has no row', () => {
  const failed = /** @type {any} */ ({...record(), outcome: 'failed'});
  const aborted = /** @type {any} */ ({...record(), outcome: 'aborted'});
  const markdown = besidePublished(presets['endurox-01'], [failed, aborted]);
  assert.deepEqual(rowsWith(markdown, 'measured here'), []);
});

test('Of very many sizes those nearest to the published ones are shown, with the first and the last', () => {
  const sizes = /** @type {number[]} */ (presets['endurox-rpc'].settings.payloadBytes);
  const records = sizes.map((payloadBytes) => record({payloadBytes}));
  const markdown = besidePublished(presets['endurox-rpc'], records);
  assert.deepEqual(
    rowsWith(markdown, 'RPC').flatMap(([, , payload, , , source]) =>
      source === 'measured here' ? payload : [],
    ),
    ['1b', '2560b', '4064b'],
  );
  assert.match(markdown, /^This table has 3 of the 128 measured sizes\. /m);
});

test('Below the table stand its source, the machines there, and all that cannot be compared', () => {
  for (const preset of Object.values(presets)) {
    const [, below] = besidePublished(preset, []).split(/\n\n(?=Published in )/);
    const {title, url} = publishedSources[preset.document];
    assert.ok(below.startsWith(`Published in [${title}](${url}), measured on these machines:\n\n- `));
    for (const sentence of preset.differs) assert.ok(below.includes(`\n- ${sentence}`), sentence);
    assert.doesNotMatch(below, /\n$/);
  }
});

test('What a name has that means something in markdown is escaped', () => {
  const fields = {machine: 'a|b *c*', labels: labelsOf('TCP', ['<x>'])};
  const markdown = besidePublished(presets['endurox-01'], [record(fields)]);
  assert.ok(markdown.includes('local / a\\|b \\*c\\*'));
  assert.ok(markdown.includes('TCP (\\<x>)'));
});

test('On a terminal nothing is escaped', () => {
  const text = besidePublished(presets['endurox-rpc'], [record({payloadBytes: 1})], forTerminal);
  assert.ok(text.includes(' ~40000 calls/s '), text);
  assert.doesNotMatch(text, /\\|\]\(/);
});

test('The notes say which settings of the preset were changed', () => {
  const {settings} = presets['socketpro-echo'];
  const text = (/** @type {object} */ config) =>
    besidePublished(presets['socketpro-echo'], [record({workload: 'rtt', payloadBytes: 16, config})]);
  assert.doesNotMatch(text({...settings, rounds: 2, transport: ['tcp']}), /These notes describe/);
  assert.match(
    text({...settings, window: [1, 4]}),
    /^- These notes describe the settings of the preset\. The battle had settings other than window \[1,256\] \(/m,
  );
});

test('The notes say how many rounds and which share of the messages there were', () => {
  const trial = {used: true, histogram: null};
  const notes = (/** @type {object[]} */ trials, /** @type {object} */ config) =>
    besidePublished(presets['socketpro-queue'], [record({trials, config})]);
  assert.match(
    notes([trial, trial], {scale: 1}),
    /^- The text ran everything once\. Here there are 2 rounds, /m,
  );
  assert.doesNotMatch(notes([trial], {scale: 1}), /5 rounds|--scale/);
  assert.match(
    notes([trial], {scale: 0.01}),
    /^- The text ran everything once, as here\. .*\n- With --scale 0\.01 /m,
  );
  const repeated = [1, 2, 2].map((round, index) => ({...trial, round, startedAt: String(index)}));
  assert.match(notes(repeated, {scale: 1}), / Here there are 2 rounds, which give an interval\.$/m);
  const alone = [
    {...trial, round: 1},
    {...trial, round: 2, used: false},
  ];
  assert.match(notes(alone, {scale: 1}), / Here there are 2 rounds\.$/m);
});

import assert from 'node:assert/strict';
import {test} from 'node:test';
import {meanRoundTrips} from '../../src/columns/tables.js';
import {publishedTable} from '../../src/report/tables/markdown-tables.js';
import {appendResultRows} from '../../src/report/tables/results-table.js';
import {
  PUBLISHED_SOURCE,
  publishedFigures,
  publishedMachines,
  publishedRows,
  publishedSources,
} from '../../src/results/published/figures.js';

/** @import {DocumentName} from '../../src/results/published/figures.js' */

const documents = /** @type {DocumentName[]} */ (Object.keys(publishedSources));

const counts = {
  'perf-battle-readme': {figures: 26, units: ['ms']},
  'endurox-benchmark-doc': {figures: 714, units: ['calls/s', 'pairs/s']},
  'endurox-vs-rabbitmq': {figures: 13, units: ['%', 'calls/s', 's', 'x']},
  'coralmq-numbers': {figures: 17, units: ['msg/s', 'us']},
  'socketpro-vs-wcf-rabbitmq': {figures: 54, units: ['ms total']},
};

for (const document of documents) {
  test(`${document} has all of its figures, in its own units`, () => {
    const figures = publishedFigures(document);
    const units = [...new Set(figures.map(({unit}) => unit))].toSorted();
    assert.deepEqual({figures: figures.length, units}, counts[document]);
  });

  test(`Every figure of ${document} says what, where, how much and from which place of the text`, () => {
    for (const {value, payloadBytes, ...printed} of publishedFigures(document)) {
      const keys = ['document', 'environment', 'figure', 'payload', 'scenario', 'source', 'system', 'unit'];
      assert.deepEqual(Object.keys(printed).toSorted(), keys);
      for (const text of Object.values(printed)) assert.match(text, /\S/);
      assert.ok(payloadBytes === null || Number.isInteger(payloadBytes));
      if (typeof value === 'number') assert.equal(value, Number(printed.figure));
      else assert.match(printed.figure, value === null ? /^[~<]\d+$/ : /^[\d.]+(\/[\d.]+)+$/);
    }
  });

  test(`Of ${document} it is known where it is, and what it was measured with`, () => {
    const {title, url, label} = publishedSources[document];
    assert.match(url, /^https?:\/\//);
    for (const text of [title, label, ...publishedMachines(document)]) assert.match(text, /\S/);
    assert.ok(publishedMachines(document).length > 0);
  });
}

test('There are 110 figures in the texts, and 714 in the data files of the charts', () => {
  const inCharts = publishedFigures('endurox-benchmark-doc').length;
  assert.deepEqual([documents.flatMap(publishedFigures).length - inCharts, inCharts], [110, 714]);
});

test('Each figure of a chart names its file and its commit, and no configuration has two figures of one size', () => {
  const figures = publishedFigures('endurox-benchmark-doc');
  for (const {source} of figures)
    assert.match(source, /^0[1-6]_\w+\.txt at [\da-f]{9} \(20\d\d-\d\d-\d\d\)$/);
  const places = figures.map(({source, environment, payload}) =>
    [source.split(' ')[0], environment, payload].join(),
  );
  assert.equal(new Set(places).size, figures.length);
});

/** @type {[environment: RegExp, payload: string, figure: string, source: string][]} */
const inCharts = [
  [/i5-2520M/, '1 B', '82002', '01_tpcall.txt at 3f3f1d5c7 (2016-07-12)'],
  [/i7-6600U/, '1 B', '109776', '01_tpcall.txt at 4cdc993a1 (2019-02-07)'],
  [/i7-6600U/, '1 KB', '106183', '01_tpcall.txt at 4cdc993a1 (2019-02-07)'],
  [/X1 Carb/, '1 B', '75607', '01_tpcall.txt at f6c8f11cb (2021-03-16)'],
  [/AIX7\.2/, '53 KB', '215', '05_persistent_storage.txt at 8f05bb4df (2021-03-17)'],
];
for (const [place, payload, figure, source] of inCharts) {
  test(`A data file has ${figure} for ${payload}: ${source}`, () => {
    const found = publishedFigures('endurox-benchmark-doc').filter(
      (one) => one.source === source && one.payload === payload && place.test(one.environment),
    );
    assert.deepEqual(
      found.map((one) => one.figure),
      [figure],
    );
  });
}

/** @type {{what: string, document: DocumentName, find: string, value: unknown, payloadBytes: number | null}[]} */
const readings = [
  {what: 'A number', document: 'coralmq-numbers', find: '78.16', value: 78.16, payloadBytes: 256},
  {what: 'About a number', document: 'endurox-vs-rabbitmq', find: '~40000', value: null, payloadBytes: 1},
  {what: 'A bound', document: 'endurox-vs-rabbitmq', find: '<5000', value: null, payloadBytes: 2560},
  {
    ...{what: 'Several numbers', document: 'endurox-vs-rabbitmq', find: '87.7/25.9/24.3'},
    ...{value: [87.7, 25.9, 24.3], payloadBytes: null},
  },
  {
    ...{what: 'The beginning of a curve', document: 'endurox-vs-rabbitmq', find: '3632'},
    ...{value: 3632, payloadBytes: 1},
  },
  {
    ...{what: 'A payload in characters', document: 'socketpro-vs-wcf-rabbitmq', find: '202000'},
    ...{value: 202_000, payloadBytes: 10_240},
  },
  {
    ...{what: 'A record set of 4.086 MB', document: 'socketpro-vs-wcf-rabbitmq', find: '135800'},
    ...{value: 135_800, payloadBytes: 4_284_482},
  },
  {
    ...{what: 'A figure without a payload', document: 'socketpro-vs-wcf-rabbitmq', find: '712'},
    ...{value: 712, payloadBytes: null},
  },
];
for (const {what, document, find, ...expected} of readings) {
  test(`${what} is read as such: ${find}`, () => {
    const {value, payloadBytes} = publishedFigures(document).find(({figure}) => figure === find) ?? {};
    assert.deepEqual({value, payloadBytes}, expected);
  });
}

test('Each caller gets figures of its own', () => {
  const [first] = publishedFigures('coralmq-numbers');
  first.figure = 'changed';
  assert.equal(publishedFigures('coralmq-numbers')[0].figure, '5.627');
});

test('All twenty published rows are there, in order, with their twenty-six figures', () => {
  const rows = publishedRows();
  assert.deepEqual(
    rows.map(({id}) => id),
    Array.from({length: 20}, (_, index) => index + 1),
  );
  const figures = rows.flatMap(({rtt}) => Object.values(rtt)).filter((figure) => figure !== null);
  assert.equal(figures.length, 26);
  for (const {printed, ms} of figures) {
    assert.match(printed, /^\d+\.\d{3,4} ms$/);
    assert.equal(ms, Number(printed.replace(' ms', '')));
  }
});

test('The published rows say what the source says', () => {
  const [first, , third] = publishedRows();
  assert.deepEqual(first, {
    id: 1,
    facilitator: 'RabbitMQ',
    environment: 'local',
    payload: '1kb',
    persistent: 'No',
    rtt: {'t2.micro': {printed: '0.7670 ms', ms: 0.767}, 'm4.xlarge': null},
  });
  assert.deepEqual(third?.rtt['m4.xlarge'], {printed: '0.8530 ms', ms: 0.853});
  const http = publishedRows()[11];
  assert.equal(http?.persistent, null);
  assert.deepEqual(http?.rtt, {'t2.micro': null, 'm4.xlarge': {printed: '4.983 ms', ms: 4.983}});
});

test('Each caller gets rows of its own', () => {
  const [first] = publishedRows();
  if (first) first.facilitator = 'changed';
  assert.equal(publishedRows()[0]?.facilitator, 'RabbitMQ');
});

test('The published table has the figures as printed, marked as published, with their source', () => {
  const [sentence, gap, header, delimiter, ...rows] = publishedTable().split('\n');
  assert.match(sentence ?? '', /published in 2016.*this program did not measure/);
  assert.ok(sentence?.includes(PUBLISHED_SOURCE.title));
  assert.equal(gap, '');
  assert.match(header ?? '', /^\| Published \| Transport .*\| RTT t2\.micro \| RTT m4\.xlarge \|$/);
  assert.match(delimiter ?? '', /^[| -]+$/);
  assert.equal(rows.length, 20);
  assert.match(
    rows[11] ?? '',
    /^\| 12 +\| HTTP +\| EC2 +\| 1kb +\| \*N\/A\* +\| \*N\/A\* +\| 4\.983 ms +\|$/,
  );
});

test('Measured rows are never appended to the published table', () => {
  const row = {
    facilitator: 'HTTP',
    environment: 'local',
    payloadSize: '1kb',
    persistent: '*N/A*',
    figures: {box: 1},
  };
  const appended = appendResultRows(`${publishedTable()}\n`, [row], meanRoundTrips);
  assert.ok(appended.startsWith(`${publishedTable()}\n\n<!--`));
});

import assert from 'node:assert/strict';
import {test} from 'node:test';
import {publishedTable} from '../../src/report/published-table.js';
import {appendResultRows} from '../../src/report/results-table.js';
import {PUBLISHED_SOURCE, publishedRows} from '../../src/results/published.js';

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

test('Changing the rows that one got changes nobody else’s', () => {
  const [first] = publishedRows();
  if (first) first.facilitator = 'changed';
  assert.equal(publishedRows()[0]?.facilitator, 'RabbitMQ');
});

test('The published table has the figures as printed, marked as published, with their source', () => {
  const [sentence, gap, header, delimiter, ...rows] = publishedTable().split('\n');
  assert.match(sentence ?? '', /published in 2016.*this program did not measure/);
  assert.ok(sentence?.includes(PUBLISHED_SOURCE.title));
  assert.equal(gap, '');
  assert.match(header ?? '', /^\| Published \| Facilitator .*\| RTT t2\.micro \| RTT m4\.xlarge \|$/);
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
    rttMs: {box: 1},
  };
  assert.ok(appendResultRows(`${publishedTable()}\n`, [row]).startsWith(`${publishedTable()}\n\n<!--`));
});

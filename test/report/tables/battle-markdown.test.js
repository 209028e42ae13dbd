import assert from 'node:assert/strict';
import {test} from 'node:test';
import {battleMarkdown} from '../../../src/report/tables/battle-markdown.js';
import {completedRecord} from '../../exports/completed-record.js';

/** @param {string} transport @param {number} meanMs @param {Record<string, unknown>} [changes] */
const record = (transport, meanMs, changes = {}) =>
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

const warning = {code: 'run-delay', message: 'The roles | waited.', advice: 'Wait.'};

test('a battle as markdown has a sentence for each payload, a table with verdicts, and the reasons, folded', () => {
  const records = [
    record('http', 0.2),
    record('tcp', 0.1, {verdict: {status: 'suspect', warnings: [warning]}}),
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
    ...record('http', 1),
    outcome: 'failed',
    error: {code: 'PB_RUN', message: 'It <b>broke</b>.'},
  });
  assert.match(
    battleMarkdown([failed, record('tcp', 0.1)], 'tcp'),
    /\n- Failed: HTTP, 1kb: It \\<b>broke\\<\/b>\.\n/,
  );
  assert.equal(battleMarkdown([failed], 'tcp'), '- Failed: HTTP, 1kb: It \\<b>broke\\</b>.');
});

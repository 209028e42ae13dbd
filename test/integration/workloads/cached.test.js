import assert from 'node:assert/strict';
import {readdir} from 'node:fs/promises';
import {describe, it} from 'node:test';
import {cellRecord} from '../../../src/results/record-schema.js';
import {sharedBroker} from '../support/broker.js';
import {inAWorkplace} from '../support/each-in-a-workplace.js';
import {freePort} from '../support/ports.js';
import {usedTrials} from '../support/used-trials.js';

/**
 * @import {CellRecord, CompletedRecord} from '../../../src/results/record-schema.js'
 * @import {Workplace} from '../support/workplace.js'
 */

const quick = [
  '--workload',
  'cached',
  '--payload',
  '1kb',
  '--rounds',
  '1',
  '--warmup',
  '50',
  '--json',
  '--quiet',
];

describe('requests through a cache', {timeout: 1_200_000, concurrency: 2}, () => {
  const broker = sharedBroker();

  /**
   * @param {Workplace} workplace
   * @param {string[]} flags
   * @param {NodeJS.ProcessEnv} [environment]
   * @returns {Promise<CompletedRecord[]>}
   */
  async function measure(workplace, flags, environment) {
    const {code, stdout, stderr} = await workplace.battle([...quick, ...flags], environment);
    assert.deepEqual({code, stderr}, {code: 0, stderr: ''});
    const cells = JSON.parse(stdout).cells.map((/** @type {unknown} */ cell) => cellRecord.parse(cell));
    return cells.map((/** @type {CellRecord} */ cell) => {
      if (cell.outcome !== 'completed') assert.fail(JSON.stringify(cell));
      return cell;
    });
  }

  it(
    'hit as often as was asked for, and a hit takes a small part of a miss, over every transport',
    inAWorkplace(async (workplace) => {
      const flags = [
        '--transport',
        'http,websocket,rabbitmq',
        '--http-server',
        'node',
        '--delivery-mode',
        '1',
        '--samples',
        '200',
      ];
      const cells = await measure(workplace, [...flags, '--hit-ratio', '0,0.9,1'], broker().environment);
      assert.equal(cells.length, 12);
      for (const cell of cells) {
        const sent = 200 * usedTrials(cell);
        const hits = sent * /** @type {number} */ (cell.variant.hitRatio);
        assertMixed(cell, {hits, misses: sent - hits});
      }
    }),
  );

  it(
    'have their share of hits over any duration, to a block of a hundred',
    inAWorkplace(async (workplace) => {
      const flags = ['--transport', 'tcp', '--duration', '2s', '--hit-ratio', '0.75'];
      const [cell] = await measure(workplace, flags);
      const {hit, miss} = cell.latencies;
      const expected = 0.75 * (hit.samples + miss.samples);
      assert.ok(hit.samples + miss.samples > 200);
      assert.ok(
        Math.abs(hit.samples - expected) <= 25 * cell.trials.length,
        `${hit.samples} hits, ${miss.samples} misses`,
      );
      assertMixed(cell, {hits: hit.samples, misses: miss.samples});
    }),
  );

  it(
    'may be kept in a database on a RAM drive, of which nothing is left',
    inAWorkplace(async (workplace) => {
      const before = await cachesInMemory();
      const flags = ['--transport', 'tcp', '--samples', '400', '--hit-ratio', '0.5'];
      const cells = await measure(workplace, [...flags, '--cache-in', 'memory,lmdb']);
      assert.deepEqual(
        cells.map(({variant}) => variant.cacheIn),
        ['memory', 'lmdb'],
      );
      for (const cell of cells) {
        const half = 200 * usedTrials(cell);
        assertMixed(cell, {hits: half, misses: half});
      }
      const [inMemory, inLmdb] = cells.map(({latencies}) => latencies.hit?.minMs ?? 0);
      assert.ok(inLmdb > inMemory, `${inLmdb} ms, ${inMemory} ms`);
      assert.deepEqual(await cachesInMemory(), before);
    }),
  );

  it(
    'are told by hand, hits beside misses',
    inAWorkplace(async (workplace) => {
      const environment = {PB_WORKLOAD: 'cached', PB_SERVER_PORT: String(await freePort())};
      const server = workplace.start('websocket-server', [], environment);
      await server.says(/server ready/);
      const parameters = {PB_SAMPLES: '200', PB_WARMUP: '20', PB_HIT_RATIO: '0.5'};
      const client = await workplace.run('websocket-client', [], {...environment, ...parameters});
      assert.equal(client.code, 0, client.stderr);
      assert.match(client.stdout, /\nmean \d+\.\d+ ms\n/);
      assert.match(client.stdout, /\nhit: mean .+\nmiss: mean .+\n/);
    }),
  );
});

async function cachesInMemory() {
  return (await readdir('/dev/shm')).filter((name) => name.startsWith('perf-battle-'));
}

/** @param {CompletedRecord} cell @param {{hits: number, misses: number}} expected */
function assertMixed(cell, {hits, misses}) {
  const {
    counts,
    rtt,
    latencies: {hit, miss},
    throughput,
  } = cell;
  const {sent, received, lost, verified, timedOut} = counts;
  assert.deepEqual({received, lost, timedOut}, {received: sent, lost: 0, timedOut: 0});
  assert.deepEqual([hit?.samples ?? 0, miss?.samples ?? 0], [hits, misses]);
  const used = usedTrials(cell);
  assert.ok(Math.abs(verified - misses - hits / 100) <= 2 * used);
  const [hitMs, missMs] = [hit?.meanMs ?? 0, miss?.meanMs ?? 0];
  if (hit && miss) assert.ok(hitMs * 3 < missMs, `hits ${hitMs} ms, misses ${missMs} ms`);
  const mean = (hits * hitMs + misses * missMs) / sent;
  // The mean of a cell is that of its trial means; a disturbed trial was repeated, and each had as many requests as it had.
  if (used > 1) return;
  assert.ok(rtt?.meanMs && Math.abs(rtt.meanMs - mean) <= 1e-9 * sent);
  assert.ok(Math.abs(throughput.messagesPerSecond * mean - 1000) < 1);
}

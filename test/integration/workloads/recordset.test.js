import assert from 'node:assert/strict';
import {describe, it} from 'node:test';
import {cellRecord} from '../../../src/results/record-schema.js';
import {recordSetBytes} from '../../../src/workloads/recordset/request.js';
import {sharedBroker} from '../support/broker.js';
import {inAWorkplace} from '../support/each-in-a-workplace.js';
import {freePort} from '../support/ports.js';
import {usedTrials} from '../support/used-trials.js';

/**
 * @import {CellRecord, CompletedRecord} from '../../../src/results/record-schema.js'
 * @import {Workplace} from '../support/workplace.js'
 */

const quick = '--workload recordset --samples 20 --rounds 1 --warmup 5 --json --quiet'.split(' ');

describe('answers of many rows', {timeout: 1_200_000, concurrency: 2}, () => {
  const broker = sharedBroker();

  it(
    'come whole over TCP, HTTP and WebSocket, streamed and preloaded, several at once',
    inAWorkplace(async (workplace) => {
      const cells = await measure(
        workplace,
        '--rows 504 --window 16 --transport http,websocket --http-server node',
      );
      const places = cells.map(({transport, variant: {rows, delivery, window}}) =>
        [transport, rows, delivery, window].join(' '),
      );
      assert.deepEqual(
        places.toSorted(),
        ['tcp', 'http', 'websocket']
          .flatMap((transport) => [`${transport} 504 streamed 16`, `${transport} 504 preloaded 16`])
          .toSorted(),
      );
      assertWhole(cells, 1);
      await assertRowsCounted(workplace, cells);
    }),
  );

  it(
    'come whole when they have many chunks, and with every value compared',
    inAWorkplace(async (workplace) => {
      const flags = '--rows 4000 --transport http,websocket --http-server node --window 16 --verify all';
      assertWhole(await measure(workplace, flags), 20);
    }),
  );

  it(
    'come whole over RabbitMQ, several answers of many messages at once',
    inAWorkplace(async (workplace) => {
      const flags = '--rows 4000 --transport rabbitmq --delivery-mode 1 --window 16 --verify all';
      const cells = await measure(workplace, flags, broker().environment);
      const overBroker = cells.filter(({transport}) => transport === 'rabbitmq');
      assert.equal(overBroker.length, 2);
      assertWhole(overBroker, 20);
      await assertRowsCounted(workplace, cells);
    }),
  );

  it(
    'come whole with confirms and manual acknowledgement',
    inAWorkplace(async (workplace) => {
      const flags = '--rows 2679 --transport rabbitmq --delivery-mode 2 --rabbitmq-confirms on --window 4';
      const cells = await measure(workplace, flags, broker().environment);
      assertWhole(cells, 1);
    }),
  );

  for (const transport of ['tcp', 'http', 'websocket']) {
    it(
      `come by hand over ${transport}, one after the other, delivered as the client asks`,
      inAWorkplace(async (workplace) => {
        const port = String(await freePort());
        const environment = {PB_WORKLOAD: 'recordset', PB_SERVER_PORT: port, PB_ROWS: '504'};
        const server = workplace.start(`${transport}-server`, [], environment);
        await server.says(/server ready/);
        for (const PB_DELIVERY of ['streamed', 'preloaded']) {
          const parameters = {
            PB_DELIVERY,
            PB_WINDOW: '1',
            PB_SAMPLES: '40',
            PB_WARMUP: '5',
            PB_OUTPUT: 'ndjson',
          };
          const client = await workplace.run(`${transport}-client`, [], {...environment, ...parameters});
          assert.equal(client.code, 0, client.stderr);
          const {counts, notes} = JSON.parse(client.stdout.trimEnd().split('\n').at(-1) ?? '');
          assert.deepEqual([counts.received, counts.verified, counts.corrupted], [40, 1, 0]);
          assert.deepEqual(notes, {rows: 40 * 504});
        }
      }),
    );
  }

  it(
    'are told from those of a server with another seed',
    inAWorkplace(async (workplace) => {
      const port = String(await freePort());
      const environment = {PB_WORKLOAD: 'recordset', PB_SERVER_PORT: port, PB_ROWS: '8', PB_WINDOW: '1'};
      const server = workplace.start('tcp-server', [], {...environment, PB_SEED: '2'});
      await server.says(/server ready/);
      const parameters = {PB_SAMPLES: '20', PB_WARMUP: '5'};
      const client = await workplace.run('tcp-client', [], {...environment, ...parameters});
      assert.match(client.stdout, /corrupted: 1\n/);
    }),
  );
});

/**
 * @param {Workplace} workplace
 * @param {string} flags
 * @param {NodeJS.ProcessEnv} [environment]
 * @returns {Promise<CompletedRecord[]>}
 */
async function measure(workplace, flags, environment) {
  const {code, stdout, stderr} = await workplace.battle([...quick, ...flags.split(' ')], environment);
  assert.deepEqual({code, stderr}, {code: 0, stderr: ''});
  const cells = JSON.parse(stdout).cells.map((/** @type {unknown} */ cell) => cellRecord.parse(cell));
  return cells.map((/** @type {CellRecord} */ cell) => {
    if (cell.outcome !== 'completed') assert.fail(JSON.stringify(cell));
    return cell;
  });
}

/**
 * @param {readonly CompletedRecord[]} cells
 * @param {number} verified of the 20 answers of a trial
 */
function assertWhole(cells, verified) {
  for (const cell of cells) {
    const {counts, payloadBytes, variant, rtt, throughput} = cell;
    const used = usedTrials(cell);
    const {sent, received, lost, corrupted, timedOut} = counts;
    assert.deepEqual(
      {sent, received, lost, corrupted, timedOut, verified: counts.verified},
      {sent: 20 * used, received: 20 * used, lost: 0, corrupted: 0, timedOut: 0, verified: verified * used},
    );
    assert.equal(payloadBytes, recordSetBytes(/** @type {number} */ (variant.rows)));
    assert.equal(rtt?.samples, 20 * used);
    assert.ok(throughput.messagesPerSecond > 0);
  }
}

/** @param {Workplace} workplace @param {readonly CompletedRecord[]} cells in the order of the plan */
async function assertRowsCounted(workplace, cells) {
  const trials = (await workplace.journal()).filter(({kind}) => kind === 'trial');
  assert.ok(trials.length >= cells.length);
  for (const {cell, notes} of trials) {
    assert.equal(notes.rows, 20 * /** @type {number} */ (cells[cell - 1].variant.rows));
  }
}

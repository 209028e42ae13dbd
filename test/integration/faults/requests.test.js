import assert from 'node:assert/strict';
import {describe, it} from 'node:test';
import {fileURLToPath} from 'node:url';
import {inAWorkplace} from '../support/each-in-a-workplace.js';
import {assertOutage} from '../support/run-faults.js';

/** @import {Conclusion} from '../../../src/faults/found.js' */

const transports = [
  ...['http2', 'grpc', 'sse', 'socketio', 'zeromq'],
  ...['unix', 'udp', 'posix-mq', 'shared-memory'],
];
const window = 16;
/**
 * During an outage, a transport that connects for each request sends one at a time, after a wait that doubles from 25 to 500 ms
 * of which jitter leaves at least half.
 */
const probesWithin = (/** @type {number} */ ms) => 5 + Math.ceil(ms / 250);

describe('faults with requests without a broker', {timeout: 600_000}, () => {
  it(
    'account for each request to a server that is killed, over every transport, and go on with it',
    inAWorkplace(async (workplace) => {
      const words = ['faults', '--transport', transports.join(), '--fault', 'kill-server', '--tries', '1'];
      const {code, stdout, stderr} = await workplace.start(
        'battle',
        [...words, '--window', String(window), '--restart-after', '200ms', '--json'],
        {},
        {patienceMs: 600_000},
      ).ended;
      assert.equal(code, 0, stderr);
      /** @type {{faults: {notTried: unknown[]}, rows: (Conclusion & {error: unknown})[]}} */
      const {rows, faults} = JSON.parse(stdout);
      assert.deepEqual(faults.notTried, []);
      assert.deepEqual(new Set(rows.map(({row}) => row.transport)), new Set(transports));
      for (const {row, error, faults: own} of rows) {
        assert.equal(error, null, row.transport);
        const [{outcome, account, outageMs, outageEnd}] = own;
        assert.ok(account && (outcome === 'kept' || outcome === 'lost'), `${row.transport}: ${outcome}`);
        const {sent, confirmed, received, lost, retried} = account;
        const most = window + probesWithin(Number(outageMs));
        assert.ok(confirmed > 100 && lost <= most, `${row.transport}: ${confirmed} answered, ${lost} lost`);
        assert.deepEqual([received, sent - received, retried], [confirmed, lost, 0], row.transport);
        assert.equal(outageEnd, 'ended', row.transport);
        assertOutage(outageMs, 200, row.transport);
      }
      assert.deepEqual(await workplace.leftovers(), []);
    }),
  );

  it(
    'account for requests for rows and for requests through a cache, of which the cache answers most',
    inAWorkplace(async (workplace) => {
      // A battle with a fault is the same.
      const words = ['--transport', 'tcp', '--workload', 'recordset,cached', '--fault', 'kill-server@1s'];
      const {code, stdout, stderr} = await workplace.start(
        'battle',
        [...words, '--window', String(window), '--rate', '200', '--restart-after', '300ms', '--json'],
        {},
        {patienceMs: 120_000},
      ).ended;
      assert.equal(code, 0, stderr);
      /** @type {{rows: (Conclusion & {error: unknown})[]}} */
      const {rows} = JSON.parse(stdout);
      assert.deepEqual(
        rows.map(({row}) => [row.workload, row.payloadBytes, row.labels.settings.join()]),
        [
          ['recordset', 8389, '8 rows,streamed,recordset'],
          ['cached', 1024, 'cached'],
        ],
      );
      for (const {row, error, faults} of rows) {
        assert.equal(error, null, row.workload);
        const [{account, outageMs, outageEnd}] = faults;
        assert.ok(account && account.confirmed > 100, row.workload);
        const {sent, confirmed, refused, open, lost} = account;
        assert.deepEqual([sent, refused, lost], [confirmed + open, 0, open], row.workload);
        assert.ok(lost <= window, `${row.workload}: ${lost} lost`);
        assert.equal(outageEnd, 'ended');
        // A cache answers until the first request that it must send.
        if (row.workload === 'recordset') assertOutage(outageMs, 300, row.workload);
      }
      assert.deepEqual(await workplace.leftovers(), []);
    }),
  );

  it(
    'report a server that ends without a fault as an error of its row, and not as lost messages; other rows go on',
    inAWorkplace(async (workplace) => {
      const ending = fileURLToPath(new URL('ending-transport.js', import.meta.url));
      const words = ['faults', '--transport', `${ending},tcp`, '--fault', 'pause-server', '--tries', '1'];
      const {code, stdout, stderr} = await workplace.start(
        'battle',
        [...words, '--restart-after', '200ms', '--json'],
        {},
        {patienceMs: 120_000},
      ).ended;
      assert.notEqual(code, 0, stderr);
      /** @type {{rows: (Conclusion & {error: {message: string} | null})[]}} */
      const {rows} = JSON.parse(stdout);
      const [ended, sound] = rows;
      assert.match(String(ended.error?.message), /server.*(ended|exit)/);
      assert.deepEqual([ended.faults, sound.error, sound.faults.length], [[], null, 1]);
      assert.deepEqual(await workplace.leftovers(), []);
    }),
  );
});

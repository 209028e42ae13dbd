import assert from 'node:assert/strict';
import {describe, it} from 'node:test';
import {fileURLToPath} from 'node:url';
import {inAWorkplace} from '../support/each-in-a-workplace.js';

/** @import {Conclusion} from '../../../src/faults/found.js' */
/** @import {Workplace} from '../support/workplace.js' */

const script = fileURLToPath(new URL('with-daemon.js', import.meta.url));

/** @param {Workplace} workplace @param {string} how of with-daemon.js */
async function killDaemonOf(workplace, how) {
  const command = `${process.execPath} ${script} ${how}`;
  const external = `Echo=${command} server,${command} client`;
  const words = ['faults', '--transport', 'external', '--external', external, '--fault', 'kill-daemon'];
  const {code, stdout, stderr} = await workplace.battle([
    ...words,
    ...['--restart-after', '300ms', '--timeout', '2s', '--json'],
  ]);
  /** @type {{rows: Conclusion[]}} */
  const {rows} = JSON.parse(stdout);
  assert.equal(rows.length, 1, stderr);
  return {code, stderr, row: rows[0]};
}

describe('faults with programs', {timeout: 600_000}, () => {
  it(
    'kill a daemon beside the requests, which go on',
    inAWorkplace(async (workplace) => {
      const {code, stderr, row} = await killDaemonOf(workplace, 'beside');
      assert.equal(code, 0, stderr);
      assert.equal(row.error, null);
      const [{fault, tries, outcome, account, outageEnd, timeline}] = row.faults;
      assert.deepEqual([fault, tries, outcome, outageEnd], ['kill-daemon', 1, 'kept', 'ended']);
      assert.ok(account && account.sent > 100, JSON.stringify(account));
      const {sent, confirmed, received, lost, open, refused} = account;
      assert.deepEqual([confirmed, received, lost, open, refused], [sent, sent, 0, 0, 0]);
      // The load began 2 s before the kill, and went on for more than 3 s after it.
      const [{fromMs}] = timeline.faults;
      assert.ok(fromMs >= 1900, `${fromMs} ms`);
      const after = timeline.goodPerSecond.slice(Math.ceil((fromMs + 1000) / timeline.partMs));
      assert.ok(after.length > 0 && after.some((rate) => rate > 0), JSON.stringify(timeline));
      assert.deepEqual(await workplace.leftoversWithin(3000), []);
    }),
  );

  for (const {how, message} of [
    {how: 'through', message: /ECONNRESET|closed the connection/},
    {how: 'none', message: /has named no daemon/},
    {how: 'stranger', message: /named the process \d+ as its daemon, and has not started it/},
  ])
    it(
      `fail the row of a program whose daemon is "${how}"`,
      inAWorkplace(async (workplace) => {
        const {code, stderr, row} = await killDaemonOf(workplace, how);
        assert.equal(code, 1, stderr);
        assert.match(row.error?.message ?? '', message);
        assert.deepEqual(row.faults, []);
        assert.deepEqual(await workplace.leftoversWithin(3000), []);
      }),
    );

  it(
    'take part in a preset that kills their daemon',
    inAWorkplace(async (workplace) => {
      const preset = ['--preset', 'endurox-ha-main', '--dry-run'];
      const {code, stdout, stderr} = await workplace.battle([...preset, '--external', 'Echo=true,true']);
      assert.equal(code, 0, stderr);
      assert.match(stdout, /^kill-broker .*: RabbitMQ mode 1$/m);
      assert.match(stdout, /^kill-daemon .*, once: Echo$/m);
      assert.doesNotMatch((await workplace.battle(preset)).stdout, /kill-daemon/);
    }),
  );

  it(
    'are refused for other faults, for queues, and behind a broker',
    inAWorkplace(async (workplace) => {
      const faults = ['faults', '--transport', 'external', '--external', 'Echo=true,true'];
      for (const {words, message} of [
        {words: [], message: /the only fault for programs is kill-daemon/},
        ...['queue', 'stream'].map((workload) => ({
          words: ['--fault', 'kill-daemon', '--workload', workload],
          message: /--workload rtt of programs alone/,
        })),
        {words: ['--fault', 'kill-daemon,kill-server'], message: /kill-server has no target here/},
      ]) {
        const {code, stderr} = await workplace.battle([...faults, ...words]);
        assert.equal(code, 2, stderr);
        assert.match(stderr, message);
      }
      const behind = await workplace.battle([...faults, '--fault', 'kill-daemon'], {PB_BROKER_KIND: 'nats'});
      assert.equal(behind.code, 2, behind.stderr);
      assert.match(behind.stderr, /programs behind a broker have no fault/);
      const {code, stderr} = await workplace.battle([
        'faults',
        '--transport',
        'http',
        '--fault',
        'kill-daemon',
      ]);
      assert.equal(code, 2, stderr);
      assert.match(stderr, /no row has programs \(--external\)/);
    }),
  );
});

import assert from 'node:assert/strict';
import {constants} from 'node:os';
import {describe, it} from 'node:test';
import {setTimeout as sleep} from 'node:timers/promises';
import {fileURLToPath} from 'node:url';
import {inAWorkplace} from '../support/each-in-a-workplace.js';
import {freePort} from '../support/ports.js';

/** @import {Program} from '../support/program.js' */

/** Interrupted battles have tests of their own (ending/interrupted.test.js). Here are the other commands, and the scripts. */

const echo = fileURLToPath(new URL('../../../examples/adapters/python/echo.py', import.meta.url));
const program = `python3 ${echo}`;

/** What a shell says of it: a signal that comes before the program listens ends it the system's way. @param {Program} started */
async function exitCodeOf(started) {
  const {code, signal} = await started.ended;
  return code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
}

describe('an interruption leaves nothing running', {timeout: 300_000, concurrency: true}, () => {
  it(
    'of check-adapter, with its programs',
    inAWorkplace(async (workplace) => {
      const programs = `P=${program} server,${program} client`;
      const check = workplace.start('battle', ['check-adapter', '--external', programs]);
      while (!(await workplace.processes()).some(({command}) => command.includes('echo.py client')))
        await Promise.race([sleep(20), check.ended.then(() => assert.fail(check.output()))]);
      check.child.kill('SIGTERM');
      assert.equal(await exitCodeOf(check), 143);
      assert.deepEqual(await workplace.leftovers(), []);
    }),
  );

  it(
    'of doctor',
    inAWorkplace(async (workplace) => {
      const doctor = workplace.start('battle', ['doctor']);
      await sleep(400);
      doctor.child.kill('SIGINT');
      // On an idle host it may be done by then.
      assert.ok([0, 130].includes(await exitCodeOf(doctor)), doctor.output());
      assert.deepEqual(await workplace.leftovers(), []);
    }),
  );

  it(
    'of choose, whose battle goes on later',
    inAWorkplace(async (workplace) => {
      const question = [
        'choose',
        '--payload',
        '1kb',
        '--rate',
        '200',
        '--p99',
        '50ms',
        '--transport',
        'websocket',
      ];
      const choose = workplace.start('battle', [
        ...question,
        '--duration',
        '200ms',
        '--warmup',
        '20',
        '--rounds',
        '2',
      ]);
      await workplace.untilFirstTrial(choose);
      choose.child.kill('SIGINT');
      assert.equal(await exitCodeOf(choose), 130);
      assert.deepEqual(await workplace.leftovers(), []);
      const resumed = await workplace.battle(['--resume', '--quiet']);
      assert.ok([0, 5].includes(Number(resumed.code)), resumed.stderr);
      assert.equal((await workplace.rows()).length, 2);
    }),
  );

  for (const [signal, code] of /** @type {const} */ ([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ]))
    it(
      `of a client by hand, while it waits for its server and while it measures, by ${signal}`,
      inAWorkplace(async (workplace) => {
        const settings = {PB_SERVER_PORT: String(await freePort()), PB_SAMPLES: '1000000000'};
        const waiting = workplace.start('tcp-client', [], settings);
        await waiting.says(/waiting up to 30 s/);
        waiting.child.kill(signal);
        assert.equal(await exitCodeOf(waiting), code);
        const server = workplace.start('tcp-server', [], settings);
        await server.says(/server ready/);
        const measuring = workplace.start('tcp-client', [], {...settings, PB_OUTPUT: 'ndjson'});
        await measuring.says(/"ready"/);
        for (const script of [measuring, server]) {
          script.child.kill(signal);
          assert.equal(await exitCodeOf(script), code);
        }
        assert.deepEqual(await workplace.leftovers(), []);
      }),
    );
});

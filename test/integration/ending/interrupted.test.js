import assert from 'node:assert/strict';
import {constants} from 'node:os';
import {describe, it} from 'node:test';
import {setTimeout as sleep} from 'node:timers/promises';
import {sharedBroker} from '../support/broker.js';
import {inAWorkplace} from '../support/each-in-a-workplace.js';
import {assertGoesOn, interruptedBattle} from '../support/interruptions.js';

/** @import {Workplace} from '../support/workplace.js' */

const codes = {SIGINT: 130, SIGTERM: 143, SIGHUP: 143};

/** Early, in the middle and late in the battle, and within its private broker's start. */
const moments = [...[60, 800, 1600].map((ms) => ({ms, isPrivate: false})), {ms: 1500, isPrivate: true}].map(
  ({ms, isPrivate}, index) => ({
    afterMs: Math.round(ms * (0.8 + 0.4 * Math.random())),
    isPrivate,
    signal: /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])[index % 3],
  }),
);

describe('a battle that is interrupted', {timeout: 1_200_000}, () => {
  const broker = sharedBroker();

  for (const {afterMs, isPrivate, signal} of moments) {
    const where = isPrivate ? 'with a private broker' : 'with a given broker';
    it(
      `by ${signal} after ${afterMs} ms ${where} leaves nothing behind and goes on later`,
      inAWorkplace(async (workplace) => {
        const place = isPrivate ? {PB_BROKER: 'private'} : broker().environment;
        const battle = workplace.start('battle', interruptedBattle, place);
        await sleep(afterMs);
        battle.child.kill(signal);
        const {code, signal: killedBy, stderr} = await battle.ended;
        assert.deepEqual(await workplace.leftovers(), [], stderr);
        // Before it has begun to listen, the signal itself ends it; after its last step it ends by itself.
        const wasOver = code === 0 && (await workplace.journal()).some(({kind}) => kind === 'rows');
        assert.ok(wasOver || killedBy === signal || code === codes[signal], `${code} ${killedBy} ${stderr}`);
        if (code === codes[signal])
          assert.match(
            stderr,
            new RegExp(`perf-battle: Interrupted by ${signal}\\.( (No trial|The ).*)?\\n$`),
          );
        assert.doesNotMatch(stderr, /\n\s+at /);
        await assertGoesOn(workplace, broker().environment);
      }),
    );
  }

  for (const {times, withinMs} of [
    {times: 1, withinMs: 0},
    // Who asks twice does not wait for the roles' orderly end, which then comes by itself.
    {times: 2, withinMs: 8000},
  ]) {
    it(
      `by Ctrl-C, ${times} in a row, which reaches all of its processes, leaves nothing behind and goes on later`,
      inAWorkplace(async (workplace) => {
        const battle = workplace.start('battle', interruptedBattle, broker().environment);
        await battle.says(/\[0\/4\]/);
        await sleep(500);
        for (let time = 1; time <= times; time += 1) {
          for (const {pid} of await workplace.processes()) interrupt(pid);
        }
        const {code, signal, stderr} = await battle.ended;
        // One that comes while the process is being taken down, with all its work done, ends it the system's way: a shell says 130 for both.
        assert.equal(code ?? signalExitCode(signal), 130, stderr);
        if (code === null) assert.match(stderr, /Interrupted by SIGINT/);
        assert.deepEqual(await workplace.leftoversWithin(withinMs), []);
        await assertGoesOn(workplace, broker().environment);
      }),
    );
  }

  it(
    'has its cells recorded as aborted, without figures and without rows',
    inAWorkplace(async (workplace) => {
      const battle = workplace.start('battle', interruptedBattle, broker().environment);
      await battle.says(/\[0\/4\]/);
      await sleep(500);
      battle.child.kill('SIGINT');
      const {code, stderr} = await battle.ended;
      assert.equal(code, 130);
      const {length: trials} = (await workplace.journal()).filter(({kind}) => kind === 'trial');
      const stored = trials === 1 ? 'The finished trial is' : `The ${trials} finished trials are`;
      const advice =
        trials === 0
          ? 'No trial was finished.'
          : `${stored} stored in ${workplace.file('results.ndjson')}. To continue: perf-battle --resume`;
      assert.equal(stderr.trimEnd().split('\n').at(-1), `perf-battle: Interrupted by SIGINT. ${advice}`);
      const cells = await workplace.cells();
      assert.deepEqual(
        cells.map(({outcome}) => outcome),
        ['aborted', 'aborted'],
      );
      for (const cell of cells) assert.ok(!('rtt' in cell));
      assert.equal((await workplace.battle(['table'])).code, 1, 'there is nothing to show');
      const refused = await workplace.battle(['--resume', '--rounds', '3']);
      assert.equal(refused.code, 2);
      assert.match(refused.stderr, /--resume uses the configuration .*, so --rounds cannot be changed/);
    }),
  );

  for (const {flag, variable} of [
    {flag: '--rabbitmq-url', variable: 'PB_RABBITMQ_URL'},
    {flag: '--broker', variable: 'PB_BROKER'},
  ]) {
    it(
      `asks for the URL of ${flag} again, whose password the journal does not keep, rather than take another broker`,
      inAWorkplace(async (workplace) => {
        await interruptAtOnce(workplace, [flag, broker().url()]);
        const alone = await workplace.battle(['--resume', '--quiet']);
        assert.equal(alone.code, 2, alone.stderr);
        assert.match(alone.stderr, new RegExp(`${flag}.*${variable}`));
        assert.ok(!alone.stderr.includes(broker().connection.password));
        const {code, stderr} = await workplace.battle(['--resume', '--quiet'], {[variable]: broker().url()});
        assert.equal(code, 0, stderr);
        assert.doesNotMatch(stderr, /^(?!Warning: \d+ of \d+ cells? )./m);
      }),
    );
  }

  it(
    'goes on with the host and port that flags named',
    inAWorkplace(async (workplace) => {
      const {hostname, port} = broker().connection;
      await interruptAtOnce(workplace, ['--rabbitmq-host', hostname, '--rabbitmq-port', String(port)]);
      const {code, stderr} = await workplace.battle(['--resume']);
      assert.equal(code, 3);
      assert.match(stderr, new RegExp(`No broker: The broker at ${hostname}:${port} refused user "guest"`));
    }),
  );

  /** @param {Workplace} workplace @param {string[]} flags */
  async function interruptAtOnce(workplace, flags) {
    const battle = workplace.start('battle', [...interruptedBattle, ...flags]);
    await battle.says(/\[0\/4\]/);
    battle.child.kill('SIGINT');
    assert.equal((await battle.ended).code, 130);
  }
});

/** @param {number} pid of a process that may have ended meanwhile */
function interrupt(pid) {
  try {
    process.kill(pid, 'SIGINT');
  } catch {
    // It has.
  }
}

/** @param {NodeJS.Signals | null} signal @returns {number} as POSIX shells give it */
function signalExitCode(signal) {
  return 128 + (signal ? constants.signals[signal] : 0);
}

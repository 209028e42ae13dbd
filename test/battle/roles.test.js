import assert from 'node:assert/strict';
import {test} from 'node:test';
import {answerOf, answersOf, lateTrial} from '../../src/battle/roles.js';
import {named} from '../../src/protocol.js';

/** @import {TestContext} from 'node:test' */

const {signal} = new AbortController();
const ready = named('ready');

/** @param {{role?: string, hostName?: string | null, answers?: boolean}} [what] @returns {any} */
function roleOf({role = 'client', hostName = null, answers = false} = {}) {
  return {
    ...{role, hostName, awaited: null},
    /** @param {unknown} _ @param {AbortSignal} soon */
    waitFor: (_, soon) =>
      new Promise((resolve, reject) => {
        if (answers) resolve({event: 'ready'});
        soon.addEventListener('abort', () => reject(soon.reason));
      }),
  };
}

/** @param {TestContext} context */
function withClock({mock}) {
  mock.timers.enable({apis: ['setTimeout']});
  return mock.timers;
}

test('a role that does not answer is named, with its host, what it did not do, and its bound', async (context) => {
  const clock = withClock(context);
  const roles = [roleOf({answers: true}), roleOf({hostName: 'beta'})];
  const answers = answersOf(roles, ready, {what: 'send its result', signal});
  clock.tick(20_000);
  await assert.rejects(answers, {
    code: 'PB_TRIAL_TIMEOUT',
    message: 'The client on beta did not send its result within 20 s.',
  });
});

test('a trial whose time is over names the role that it waits for', async () => {
  const trial = new AbortController();
  const [server, client] = [roleOf({role: 'server', answers: true}), roleOf()];
  await answerOf(server, ready, {what: 'become ready', signal: trial.signal});
  const answer = answerOf(client, ready, {
    what: 'become warm',
    ms: Number.POSITIVE_INFINITY,
    signal: trial.signal,
  });
  trial.abort(new Error('over'));
  await assert.rejects(answer, /over/);
  assert.equal(lateTrial([server, client], 56_234).message, 'The client did not become warm within 56.2 s.');
  assert.match(lateTrial([server], 1000).message, /^The trial did not end within 1 s,/);
});

test('an answer in time leaves nothing awaited, and an error of the role stays as it is', async () => {
  const good = roleOf({answers: true});
  await answerOf(good, ready, {what: 'become ready', signal});
  assert.equal(good.awaited, null);
  const bad = {...roleOf(), waitFor: () => Promise.reject(new Error('it broke'))};
  await assert.rejects(answerOf(bad, ready, {what: 'become ready', signal}), /it broke/);
});

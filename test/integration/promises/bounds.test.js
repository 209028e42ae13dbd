import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {existsSync} from 'node:fs';
import {text} from 'node:stream/consumers';
import {describe, it} from 'node:test';
import {setTimeout as sleep} from 'node:timers/promises';
import {fileURLToPath} from 'node:url';
import {startBadServer} from '../support/bad-servers.js';
import {inAWorkplace} from '../support/each-in-a-workplace.js';
import {freePort} from '../support/ports.js';
import {untilRoleRuns} from '../support/roles.js';
import {startScriptedServer} from '../support/scripted-servers.js';

/** What docs promise of times and no other test of a command or script holds. They wait and hardly compute, so all run at once. */

/** What a busy host may add: the start of a process, a step that comes late. */
const lateMs = 60_000;

/** @template Result @param {() => Promise<Result>} work @returns {Promise<[Result, ms: number]>} */
async function timed(work) {
  const began = performance.now();
  const result = await work();
  return [result, performance.now() - began];
}

describe('a bound', {timeout: 300_000, concurrency: true}, () => {
  for (const [transport, variable] of /** @type {const} */ ([
    ['rabbitmq', 'PB_RABBITMQ_PORT'],
    ['nats', 'PB_NATS_PORT'],
  ]))
    it(
      `of the wait for a server is none for a broker: without one, the ${transport} pair ends with 3 at once`,
      inAWorkplace(async (workplace) => {
        const environment = {[variable]: String(await freePort()), PB_CONNECT_TIMEOUT: '10m'};
        for (const role of ['client', 'server']) {
          const [{code, stderr}, ms] = await timed(() =>
            workplace.run(`${transport}-${role}`, [], environment),
          );
          assert.equal(code, 3, stderr);
          assert.ok(ms < lateMs, `${ms} ms`);
        }
      }),
    );

  it(
    'of a first look is a minute, and of the whole battle five, as --dry-run estimates them',
    inAWorkplace(async (workplace) => {
      for (const {words, minutes} of [
        {words: ['--quick'], minutes: 1},
        {words: [], minutes: 5},
      ]) {
        const {code, stdout} = await workplace.battle([...words, '--dry-run', '--json']);
        const {estimatedMs} = JSON.parse(stdout).plan;
        assert.deepEqual([code, estimatedMs < minutes * 60_000], [0, true], `${estimatedMs} ms`);
      }
    }),
  );

  it(
    'of a warm-up is 6 s of small requests, then 100 ms at the size, however slow the server is',
    inAWorkplace(async (workplace) => {
      let requests = 0;
      const server = await startScriptedServer('tcp', (reply, send) => {
        requests += 1;
        setTimeout(() => send(reply), 20);
      });
      const samples = 5;
      const {code, stderr} = await workplace.run('tcp-client', [], {
        ...{PB_SERVER_HOST: '127.0.0.1', PB_SERVER_PORT: String(server.port), PB_SAMPLES: String(samples)},
      });
      server.close();
      assert.equal(code, 0, stderr);
      // At most one for each 20 ms of both parts, and the last of each. The plan has 6000.
      assert.ok(requests <= 6100 / 20 + 2 + samples, `${requests} requests`);
    }),
  );

  it(
    'of the end of a role that hangs is 8 s: its cell fails, others are measured, and nothing is left',
    inAWorkplace(async (workplace) => {
      const flags = ['--transport', 'websocket', '--payload', '1kb', '--rounds', '1'];
      const length = ['--duration', '2s', '--warmup', '20', '--timeout', '1s'];
      const battle = workplace.start('battle', [...flags, ...length]);
      const pid = await untilRoleRuns(battle.pid, 'websocket-server');
      await battle.says(/in turn at 1kb/);
      process.kill(pid, 'SIGSTOP');
      const [, ms] = await timed(async () => {
        while (existsSync(`/proc/${pid}`)) await sleep(50);
      });
      assert.ok(ms > 8000 && ms < 8000 + lateMs, `${ms} ms`);
      const {code, stderr} = await battle.ended;
      assert.equal(code, 1, stderr);
      // On a busy host, the server may stop between its warm-up and the first slice, when no request is in flight.
      assert.match(
        stderr,
        /Failed: Web Sockets, 1kb: (3 requests in a row had no reply|The server did not say what it served)/,
      );
      const outcomes = (await workplace.cells()).map(({transport, outcome}) => [transport, outcome]);
      assert.deepEqual(Object.fromEntries(outcomes), {tcp: 'completed', websocket: 'failed'});
      assert.deepEqual(await workplace.leftovers(), []);
    }),
  );

  it('of the first connection of a role is 10 s, or --timeout if that is longer', async () => {
    const server = await startBadServer('websocket', 'deaf');
    const script = fileURLToPath(new URL('../../../src/websocket-client.js', import.meta.url));
    const env = {PATH: process.env.PATH, PB_STDIN: 'control', PB_OUTPUT: 'ndjson'};
    const client = spawn(process.execPath, [script], {env, stdio: ['pipe', 'pipe', 'inherit']});
    const options = {
      ...{workload: 'rtt', servers: [`127.0.0.1:${server.port}`], timeoutMs: 300, deflate: false, tls: false},
      ...{payloadBytes: 1024, payloadFile: null, seed: 1, noDelay: true, answer: 'echo'},
      ...{samples: 5, durationMs: null, warmUp: {kind: 'count', count: 0}, retries: 0, rate: null},
    };
    client.stdin.write(`${JSON.stringify({type: 'configure', options})}\n`);
    const beats = setInterval(() => client.stdin.write('{"type":"beat"}\n'), 1000);
    const [[said, [code]], ms] = await timed(() => Promise.all([text(client.stdout), once(client, 'close')]));
    clearInterval(beats);
    server.close();
    assert.equal(code, 1, said);
    assert.match(said, /no answer within 10 s/);
    assert.ok(ms > 9500 && ms < 10_000 + lateMs, `${ms} ms`);
  });
});

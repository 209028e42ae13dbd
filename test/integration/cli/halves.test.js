import assert from 'node:assert/strict';
import {describe, it} from 'node:test';
import {inAWorkplace} from '../support/each-in-a-workplace.js';

describe('a half of a transport by hand', {timeout: 300_000, concurrency: 2}, () => {
  it(
    'needs a name, and suggests one',
    inAWorkplace(async (workplace) => {
      for (const [words, message] of /** @type {const} */ ([
        [['serve'], /^perf-battle: serve must be followed by the name of a transport: tcp, http, /],
        [
          ['call', '--payload', '1kb'],
          /^perf-battle: call must be followed by the name of a transport: tcp, /,
        ],
        [
          ['serve', 'websockets'],
          /^perf-battle: There is no transport named "websockets"\. Did you mean websocket\? /,
        ],
        [['call', '../tcp'], /^perf-battle: The transport \.\.\/tcp does not exist: there is no /],
        [['call', 'udp', 'now'], /^perf-battle: This script takes no words, .* It was given "now"/],
      ])) {
        const {code, stdout, stderr} = await workplace.start('battle', [...words]).ended;
        assert.deepEqual({code, stdout}, {code: 2, stdout: ''}, stderr);
        assert.match(stderr, message);
      }
    }),
  );

  it(
    'says what it is, and with which settings',
    inAWorkplace(async (workplace) => {
      const {code, stdout} = await workplace.start('battle', ['call', 'udp', '--help']).ended;
      assert.equal(code, 0);
      assert.match(stdout, /^UDP: Sends requests .*\nThe server is npx perf-battle serve udp\. /);
      assert.match(stdout, /\n {2}PB_SAMPLES=2000 npx perf-battle call udp\n/);
      assert.match(stdout, /\n {2}PB_UDP_DATAGRAM \(default 1472\)\n/);
    }),
  );

  for (const [half, signal, code] of /** @type {const} */ ([
    ['server', 'SIGINT', 130],
    ['server', 'SIGTERM', 143],
    ['client', 'SIGTERM', 143],
  ])) {
    it(
      `ends at once with ${signal}: a ${half}`,
      inAWorkplace(async (workplace) => {
        const port = half === 'server' ? '0' : '9';
        const quiet = {PB_SERVER_PORT: port, PB_LISTEN_ADDRESS: '127.0.0.1', PB_CONNECT_TIMEOUT: '60s'};
        const program = workplace.start('battle', [half === 'server' ? 'serve' : 'call', 'udp'], quiet);
        if (half === 'server') await program.says(/UDP server ready/);
        else await new Promise((resolve) => setTimeout(resolve, 1500));
        program.child.kill(signal);
        assert.equal((await program.ended).code, code);
        assert.deepEqual(await workplace.leftoversWithin(5000), []);
      }),
    );
  }
});

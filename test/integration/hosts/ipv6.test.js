import assert from 'node:assert/strict';
import {describe, it} from 'node:test';
import {inAWorkplace} from '../support/each-in-a-workplace.js';
import {start} from '../support/program.js';

/** In a network namespace of its own, whose loopback interface has only ::1. */
const wrapper = [
  ...['unshare', '--net', 'sh', '-c'],
  'ip link set lo up && ip addr del 127.0.0.1/8 dev lo && exec "$@"',
  'sh',
];
const short = ['--rounds', '1', '--samples', '20', '--warmup', '5', '--payload', '1kb', '--quiet'];

describe('a host without an IPv4 loopback', {timeout: 600_000}, () => {
  it(
    'runs raw TCP, UDP and private brokers',
    inAWorkplace(async (workplace) => {
      const transports = 'udp,nats,rabbitmq';
      const flags = ['--transport', transports, '--delivery-mode', '1'];
      const {code, stderr} = await workplace.start(
        'battle',
        [...short, ...flags, '--broker', 'private'],
        {},
        {wrapper},
      ).ended;
      assert.equal(code, 0, stderr);
      const cells = await workplace.cells();
      assert.deepEqual(
        cells.map(({transport, outcome}) => [transport, outcome]),
        ['tcp', ...transports.split(',')].map((transport) => [transport, 'completed']),
      );
      assert.deepEqual(await workplace.leftovers(), []);
    }),
  );

  it(
    'is served and reached by hand at ::1, with or without brackets',
    inAWorkplace(async (workplace) => {
      const pair = `node "$1/src/tcp-server.js" --listen-address '[::1]' & server=$!
node "$1/src/tcp-client.js" --server-address ::1; code=$?
kill $server; wait $server; exit $code`;
      const root = new URL('../../../', import.meta.url).pathname;
      const program = start('sh', [], {
        cwd: workplace.path,
        temporary: workplace.temporary,
        environment: {PB_SAMPLES: '20', PB_WARMUP: '5'},
        wrapper: [...wrapper, 'sh', '-c', pair, 'sh', root],
      });
      const {code, stdout, stderr} = await program.ended;
      assert.equal(code, 0, stderr);
      assert.match(stdout, /\nmean \d/);
    }),
  );
});

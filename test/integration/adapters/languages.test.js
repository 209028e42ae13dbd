import assert from 'node:assert/strict';
import {execFile} from 'node:child_process';
import {randomUUID} from 'node:crypto';
import {mkdtemp, rm} from 'node:fs/promises';
import {homedir, tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, before, describe, it} from 'node:test';
import {fileURLToPath} from 'node:url';
import {promisify} from 'node:util';
import {sharedBroker} from '../support/broker.js';
import {inAWorkplace} from '../support/each-in-a-workplace.js';
import {freePort} from '../support/ports.js';

/** The servers and clients in Go and Rust of examples/go and examples/rust. */
const run = promisify(execFile);
const examples = fileURLToPath(new URL('../../../examples', import.meta.url));
const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');

const languages = ['Go', 'Rust'];
/** Each transport, and what a row of perf-battle's own pair is called. */
const transports = [
  ['tcp', 'TCP'],
  ['http', 'HTTP'],
  ['websocket', 'Web Sockets'],
  ['grpc', 'gRPC'],
  ['rabbitmq', 'RabbitMQ'],
];
const names = transports.map(([name]) => name);

/** What they refuse: other workloads than round trips, pipelines and streams. */
const refused = /^(a cache|replies of rows)/;
/** What needs to stand between client and server. */
const relayed = /^(a delay of|a reply with one wrong byte|a reply that does not come)/;

const short = ['--rounds', '1', '--samples', '200', '--warmup', '50', '--delivery-mode', '1', '--quiet'];

describe('the programs in Go and Rust', {concurrency: 4, timeout: 1_200_000}, () => {
  /** @type {string} */
  let folder;
  const broker = sharedBroker();
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'perf-battle-languages-'));
    // What cargo compiled of other crates is kept for the next run. Optimized, it would take twice as long.
    const target = join(cache, 'perf-battle-tests', 'cargo-target');
    const env = {...process.env, CARGO_TARGET_DIR: target, CARGO_PROFILE_RELEASE_OPT_LEVEL: '0'};
    await Promise.all(
      languages.map((language) =>
        run('bash', [join(examples, language.toLowerCase(), 'build.sh'), folder], {env}),
      ),
    );
  });
  after(() => rm(folder, {recursive: true, force: true}));

  /** @param {string} language @param {string} transport @param {string} role */
  const command = (language, transport, role) =>
    `${join(folder, `perf-battle-${language.toLowerCase()}`)} ${transport} ${role}`;

  /** @param {string} server its language @param {string} client @param {string} transport @param {string} name of the pair */
  const pairOf = (server, client, transport, name) =>
    `${name}=${command(server, transport, 'server')},${command(client, transport, 'client')}`;

  /** The flags for pairs over all transports. @param {(transport: string) => [name: string, pair: string]} pairOver */
  const over = (pairOver) =>
    names.flatMap((transport) => {
      const [name, pair] = pairOver(transport);
      const kind = transport === 'rabbitmq' ? ['--broker-kind', `${name}=rabbitmq`] : [];
      return ['--external', pair, ...kind];
    });

  for (const language of languages)
    for (const transport of names)
      it(
        `keep the contract: ${language}, ${transport}`,
        inAWorkplace(async (workplace) => {
          const overRabbitmq = transport === 'rabbitmq';
          const {code, stdout} = await workplace.battle(
            [
              ...['check-adapter', '--json', '--external', pairOf(language, language, transport, language)],
              ...(overRabbitmq ? ['--broker-kind', 'rabbitmq'] : []),
            ],
            broker().environment,
          );
          assert.equal(code, 0, stdout);
          const {findings} = JSON.parse(stdout);
          assert.ok(findings.length >= 20);
          for (const {name, outcome, text} of findings) {
            const isSkipped = refused.test(name) || (overRabbitmq && relayed.test(name));
            assert.equal(outcome, isSkipped ? 'skipped' : 'held', `${name}: ${text}`);
          }
          assert.deepEqual(await workplace.leftoversWithin(3000), []);
        }),
      );

  it(
    'have a row each beside those of Node.js, with one request in flight and with several',
    inAWorkplace(async (workplace) => {
      const pairs = languages.flatMap((language) =>
        over((transport) => [
          `${language} ${transport}`,
          pairOf(language, language, transport, `${language} ${transport}`),
        ]),
      );
      const {code, stderr} = await workplace.battle(
        [
          ...['--transport', names.join(), '--http-server', 'node', ...pairs, ...short],
          ...['--payload', '1kb', '--workload', 'rtt,pipeline', '--window', '8', '--verify', '3'],
        ],
        broker().environment,
      );
      assert.equal(code, 0, stderr);
      const cells = await workplace.cells();
      const rows = [
        ...transports.map(([, label]) => label),
        ...languages.flatMap((language) => names.map((transport) => `${language} ${transport}`)),
      ];
      assert.deepEqual(
        new Set(cells.map(({workload, labels}) => `${workload} ${labels.facilitator}`)),
        new Set(['rtt', 'pipeline'].flatMap((workload) => rows.map((row) => `${workload} ${row}`))),
      );
      for (const record of cells) {
        assert.ok(record.outcome === 'completed');
        const {counts, workload, labels} = record;
        const row = `${workload} ${labels.facilitator}`;
        assert.deepEqual(
          [counts.sent, counts.received, counts.corrupted, counts.lost],
          [200, 200, 0, 0],
          row,
        );
        assert.ok(workload === 'rtt' ? counts.verified === 200 : counts.verified >= 66, row);
        assert.ok((record.rtt?.meanMs ?? 0) > 0.005, row);
      }
      const programs = JSON.stringify(cells.map(({variant}) => variant.clientProgram));
      for (const version of [
        /"go":"go1\.\d+/,
        /"google\.golang\.org\/grpc":"v1/,
        /"rust":"1\.\d+/,
        /"tonic":"0\./,
      ])
        assert.match(programs, version);
      assert.deepEqual(await workplace.leftoversWithin(3000), []);
    }),
  );

  it(
    'send one way within a language and between both, and each message arrives',
    inAWorkplace(async (workplace) => {
      const pairs = languages.flatMap((server) =>
        languages.flatMap((client) =>
          over((transport) => [
            `${client} to ${server} ${transport}`,
            pairOf(server, client, transport, `${client} to ${server} ${transport}`),
          ]),
        ),
      );
      const {code, stderr} = await workplace.battle(
        [
          ...['--transport', 'tcp', ...pairs, ...short],
          ...['--payload', '4,1kb', '--workload', 'stream', '--verify', '3', '--closing-call', 'on'],
        ],
        broker().environment,
      );
      assert.equal(code, 0, stderr);
      const cells = await workplace.cells();
      assert.equal(cells.length, (1 + 4 * names.length) * 2);
      for (const {outcome, counts, labels, phases, throughput, transport} of /** @type {any[]} */ (cells)) {
        const row = labels.facilitator;
        assert.equal(outcome, 'completed', row);
        assert.deepEqual(
          [counts.sent, counts.received, counts.corrupted, counts.lost],
          [200, 200, 0, 0],
          row,
        );
        assert.ok(throughput.messagesPerSecond > 0, row);
        if (transport === 'external') assert.equal(counts.verified, 67, row);
        assert.equal(phases.sender.messages, 200, row);
      }
      assert.deepEqual(await workplace.leftoversWithin(3000), []);
    }),
  );

  for (const language of languages)
    for (const transport of names)
      it(
        `understand perf-battle's own half by hand: ${language}, ${transport}`,
        inAWorkplace(async (workplace) => {
          const name = `by-hand-${randomUUID()}`;
          const environment = {
            ...broker().environment,
            ...{PB_EXTERNAL: pairOf(language, language, transport, language)},
            ...(transport === 'rabbitmq' && {PB_BROKER_KIND: 'rabbitmq'}),
            ...{PB_RABBITMQ_EXCHANGE: name, PB_RABBITMQ_QUEUE: name},
            ...{PB_SAMPLES: '60', PB_WARMUP: '20', PB_PAYLOAD_BYTES: '100kb'},
            PB_SERVER_HOST: '127.0.0.1',
          };
          for (const [server, client] of [
            ['external', transport],
            [transport, 'external'],
          ]) {
            const at = {...environment, PB_SERVER_PORT: String(await freePort())};
            const serving = workplace.start('battle', ['serve', server], at);
            await serving.says(/ready/);
            const {code, stdout, stderr} = await workplace.run('battle', ['call', client], at);
            assert.equal(code, 0, stderr);
            assert.match(stdout, /60 round trips after 20 to warm up\nmean \d+\.\d+ ms/);
            serving.child.kill('SIGTERM');
            assert.equal((await serving.ended).code, 143);
          }
        }),
      );
});

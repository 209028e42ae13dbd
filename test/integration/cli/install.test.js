import assert from 'node:assert/strict';
import {cp, mkdir, readdir, readFile, symlink, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {describe, it} from 'node:test';
import {fileURLToPath} from 'node:url';
import {inAWorkplace} from '../support/each-in-a-workplace.js';
import {withNpm} from '../support/fake-npm.js';
import {leftoversOnHostsWithin} from '../support/leftovers-on-hosts.js';
import {makeNetwork} from '../support/network.js';

/** @import {Workplace} from '../support/workplace.js' */

const root = fileURLToPath(new URL('../../../', import.meta.url));
const optional = [
  '@nats-io',
  '@aws-sdk',
  '@grpc',
  '@platformatic',
  '@stomp',
  'fastify',
  'ioredis',
  'koffi',
  'lmdb',
  'mqtt',
  'rabbitmq-stream-js-client',
  'rhea',
  'socket.io',
  'socket.io-client',
  'zeromq',
];
const short = ['--rounds', '1', '--samples', '40', '--warmup', '10', '--payload', '1kb'];
const ofNats = ['--transport', 'nats', '--broker', 'private', ...short];

/** It counts its calls, and installs the packages that are there. */
const countingNpm = `echo "$*" >> "$XDG_CACHE_HOME/calls"
mkdir -p "$prefix/node_modules" && cp -r '${root}node_modules/@nats-io' '${root}node_modules/tweetnacl' "$prefix/node_modules"`;

/** perf-battle as npm installs it: without the packages that are no dependencies. @param {Workplace} workplace @returns {Promise<string>} its program */
async function installWithout(workplace) {
  const copy = workplace.file('perf-battle');
  for (const name of ['bin', 'src', 'infra', 'package.json'])
    await cp(join(root, name), join(copy, name), {recursive: true});
  await mkdir(join(copy, 'node_modules'));
  for (const name of await readdir(join(root, 'node_modules')))
    if (!optional.includes(name) && !name.startsWith('.'))
      await symlink(join(root, 'node_modules', name), join(copy, 'node_modules', name));
  return join(copy, 'bin/perf-battle.js');
}

/** @param {Workplace} workplace @param {string} program @param {string[]} words @param {NodeJS.ProcessEnv} [environment] */
async function run(workplace, program, words, environment) {
  return await workplace.start(program, words, environment).ended;
}

describe('perf-battle install', {timeout: 600_000, concurrency: 2}, () => {
  it(
    'is named where a package is missing, and then the transport runs',
    inAWorkplace(async (workplace) => {
      const program = await installWithout(workplace);
      const environment = await withNpm(workplace, countingNpm);
      await mkdir(workplace.file('cache'));
      const missing = await run(workplace, program, ofNats, environment);
      assert.equal(missing.code, 3, missing.stderr);
      assert.match(
        missing.stderr,
        /NATS needs the npm package @nats-io\/transport-node, which is not installed\. Install it with: npx perf-battle install nats/,
      );
      assert.doesNotMatch(missing.stderr, /\n\s+at /);
      for (const time of ['first', 'again']) {
        const {code, stdout, stderr} = await run(workplace, program, ['install', 'nats'], environment);
        assert.equal(code, 0, `${time}: ${stderr}`);
        assert.match(stdout, /@nats-io\/transport-node: .*cache\/perf-battle\/packages\/.*transport-node/);
        assert.match(stdout, /nats-server: \/.*nats-server\n/);
        assert.equal(/Fetching @nats-io\/transport-node@\d/.test(stderr), time === 'first');
      }
      const {code, stderr} = await run(workplace, program, ofNats, environment);
      assert.equal(code, 0, stderr);
      const cell = (await workplace.cells()).at(-1);
      assert.equal(cell?.outcome, 'completed');
      assert.match(String(cell?.versions['@nats-io/transport-node']), /^\d+\.\d+\.\d+$/);
    }),
  );

  it(
    'says what there is, and where',
    inAWorkplace(async (workplace) => {
      const {code, stdout} = await workplace.battle(['install']);
      assert.equal(code, 0);
      for (const name of [
        'http',
        'rabbitmq',
        'amqp1',
        'rabbitmq-stream',
        'stomp',
        'nats',
        'jetstream',
        'grpc',
        'socketio',
        'zeromq',
        'redis',
        'mqtt',
        'mosquitto',
        'kafka',
        'artemis',
        'posix-mq',
        'shared-memory',
        'ec2',
        'lmdb',
      ])
        assert.match(stdout, new RegExp(`^${name}$`, 'm'));
      const json = await workplace.battle(['install', '--json']);
      const {install} = JSON.parse(json.stdout);
      assert.deepEqual(
        install.map((/** @type {{name: string}} */ {name}) => name),
        stdout.split('\n').filter((line) => /^\w/.test(line)),
      );
      const group = await workplace.battle(['install', 'local', '--json']);
      const named = JSON.parse(group.stdout).install;
      assert.deepEqual(
        named.map((/** @type {{name: string}} */ {name}) => name),
        ['unix', 'posix-mq', 'shared-memory'],
      );
    }),
  );

  it(
    'lists what there is where nothing of it is installed, as doctor does',
    inAWorkplace(async (workplace) => {
      const program = await installWithout(workplace);
      const environment = {XDG_CACHE_HOME: workplace.file('cache')};
      const {code, stdout, stderr} = await run(workplace, program, ['install'], environment);
      assert.equal(code, 0, stderr);
      assert.match(stdout, /^redis\n {2}ioredis: not installed\n {2}redis-server: \/.*redis-server$/m);
      assert.match(stdout, /^mqtt\n {2}mqtt: not installed\n {2}mosquitto: \/.*mosquitto$/m);
      const doctor = await run(workplace, program, ['doctor', '--json'], environment);
      assert.equal(doctor.code, 0, doctor.stdout + doctor.stderr);
      /** @type {{check: string, level: string, finding: string, advice: string}[]} */
      const findings = JSON.parse(doctor.stdout).findings;
      for (const [check, library, name] of [
        ['NATS', '@nats-io/transport-node', 'nats'],
        ['Redis', 'ioredis', 'redis'],
        ['Mosquitto', 'mqtt', 'mqtt'],
        ['Kafka', '@platformatic/kafka', 'kafka'],
        ['Artemis', 'rhea', 'amqp1'],
      ]) {
        const found = findings.find((one) => one.check === check);
        assert.equal(found?.level, 'ok', JSON.stringify(found));
        assert.match(
          found.finding,
          new RegExp(`${library}.* is not installed.*npx perf-battle install ${name}$`),
        );
      }
    }),
  );

  it(
    'does not say of a broker that it is not used, where only the package is missing',
    inAWorkplace(async (workplace) => {
      const program = await installWithout(workplace);
      const words = ['--transport', 'redis', ...short];
      const {code, stderr} = await run(workplace, program, words, {XDG_CACHE_HOME: workplace.file('cache')});
      assert.equal(code, 3, stderr);
      assert.match(stderr, /Not installed: Redis needs the npm package ioredis/);
      assert.doesNotMatch(stderr, /is not used/);
    }),
  );

  it(
    'is named by the ec2 commands, a cache and a transport without a network, too',
    inAWorkplace(async (workplace) => {
      const program = await installWithout(workplace);
      const environment = {XDG_CACHE_HOME: workplace.file('cache')};
      const cached = ['--workload', 'cached', '--cache-in', 'lmdb', '--transport', 'tcp', ...short];
      for (const [words, name] of /** @type {[string[], string][]} */ ([
        [['ec2', 'status'], 'ec2'],
        [cached, 'lmdb'],
        [['--transport', 'posix-mq', ...short], 'koffi'],
        [['--transport', 'grpc', ...short], 'grpc'],
        [['--transport', 'socketio', ...short], 'socketio'],
        [['--transport', 'zeromq', ...short], 'zeromq'],
        [['--transport', 'http', '--http-server', 'fastify', ...short], 'http'],
      ])) {
        const {code, stdout, stderr} = await run(workplace, program, words, environment);
        assert.equal(code, 3, stdout + stderr);
        assert.match(stderr, new RegExp(`Install it with: npx perf-battle install ${name}\\b`));
      }
    }),
  );

  for (const [words, message] of /** @type {[string[], RegExp][]} */ ([
    [['natz'], /install takes the names of .*rabbitmq, artemis, nats, .*"natz"\. Did you mean nats\?/],
    [['nats', 'constructor'], /"constructor"/],
  ]))
    it(
      `${words.join(' ')} is refused`,
      inAWorkplace(async (workplace) => {
        const {code, stdout, stderr} = await workplace.battle(['install', ...words]);
        assert.deepEqual({code, stdout}, {code: 2, stdout: ''});
        assert.match(stderr, message);
      }),
    );

  it(
    'names what a transport of the user needs: its libraries, and the program of its broker',
    inAWorkplace(async (workplace) => {
      await cp(join(root, 'examples/transports/relay'), workplace.file('relay'), {recursive: true});
      const install = async () => await run(workplace, 'battle', ['install', './relay']);
      await workplace.edit('relay/index.js', ['capabilities', "libraries: ['hexagon'],\n  capabilities"]);
      const lacking = await install();
      assert.equal(lacking.code, 3, lacking.stderr);
      assert.match(
        lacking.stderr,
        /Relay needs the npm package hexagon, which is not installed\. Install it with: npm install hexagon$/m,
      );
      await mkdir(workplace.file('node_modules/hexagon'), {recursive: true});
      await writeFile(workplace.file('node_modules/hexagon/package.json'), '{}');
      const {code, stdout, stderr} = await install();
      assert.equal(code, 0, stderr);
      assert.match(stdout, /^relay\n {2}hexagon: \/.*node_modules\/hexagon\n {2}node: \/.*node\n$/);
      await workplace.edit('relay/broker.js', [
        "program: 'node',",
        "program: 'no-such-hub', install: 'make hub',",
      ]);
      const without = await install();
      assert.equal(without.code, 3);
      assert.match(without.stderr, /no-such-hub is not installed on this host\. Install it with: make hub$/m);
    }),
  );

  it(
    'provides the broker of perf-battle that a transport of the user needs, by the name of its package',
    inAWorkplace(async (workplace) => {
      const program = await installWithout(workplace);
      const environment = await withNpm(workplace, countingNpm);
      await mkdir(workplace.file('cache'));
      const mine = workplace.file('node_modules/perf-battle-transport-mine');
      await mkdir(mine, {recursive: true});
      await writeFile(join(mine, 'package.json'), '{"type": "module"}');
      const text = await readFile(join(root, 'examples/transports/relay/index.js'), 'utf8');
      const ofNatsServer = text
        .replace("() => import('./broker.js')", "'nats'")
        .replace("name: 'relay'", "name: 'mine'");
      await writeFile(join(mine, 'index.js'), ofNatsServer);
      const {code, stdout, stderr} = await run(workplace, program, ['install', 'mine'], environment);
      assert.equal(code, 0, stderr);
      assert.match(stderr, /Fetching @nats-io\/transport-node@\d/);
      assert.match(stdout, /^mine\n {2}@nats-io\/transport-node: \/.*\n {2}nats-server: \/.*\n$/);
    }),
  );

  it(
    'ends with the reason of npm',
    inAWorkplace(async (workplace) => {
      const program = await installWithout(workplace);
      const environment = await withNpm(workplace, 'echo "npm error code E404" >&2; exit 1');
      const {code, stderr} = await run(workplace, program, ['install', 'nats'], environment);
      assert.equal(code, 3);
      assert.match(stderr, /npm could not install @nats-io\/transport-node@\d.*: E404/);
      assert.deepEqual(await readdir(workplace.file('cache/perf-battle/packages')), []);
    }),
  );
});

describe('what perf-battle install has fetched', {timeout: 600_000}, () => {
  it(
    'goes along to other hosts',
    inAWorkplace(async (workplace) => {
      const network = await makeNetwork(['alpha', 'beta']);
      try {
        const program = await installWithout(workplace);
        const environment = await withNpm(workplace, countingNpm);
        await mkdir(workplace.file('cache'));
        await run(workplace, program, ['install', 'nats'], environment);
        const places = ['--server-on', 'alpha', '--client-on', 'beta', '--broker-on', 'alpha'];
        const words = ['--transport', 'nats', ...places, ...short];
        const {code, stderr} = await run(workplace, program, words, {
          ...environment,
          PB_SSH_CONFIG: network.sshConfig,
        });
        assert.equal(code, 0, stderr);
        const cells = await workplace.cells();
        assert.deepEqual(
          cells.map(({transport, outcome}) => [transport, outcome]),
          [
            ['tcp', 'completed'],
            ['nats', 'completed'],
          ],
        );
        assert.deepEqual(await leftoversOnHostsWithin(network, 5000), []);
      } finally {
        await network.close();
      }
    }),
  );
});

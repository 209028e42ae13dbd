import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {describe, it, test} from 'node:test';
import {fileURLToPath} from 'node:url';
import {packageFolders} from '../../../src/brokers/programs.js';
import {isOptional} from '../../../src/packages/load.js';
import {transports} from '../../../src/transports/index.js';

for (const {kind, product, systems} of [
  {kind: 'rabbitmq', product: 'RabbitMQ', systems: /Debian, Ubuntu, Fedora, Amazon Linux 2023 or macOS/},
  {kind: 'nats', product: 'NATS server', systems: /Debian, Ubuntu, Fedora or macOS/},
  {kind: 'redis', product: 'Redis server', systems: /Debian, Ubuntu or macOS .* Fedora or Amazon Linux 2023/},
  {
    kind: 'kafka',
    product: 'Apache Kafka',
    systems: /Debian, Ubuntu, Fedora or Amazon Linux 2023: its jars.*Homebrew's kafka/s,
  },
  {
    kind: 'artemis',
    product: 'Apache ActiveMQ Artemis',
    systems: /Debian, Ubuntu, Fedora, Amazon Linux 2023 or macOS:\nApache's distribution/,
  },
  {kind: 'mosquitto', product: 'Mosquitto', systems: /Debian, Ubuntu, Fedora or macOS/},
]) {
  describe(`infra/${kind}/install.sh`, () => {
    const script = fileURLToPath(new URL(`../../../infra/${kind}/install.sh`, import.meta.url));
    const run = (/** @type {string[]} */ ...options) =>
      spawnSync('bash', [script, ...options], {encoding: 'utf8', timeout: 30_000});

    it(`does nothing, quickly and without privileges, when the ${product} is installed`, () => {
      const startedAt = performance.now();
      const {status, stdout, stderr} = run();
      assert.match(stdout, new RegExp(`^${product} \\d+\\.\\d+\\.\\d+\\S* is already installed\\n$`));
      assert.equal(stderr, '');
      assert.equal(status, 0);
      assert.ok(performance.now() - startedAt < 10_000);
    });

    it('prints its usage with --help', () => {
      const {status, stdout} = run('--help');
      assert.equal(status, 0);
      assert.match(stdout, /^Usage: install\.sh/);
      assert.match(stdout, systems);
    });

    for (const option of ['--nosuch', 'start', '']) {
      it(`refuses the unknown option "${option}" with exit code 2`, () => {
        const {status, stdout, stderr} = run(option);
        assert.equal(status, 2);
        assert.equal(stdout, '');
        assert.match(stderr, /install\.sh: unknown option: /);
      });
    }
  });
}

describe('infra/artemis/install.sh, where the distribution is there', () => {
  const script = fileURLToPath(new URL('../../../infra/artemis/install.sh', import.meta.url));

  for (const {what, names, program, lacking, complete} of [
    {
      what: 'libaio',
      names: /libaio1(t64)?/,
      program: 'ldconfig',
      lacking: 'exit 0',
      complete: 'echo libaio.so.1',
    },
    {what: 'Java', names: /default-jre-headless/, program: 'java', lacking: 'exit 1', complete: 'exit 0'},
  ])
    it(`installs ${what} where that is missing, and does not fetch the distribution again`, () => {
      const folder = mkdtempSync(join(tmpdir(), 'perf-battle-test-'));
      const add = (/** @type {string} */ name, /** @type {string} */ text) =>
        writeFileSync(join(folder, name), `#!/bin/sh\n${text}\n`, {mode: 0o755});
      add(program, `if [ -e "${folder}/asked" ]; then ${complete}; else ${lacking}; fi`);
      add('sudo', 'exec "$@"');
      add('dpkg', 'exit 0');
      add('apt-get', `case "$*" in *" install "*) echo "$*" > "${folder}/asked";; esac`);
      add('mvn', 'exit 9');
      try {
        const {status, stdout, stderr} = spawnSync('bash', [script], {
          encoding: 'utf8',
          timeout: 30_000,
          env: {...process.env, PATH: `${folder}:${process.env.PATH}`},
        });
        assert.equal(status, 0, stderr);
        assert.match(stdout, /Artemis \d+\.\d+\.\d+ is installed\n$/);
        assert.match(readFileSync(join(folder, 'asked'), 'utf8'), names);
      } finally {
        rmSync(folder, {recursive: true});
      }
    });
});

describe('what is installed for all transports that can run anywhere', () => {
  const read = (/** @type {string} */ file) =>
    readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8');
  const everywhere = transports.filter(
    ({libraries, capabilities}) => capabilities.includes('request') && !libraries.includes('koffi'),
  );

  it('is in the image', () => {
    const named = / install (.+)$/m.exec(read('infra/docker/Dockerfile'))?.[1].split(' ') ?? [];
    const needed = everywhere.filter(({libraries}) => libraries.some(isOptional)).map(({name}) => name);
    assert.deepEqual(named, needed);
  });

  for (const file of ['infra/docker/Dockerfile', '.github/workflows/ci.yml', 'package.json'])
    it(`has every broker in ${file}`, () => {
      assert.match(read(file), /for script in infra\/\*\/install\.sh; do bash /);
    });

  for (const file of ['.github/workflows/ci.yml', 'scripts/test-under-node.sh'])
    it(`is measured by ${file}`, () => {
      const named = /(?:--transport |\ball=)(tcp,\S+)/.exec(read(file))?.[1].split(',');
      const own = everywhere.filter(({name}) => !['udp', 'external', 'by-url'].includes(name));
      assert.deepEqual(named?.sort(), own.map(({name}) => name).sort());
    });
});

test('a program of Homebrew is found where the PATH of a user lacks its folders', async () => {
  const shared = fileURLToPath(new URL('../../../infra/packages.sh', import.meta.url));
  const {stdout} = spawnSync('bash', ['-c', `. ${shared}; echo "$PATH"`], {encoding: 'utf8'});
  for (const folder of ['/opt/homebrew/bin', '/opt/homebrew/sbin']) {
    assert.ok(stdout.trim().split(':').includes(folder), `install.sh: ${folder}`);
    assert.ok(packageFolders().includes(folder), `a private broker: ${folder}`);
  }
});

test('scripts/install-for-tests.sh does nothing, quickly and without privileges, when all is installed', () => {
  const script = fileURLToPath(new URL('../../../scripts/install-for-tests.sh', import.meta.url));
  const startedAt = performance.now();
  const {status, stdout, stderr} = spawnSync('bash', [script], {encoding: 'utf8', timeout: 30_000});
  assert.match(stdout, /Everything that the tests need is installed\n$/);
  assert.equal(stderr, '');
  assert.equal(status, 0);
  assert.ok(performance.now() - startedAt < 10_000);
});

import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {describe, it, test} from 'node:test';
import {fileURLToPath} from 'node:url';

for (const {kind, product, systems} of [
  {kind: 'rabbitmq', product: 'RabbitMQ', systems: /Debian, Ubuntu, Fedora, Amazon Linux 2023 or macOS/},
  {kind: 'nats', product: 'NATS server', systems: /Debian, Ubuntu, Fedora or macOS/},
  {kind: 'redis', product: 'Redis server', systems: /Debian, Ubuntu or macOS .* Fedora or Amazon Linux 2023/},
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

test('scripts/install-for-tests.sh does nothing, quickly and without privileges, when all is installed', () => {
  const script = fileURLToPath(new URL('../../../scripts/install-for-tests.sh', import.meta.url));
  const startedAt = performance.now();
  const {status, stdout, stderr} = spawnSync('bash', [script], {encoding: 'utf8', timeout: 30_000});
  assert.match(stdout, /Everything that the tests need is installed\n$/);
  assert.equal(stderr, '');
  assert.equal(status, 0);
  assert.ok(performance.now() - startedAt < 10_000);
});

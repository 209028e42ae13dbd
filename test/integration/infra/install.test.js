import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {describe, it, test} from 'node:test';
import {fileURLToPath} from 'node:url';

const SCRIPT = fileURLToPath(new URL('../../../infra/rabbitmq/install.sh', import.meta.url));

describe('infra/rabbitmq/install.sh', () => {
  it('does nothing, quickly and without privileges, when RabbitMQ is installed', () => {
    const startedAt = performance.now();
    const {status, stdout, stderr} = run();
    assert.match(stdout, /^RabbitMQ \d+\.\d+\.\d+\S* is already installed\n$/);
    assert.equal(stderr, '');
    assert.equal(status, 0);
    assert.ok(performance.now() - startedAt < 3000);
  });

  it('prints its usage with --help', () => {
    const {status, stdout} = run('--help');
    assert.equal(status, 0);
    assert.match(stdout, /^Usage: install\.sh \[--start\]/);
    assert.match(stdout, /Debian, Ubuntu, Fedora, Amazon Linux 2023 or macOS/);
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

test('scripts/install-for-tests.sh does nothing, quickly and without privileges, when all is installed', () => {
  const script = fileURLToPath(new URL('../../../scripts/install-for-tests.sh', import.meta.url));
  const startedAt = performance.now();
  const {status, stdout, stderr} = spawnSync('bash', [script], {encoding: 'utf8', timeout: 30_000});
  assert.match(stdout, /Everything that the tests need is installed\n$/);
  assert.equal(stderr, '');
  assert.equal(status, 0);
  assert.ok(performance.now() - startedAt < 3000);
});

/** @param {string[]} options */
function run(...options) {
  return spawnSync('bash', [SCRIPT, ...options], {encoding: 'utf8', timeout: 30_000});
}

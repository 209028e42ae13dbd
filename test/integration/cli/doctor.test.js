import assert from 'node:assert/strict';
import {cp} from 'node:fs/promises';
import {describe, it} from 'node:test';
import {fileURLToPath} from 'node:url';
import {brokerKinds} from '../../../src/brokers/index.js';
import {checks} from '../../../src/doctor/checks.js';
import {inAWorkplace} from '../support/each-in-a-workplace.js';
import {freePort} from '../support/ports.js';

/** @import {Workplace} from '../support/workplace.js' */

const relay = fileURLToPath(new URL('../../../examples/transports/relay', import.meta.url));

/**
 * What doctor says of the example's kind of broker, in a process of its own: a transport that is brought stays in its process.
 * @param {Workplace} workplace @param {string[]} words @param {NodeJS.ProcessEnv} [environment]
 */
async function examineRelay(workplace, words, environment) {
  const {code, stdout, stderr} = await workplace.start('battle', ['doctor', '--json', ...words], environment)
    .ended;
  assert.notEqual(stdout, '', stderr);
  const {findings} = JSON.parse(stdout);
  return {code, found: findings.find((/** @type {{check: string}} */ {check}) => check === 'Relay hub')};
}

describe('perf-battle doctor', () => {
  it(
    'examines this host and its brokers, and says what each check found',
    inAWorkplace(async (workplace) => {
      const {code, stdout, stderr} = await workplace.battle(['doctor']);
      assert.equal(code, 0, stdout + stderr);
      for (const name of [...checks.map((check) => check.name), ...brokerKinds.map(({label}) => label)])
        assert.match(stdout, new RegExp(`^(ok|warning) +${name}: \\S`, 'm'));
      assert.match(stdout, /^ok +Node\.js: v\d+/m);
      assert.match(stdout, /^\w+ +disk: .*free,\s+[\d.]+\s+[mµ]s\s+until/m);
      assert.match(stdout, new RegExp(`^${checks.length + brokerKinds.length} checks: \\d+ ok`, 'm'));
      for (const line of stdout.split('\n')) assert.ok(line.length <= 80 || !line.includes('  '), line);
      assert.deepEqual(await workplace.leftovers(), []);
    }),
  );

  it(
    'ends with 1 if a broker that the settings name does not answer, and shows no password',
    inAWorkplace(async (workplace) => {
      const url = `amqp://user:secret@127.0.0.1:${await freePort()}`;
      const {code, stdout} = await workplace.battle(['doctor', '--json'], {PB_RABBITMQ_URL: url});
      assert.equal(code, 1);
      const finding = JSON.parse(stdout).findings.find((/** @type {any} */ one) => one.check === 'RabbitMQ');
      assert.equal(finding.level, 'error');
      assert.match(finding.finding, /127\.0\.0\.1.*ECONNREFUSED|refused/s);
      assert.ok(!stdout.includes('secret'));
    }),
  );

  it(
    'examines the broker of a transport of the user, which a flag or a variable names',
    inAWorkplace(async (workplace) => {
      await cp(relay, workplace.file('relay'), {recursive: true});
      for (const [words, environment] of /** @type {[string[], NodeJS.ProcessEnv][]} */ ([
        [['--transport', './relay'], {}],
        [[], {PB_TRANSPORT: './relay'}],
      ])) {
        const {found} = await examineRelay(workplace, words, environment);
        assert.equal(found?.level, 'ok', JSON.stringify(found));
        assert.match(found.finding, /^a battle starts a private one: \/.*node$/);
      }
      const port = String(await freePort());
      const given = await examineRelay(workplace, ['--transport', './relay', '--relay-port', port]);
      assert.deepEqual([given.code, given.found?.level], [1, 'error']);
      assert.match(given.found.finding, /Relay hub at localhost:\d+ cannot be reached/);
    }),
  );

  it(
    'says how the broker of a transport of the user is installed, or the package that its driver needs',
    inAWorkplace(async (workplace) => {
      await cp(relay, workplace.file('relay'), {recursive: true});
      await workplace.edit('relay/broker.js', [
        "program: 'node',",
        "program: 'no-such-hub', install: 'npm install -g no-such-hub',",
      ]);
      const named = ['--transport', './relay'];
      const {code, found} = await examineRelay(workplace, named);
      assert.deepEqual([code, found?.level], [0, 'warning']);
      assert.match(found.advice, /Install it with: npm install -g no-such-hub$/);
      await workplace.edit('relay/driver.js', ['import', "import 'no-such-package';\nimport"]);
      const {found: needy} = await examineRelay(workplace, named);
      assert.equal(needy?.level, 'warning');
      assert.match(
        needy.advice,
        /^Relay hub needs the npm package no-such-package, which is not installed\. Install it with: npm install no-such-package$/,
      );
    }),
  );

  it(
    'refuses what it does not take',
    inAWorkplace(async (workplace) => {
      assert.equal((await workplace.battle(['doctor', '--rounds', '3'])).code, 2);
      assert.equal((await workplace.battle(['doctor', 'now'])).code, 2);
    }),
  );
});

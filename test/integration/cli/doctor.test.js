import assert from 'node:assert/strict';
import {describe, it} from 'node:test';
import {brokerKinds} from '../../../src/brokers/index.js';
import {checks} from '../../../src/doctor/checks.js';
import {inAWorkplace} from '../support/each-in-a-workplace.js';
import {freePort} from '../support/ports.js';

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
    'refuses what it does not take',
    inAWorkplace(async (workplace) => {
      assert.equal((await workplace.battle(['doctor', '--rounds', '3'])).code, 2);
      assert.equal((await workplace.battle(['doctor', 'now'])).code, 2);
    }),
  );
});

import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {cp, readFile, writeFile} from 'node:fs/promises';
import {describe, it} from 'node:test';
import {fileURLToPath} from 'node:url';
import {inAWorkplace} from '../support/each-in-a-workplace.js';
import {hostsWithCaches} from '../support/fill-caches.js';
import {leftoversOnHostsWithin} from '../support/leftovers-on-hosts.js';
import {freePort} from '../support/ports.js';

/** @import {Workplace} from '../support/workplace.js' */

const example = fileURLToPath(new URL('../../../examples/transports/relay', import.meta.url));
const short = ['--rounds', '1', '--samples', '40', '--warmup', '10', '--payload', '1kb'];

/** @param {Workplace} workplace @param {string[]} words @param {NodeJS.ProcessEnv} [environment] */
async function run(workplace, words, environment) {
  return await workplace.start('battle', words, environment).ended;
}

/** Copies the example, and changes one of its files. @param {Workplace} workplace @param {string} [file] @param {[string, string]} [change] */
async function bring(workplace, file, change) {
  await cp(example, workplace.file('relay'), {recursive: true});
  if (file && change) await workplace.edit(`relay/${file}`, change);
}

/** @param {Workplace} workplace */
async function outcomes(workplace) {
  return (await workplace.cells()).map(({transport, outcome}) => [transport, outcome]);
}

const completed = [
  ['tcp', 'completed'],
  ['relay', 'completed'],
];

describe('a kind of broker that is not part of perf-battle', {timeout: 600_000, concurrency: 2}, () => {
  it(
    'is started for a battle, and is in the record',
    inAWorkplace(async (workplace) => {
      await bring(workplace);
      const {code, stderr} = await run(workplace, [
        '--transport',
        './relay',
        '--broker',
        'private',
        ...short,
      ]);
      assert.equal(code, 0, stderr);
      assert.match(stderr, /Starting a private Relay hub node/);
      assert.deepEqual(await outcomes(workplace), completed);
      const [, relay] = await workplace.cells();
      assert.equal(relay.versions.relay, '1.0');
      assert.ok(relay.outcome === 'completed' && relay.cpu.broker !== null && relay.hosts.broker !== null);
    }),
  );

  it(
    'is that of several transports which share it',
    inAWorkplace(async (workplace) => {
      await bring(workplace);
      const text = await readFile(workplace.file('relay/index.js'), 'utf8');
      const another = text
        .replace("name: 'relay'", "name: 'again'")
        .replace("label: 'Relay'", "label: 'Again'");
      await writeFile(workplace.file('relay/again.js'), another);
      const words = ['--transport', './relay,./relay/again.js', '--broker', 'private', ...short];
      const {code, stderr} = await run(workplace, words);
      assert.equal(code, 0, stderr);
      assert.equal(stderr.match(/Starting a private Relay hub node/g)?.length, 1);
      assert.deepEqual(await outcomes(workplace), [...completed, ['again', 'completed']]);
    }),
  );

  it(
    'is used where it runs already, by its URL or its host, and left as it was',
    inAWorkplace(async (workplace) => {
      await bring(workplace);
      const port = await freePort();
      const hub = spawn(process.execPath, [workplace.file('relay/hub.js'), '127.0.0.1', String(port)]);
      try {
        await once(hub.stdout, 'data');
        for (const named of [
          ['--broker', `relay://127.0.0.1:${port}`],
          ['--relay-host', '127.0.0.1', '--relay-port', String(port)],
        ]) {
          const {code, stderr} = await run(workplace, ['--transport', './relay', ...named, ...short]);
          assert.equal(code, 0, stderr);
          assert.doesNotMatch(stderr, /Starting a private/);
        }
        assert.equal(hub.exitCode, null);
      } finally {
        hub.kill();
      }
    }),
  );

  it(
    'that is not available is named, and the other cells run',
    inAWorkplace(async (workplace) => {
      await bring(workplace);
      const url = `relay://alice:secret@127.0.0.1:${await freePort()}`;
      const {code, stderr} = await run(workplace, ['--transport', './relay', '--broker', url, ...short]);
      assert.equal(code, 3, stderr);
      assert.match(stderr, /Relay hub at 127\.0\.0\.1:\d+ cannot be reached: connect ECONNREFUSED/);
      assert.doesNotMatch(stderr, /secret/);
      assert.deepEqual(await outcomes(workplace), [
        ['tcp', 'completed'],
        ['relay', 'failed'],
      ]);
    }),
  );

  it(
    'whose program is missing says how it is installed',
    inAWorkplace(async (workplace) => {
      await bring(workplace, 'broker.js', [
        "program: 'node',",
        "program: 'no-such-hub', install: 'npm install -g no-such-hub',",
      ]);
      const {code, stderr} = await run(workplace, [
        '--transport',
        './relay',
        '--broker',
        'private',
        ...short,
      ]);
      assert.equal(code, 3, stderr);
      assert.match(
        stderr,
        /There is no Relay hub: no-such-hub is not installed on this host\. Install it with: npm install -g no-such-hub/,
      );
    }),
  );

  it(
    'is checked with its transport, in a private one',
    inAWorkplace(async (workplace) => {
      await bring(workplace);
      const words = ['check-transport', './relay', '--broker', 'private'];
      const {code, stdout, stderr} = await run(workplace, words);
      assert.equal(code, 0, stdout + stderr);
      assert.match(stdout, /All checks hold\./);
    }),
  );

  /** @type {[what: string, file: string, change: [string, string], message: RegExp][]} */
  const refused = [
    [
      'a kind with the name of another',
      'broker.js',
      ["name: 'relay'", "name: 'nats'"],
      /has a name that another kind of broker has already/,
    ],
    [
      'a kind with the URLs of another',
      'broker.js',
      ['port: 7070,', "port: 7070, schemes: ['amqp'],"],
      /has URLs with amqp:\/\/, which belongs to RabbitMQ/,
    ],
    [
      'a module that declares no kind',
      'broker.js',
      ['export default defineBroker', 'export const broker = defineBroker'],
      /must be the default export of its module, made by defineBroker\(\)/,
    ],
    [
      'a module that cannot be loaded',
      'broker.js',
      ['export', "import 'no-such-package';\nexport"],
      /no-such-package/,
    ],
    ['a field that is not allowed', 'broker.js', ['port: 7070', 'port: 0'], /port must be an integer/],
  ];
  for (const [what, file, change, message] of refused) {
    it(
      `is refused before anything starts: ${what}`,
      inAWorkplace(async (workplace) => {
        await bring(workplace, file, change);
        const {code, stdout, stderr} = await run(workplace, ['--transport', './relay', ...short]);
        assert.deepEqual({code, stdout}, {code: 2, stdout: ''}, stderr);
        assert.match(stderr, message);
      }),
    );
  }
});

describe('a kind of broker that is not part of perf-battle, on another host', {timeout: 600_000}, () => {
  const network = hostsWithCaches(['alpha', 'beta']);

  it(
    'goes along, and runs there',
    inAWorkplace(async (workplace) => {
      await bring(workplace);
      const environment = {PB_SSH_CONFIG: network().sshConfig};
      const places = ['--server-on', 'alpha', '--broker-on', 'beta'];
      const {code, stderr} = await run(
        workplace,
        ['--transport', './relay', ...places, ...short],
        environment,
      );
      assert.equal(code, 0, stderr);
      assert.match(stderr, /Starting a private Relay hub node on beta/);
      assert.deepEqual(await outcomes(workplace), completed);
      assert.deepEqual(await leftoversOnHostsWithin(network(), 5000), []);
    }),
  );
});

import assert from 'node:assert/strict';
import {once} from 'node:events';
import {readFile, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {after, before, describe, it} from 'node:test';
import {setTimeout as sleep} from 'node:timers/promises';
import {connectRedis} from '../../../src/brokers/redis/connection.js';
import {localServer} from '../../../src/brokers/redis/url.js';
import {conformance} from '../../../src/conformance/index.js';
import redis from '../../../src/transports/redis/index.js';
import {allArrived} from '../support/arrived.js';
import {makeCertificates} from '../support/certificates.js';
import {inAWorkplace} from '../support/each-in-a-workplace.js';
import {killedBroker} from '../support/killed-broker.js';
import {freePort} from '../support/ports.js';
import {spawnWithParent} from '../support/spawn-with-parent.js';
import {Workplace} from '../support/workplace.js';

/** @import {ChildProcess} from 'node:child_process' */

const few = ['--rounds', '1', '--samples', '40', '--warmup', '10', '--transport', 'redis'];
const short = [...few, '--payload', '1kb'];
const everyVia = /** @type {const} */ (['list', 'stream', 'pubsub']);

for (const redisVia of everyVia) conformance({...redis, name: `redis via ${redisVia}`}, {redisVia});

describe('a battle with Redis', {timeout: 600_000, concurrency: 2}, () => {
  it(
    'starts a private server, names it in the records, and leaves nothing of it',
    inAWorkplace(async (workplace) => {
      const flags = ['--redis-via', everyVia.join(), '--workload', 'rtt,stream', '--payload', '1000kb'];
      const {code, stderr} = await workplace.battle([...few, ...flags, '--broker', 'private']);
      assert.equal(code, 0, stderr);
      const cells = (await workplace.cells()).filter(({transport}) => transport === 'redis');
      assert.equal(cells.length, 6);
      for (const cell of allArrived(cells)) {
        assert.match(String(cell.versions.redis), /^(Valkey )?\d+\.\d+\.\d+$/);
        assert.equal(cell.variant.appendfsync, 'off');
        assert.ok(cell.cpu.broker);
      }
      assert.deepEqual(await workplace.leftovers(), []);
    }),
  );

  it(
    'fills and empties a queue, on a private server for each way of storing, each started so',
    inAWorkplace(async (workplace) => {
      const flags = [
        '--workload',
        'queue',
        '--redis-via',
        'list,stream',
        '--redis-appendfsync',
        'off,always',
      ];
      const {code, stderr} = await workplace.battle([...short, ...flags]);
      assert.equal(code, 0, stderr);
      assert.equal(stderr.match(/Starting a private Redis node/g)?.length, 2);
      const cells = await workplace.cells();
      assert.deepEqual(
        cells.map(({variant, outcome}) => [outcome, variant.redisAppendfsync]),
        cells.map(({variant}) => ['completed', variant.appendfsync]),
      );
      assert.deepEqual(cells.map(({variant}) => variant.redisAppendfsync).sort(), [
        ...['always', 'always', 'off', 'off'],
      ]);
      assert.deepEqual(await workplace.leftovers(), []);
    }),
  );

  it(
    'spreads clients over servers of lists, streams and channels',
    inAWorkplace(async (workplace) => {
      const flags = ['--redis-via', everyVia.join(), '--workload', 'pipeline', '--window', '16'];
      const roles = ['--clients', '3', '--servers', '2', '--broker', 'private'];
      const {code, stderr} = await workplace.battle([...short, ...flags, ...roles]);
      assert.equal(code, 0, stderr);
      for (const cell of await workplace.cells())
        assert.ok(cell.outcome === 'completed', JSON.stringify(cell));
    }),
  );

  it(
    'is refused before anything starts where channels should store',
    inAWorkplace(async (workplace) => {
      const {code, stderr} = await workplace.battle([
        ...short,
        '--workload',
        'queue',
        '--redis-via',
        'pubsub',
      ]);
      assert.equal(code, 2);
      assert.match(stderr, /--redis-via pubsub stores nothing/);
    }),
  );

  it(
    'fails the cell, says why and goes on when its server is killed',
    inAWorkplace(async (workplace) => {
      const transports = ['--transport', 'redis,http', '--http-server', 'node'];
      const outcomes = await killedBroker(workplace, 'redis', {
        ...{label: 'Redis', program: /redis-server .*redis\.conf/, afterMs: 400},
        flags: ['--duration', '700ms', '--seed', '2', ...transports],
      });
      assert.deepEqual(outcomes, {
        ...{tcp: 'completed', http: 'completed', redis: 'PB_BROKER_DIED'},
      });
    }),
  );
});

describe('a Redis server that a person names', {timeout: 600_000}, () => {
  /** @type {Workplace} */
  let own;
  /** @type {Awaited<ReturnType<typeof makeCertificates>>} */
  let made;
  /** @type {ChildProcess} */
  let server;
  let port = 0;
  before(async () => {
    own = await Workplace.make();
    made = await makeCertificates(own.path);
    port = await freePort();
    const configuration = join(own.path, 'redis.conf');
    const {certFile, keyFile} = made.server;
    await writeFile(
      configuration,
      `bind 127.0.0.1\nport 0\ntls-port ${port}\ntls-cert-file ${certFile}\ntls-key-file ${keyFile}
tls-ca-cert-file ${made.caFile}\ntls-auth-clients yes\nrequirepass S3cret\nsave ""\nappendonly yes\ndir ${own.path}\n`,
    );
    server = spawnWithParent('redis-server', [configuration], {stdio: ['ignore', 'pipe', 'inherit']});
    let said = '';
    while (!said.includes('Ready to accept connections'))
      said += String((await once(/** @type {any} */ (server.stdout), 'data'))[0]);
    server.stdout?.resume();
    const client = await ask();
    await client.set('theirs', 'stays');
    client.disconnect();
  });
  after(async () => {
    server.kill('SIGKILL');
    await once(server, 'exit');
    await own.clear();
  });

  const identity = () => ({
    caFile: made.caFile,
    certFile: made.client.certFile,
    keyFile: made.client.keyFile,
  });
  const files = () => [
    ...['--redis-ca-file', made.caFile, '--redis-cert-file', made.client.certFile],
    ...['--redis-key-file', made.client.keyFile],
  ];
  const url = () => `rediss://:S3cret@localhost:${port}`;

  async function ask() {
    return await connectRedis({...localServer, ...identity(), port, tls: true, password: 'S3cret'});
  }

  async function keys() {
    const client = await ask();
    try {
      return await client.keys('*');
    } finally {
      client.disconnect();
    }
  }

  it(
    'is reached by TLS and a password, is left as it was, and its password is shown nowhere',
    inAWorkplace(async (workplace) => {
      const flags = [
        '--redis-via',
        'list,stream',
        '--workload',
        'rtt,queue',
        '--redis-appendfsync',
        'everysec',
      ];
      const {code, stdout, stderr} = await workplace.battle([...short, ...flags, ...files()], {
        PB_REDIS_URL: url(),
      });
      assert.equal(code, 0, stderr);
      const cells = (await workplace.cells()).filter(({transport}) => transport === 'redis');
      assert.deepEqual(
        cells.map(({outcome, variant}) => [outcome, variant.tlsProtocol, variant.appendfsync]),
        Array.from({length: 4}, () => ['completed', 'TLSv1.3', 'everysec']),
      );
      assert.deepEqual(await keys(), ['theirs']);
      const journal = await readFile(workplace.file('results.ndjson'), 'utf8');
      for (const text of [journal, stdout, stderr]) assert.doesNotMatch(text, /S3cret|BEGIN|PRIVATE/);
    }),
  );

  it(
    'fails the cell where it stores in another way than asked for',
    inAWorkplace(async (workplace) => {
      const {code, stderr} = await workplace.battle([...short, '--redis-appendfsync', 'always', ...files()], {
        PB_REDIS_URL: url(),
      });
      assert.equal(code, 3, stderr);
      assert.match(
        stderr,
        /has appendfsync everysec, and --redis-appendfsync is always\. .*--broker private/s,
      );
    }),
  );

  for (const {what, given, words, message} of [
    {
      what: 'a wrong password',
      given: ':Wr0ng@localhost',
      words: files,
      message: /refused a password: WRONGPASS [^.]+\. Check --redis-username/,
    },
    {what: 'no password', given: 'localhost', words: files, message: /refused no password: NOAUTH/},
    {what: 'no authority', given: ':S3cret@localhost', words: () => [], message: /cannot be verified/},
    {
      what: 'no certificate',
      given: ':S3cret@localhost',
      words: () => ['--redis-ca-file', made.caFile],
      message: /refused the client's certificate|may have refused the client's certificate/,
    },
  ])
    it(
      `is not available with ${what}, with a clear reason`,
      inAWorkplace(async (workplace) => {
        const {code, stderr} = await workplace.battle([...short, ...words()], {
          PB_REDIS_URL: `rediss://${given}:${port}`,
        });
        assert.equal(code, 3, stderr);
        assert.match(stderr, message);
        assert.doesNotMatch(stderr, /S3cret|Wr0ng/);
      }),
    );

  /** @param {number} count @param {{ended: Promise<unknown>}} program */
  async function untilKeys(count, {ended}) {
    let isRunning = true;
    ended.then(() => {
      isRunning = false;
    });
    while ((await keys()).length < count) {
      assert.ok(isRunning, 'It has ended.');
      await sleep(50);
    }
  }

  it(
    'has nothing of a battle that was killed',
    inAWorkplace(async (workplace) => {
      const flags = ['--rounds', '1', '--duration', '2s', '--warmup', '10', '--payload', '1kb'];
      const redisFlags = [
        '--transport',
        'redis',
        '--redis-via',
        'stream',
        '--workload',
        'stream',
        ...files(),
      ];
      const battle = workplace.start('battle', [...flags, ...redisFlags], {PB_REDIS_URL: url()});
      await untilKeys(2, battle);
      battle.child.kill('SIGKILL');
      await battle.ended;
      assert.deepEqual(await workplace.leftoversWithin(10_000), []);
      assert.deepEqual(await keys(), ['theirs']);
    }),
  );

  it(
    'deletes by itself what roles have left that were killed',
    inAWorkplace(async (workplace) => {
      const {caFile, certFile, keyFile} = identity();
      const settings = {
        ...{
          PB_REDIS_URL: url(),
          PB_REDIS_CA_FILE: caFile,
          PB_REDIS_CERT_FILE: certFile,
          PB_REDIS_KEY_FILE: keyFile,
        },
        ...{PB_REDIS_VIA: 'stream', PB_SAMPLES: '10000000'},
      };
      const server = workplace.start('battle', ['serve', 'redis'], settings);
      await server.says(/Redis server ready/);
      const client = workplace.start('battle', ['call', 'redis'], settings);
      await untilKeys(3, client);
      // What came into being is given its time once a second.
      await sleep(1500);
      for (const {child} of [client, server]) child.kill('SIGKILL');
      await Promise.all([client.ended, server.ended]);
      const asking = await ask();
      try {
        const left = (await asking.keys('*')).filter((key) => key !== 'theirs');
        const seconds = await Promise.all(left.map((key) => asking.ttl(key)));
        assert.equal(left.length, 2);
        for (const time of seconds) assert.ok(time > 0 && time <= 60, String(seconds));
        await asking.unlink(...left);
      } finally {
        asking.disconnect();
      }
    }),
  );
});

import assert from 'node:assert/strict';
import {once} from 'node:events';
import {readFile, rm} from 'node:fs/promises';
import {createServer} from 'node:net';
import {after, before, describe, it} from 'node:test';
import {setTimeout as sleep} from 'node:timers/promises';
import {connectNats} from '../../../src/brokers/nats/connection.js';
import {nats} from '../../../src/brokers/nats/index.js';
import {freePort} from '../support/ports.js';
import {spawnWithParent} from '../support/spawn-with-parent.js';
import {itOutlivesNoParent} from './killed-parent.js';
import {leftovers, leftoversAfter, makeBase} from './leftovers.js';
import {provision} from './provision.js';

/**
 * @import {Broker} from '../../../src/brokers/kind.js'
 * @import {NatsConnection} from '../../../src/brokers/nats/url.js'
 * @import {AddressInfo} from 'node:net'
 */

const patient = {timeoutMs: 5000};
const any = {choice: /** @type {const} */ ('auto')};

describe('a private NATS server', {timeout: 1_200_000}, () => {
  /** @type {string} */
  let base;
  /** @type {Broker<NatsConnection>} */
  let broker;
  before(async () => {
    base = await makeBase();
    broker = await provisionPrivate(base);
  });
  after(async () => {
    await broker.release();
    await rm(base, {recursive: true, force: true});
  });

  it('answers, and takes the largest payloads', async () => {
    assert.deepEqual([broker.kind, broker.source], ['nats', 'private']);
    assert.match(String(broker.versions.nats), /^\d+\.\d+\.\d+$/);
    assert.match(broker.label, /^NATS \d\S* at 127\.0\.0\.1:\d+, a private node$/);
    const connected = await connectNats(broker.connection, patient);
    assert.equal(connected.info?.max_payload, 64 * 1024 * 1024);
    await connected.close();
  });

  it('has the pid of the server, whose CPU time is read', async () => {
    assert.equal(await readFile(`/proc/${broker.pid}/comm`, 'utf8'), 'nats-server\n');
    assert.ok(Number((await broker.readTimes())?.maxRssBytes) > 0);
  });

  it('refuses who has not its password, and nobody sees that', async () => {
    for (const password of ['Wr0ng', null]) {
      const connection = {...broker.connection, password, ...(password === null && {username: null})};
      await assert.rejects(connectNats(connection, patient), (/** @type {any} */ error) => {
        assert.equal(error.code, 'PB_BROKER_UNAVAILABLE');
        assert.match(error.message, /(user "perf-battle"|no user).*Authorization Violation/i);
        assert.ok(!error.message.includes('Wr0ng'));
        return true;
      });
    }
  });

  it('is used when it is given', async () => {
    const given = await provision(nats, {...any, given: broker.connection});
    assert.equal(given.source, 'given');
    assert.ok(!given.label.includes(String(broker.connection.password)));
    await given.release();
  });

  it('says so when it dies unasked, and leaves nothing', async () => {
    const other = await makeBase();
    const dying = await provisionPrivate(other);
    process.kill(/** @type {number} */ (dying.pid), 'SIGKILL');
    assert.match(
      await dying.died,
      /nats-server \(pid \d+\) was ended by SIGKILL.*last lines of its log:\n.+/s,
    );
    await dying.release();
    assert.deepEqual(await leftoversAfter(other), []);
    await rm(other, {recursive: true});
  });

  it('is gone, with its folder, once it is released', async () => {
    await broker.release();
    assert.deepEqual(await leftovers(base), []);
  });
});

describe('nothing of a private NATS server is left', {timeout: 1_200_000}, () => {
  /** @type {string} */
  let base;
  before(async () => {
    base = await makeBase();
  });
  after(() => rm(base, {recursive: true, force: true}));

  itOutlivesNoParent(() => base, {
    nodes: 1,
    kind: 'nats',
    windows: [
      [30, 150],
      [150, 400],
    ],
    // The folder, the supervisor, the server.
    minInUse: 3,
  });
});

describe('a NATS server on this host', () => {
  it('that was restarted is another instance, whose times are read', async () => {
    const localPort = await freePort();
    const servers = [await startServer(localPort)];
    try {
      const broker = await provision(nats, {...any, localPort, programFolders: []});
      assert.match(String(broker.instance), new RegExp(`^${servers[0].pid}@\\d+$`));
      assert.equal((await broker.readTimes())?.instance, broker.instance);
      servers[0].kill('SIGKILL');
      await once(servers[0], 'exit');
      assert.equal(await broker.readTimes(), null);
      servers.push(await startServer(localPort));
      await until(async () => (await broker.readTimes()) !== null);
      const times = await broker.readTimes();
      assert.match(String(times?.instance), new RegExp(`^${servers[1].pid}@\\d+$`));
      assert.ok(Number(times?.maxRssBytes) > 0);
      await broker.release();
    } finally {
      for (const server of servers) server.kill('SIGKILL');
    }
  });

  it('is found and used when it knows no users, and passed over with a reason when it does', async () => {
    for (const [users, found] of /** @type {[string[], boolean][]} */ ([
      [[], true],
      [['--user', 'alice', '--pass', 'secret'], false],
    ])) {
      const localPort = await freePort();
      const server = await startServer(localPort, users);
      try {
        /** @type {string[]} */
        const lines = [];
        const asked = {
          ...any,
          localPort,
          programFolders: [],
          log: (/** @type {string} */ line) => void lines.push(line),
        };
        if (found) {
          const broker = await provision(nats, asked);
          assert.deepEqual([broker.source, broker.pid], ['found', server.pid]);
          const times = await broker.readTimes();
          assert.equal(times?.instance, broker.instance);
          await broker.release();
        } else {
          await assert.rejects(provision(nats, asked), {code: 'PB_BROKER_UNAVAILABLE'});
          assert.match(lines.join(), /is not used: .* refused no user: Authorization Violation/);
        }
      } finally {
        server.kill('SIGKILL');
      }
    }
  });
});

describe('what is not a NATS server', () => {
  it('is unavailable when nothing listens there, and the host is told what installs one', async () => {
    const localPort = await freePort();
    const given = {
      ...nats.local,
      hostname: '127.0.0.1',
      port: localPort,
      username: 'alice',
      password: 'S3cret',
    };
    await assert.rejects(provision(nats, {...any, given}), {
      code: 'PB_BROKER_UNAVAILABLE',
      message: /127\.0\.0\.1:\d+ .*"alice".*ECONNREFUSED/,
    });
    await assert.rejects(provision(nats, {...any, localPort, programFolders: []}), {
      code: 'PB_BROKER_UNAVAILABLE',
      message: /nats:\/\/localhost:\d+.* nats-server .* npx perf-battle install nats$/,
    });
  });

  it('is unavailable when another program answers', async () => {
    const server = createServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')).listen(
      0,
      '127.0.0.1',
    );
    await once(server, 'listening');
    const {port} = /** @type {AddressInfo} */ (server.address());
    const connection = {...nats.local, hostname: '127.0.0.1', port};
    await assert.rejects(connectNats(connection, patient), {
      code: 'PB_BROKER_UNAVAILABLE',
      message: /does not speak NATS/,
    });
    server.close();
  });
});

/** @param {string} temporaryFolder */
function provisionPrivate(temporaryFolder) {
  return provision(nats, {temporaryFolder});
}

/** A server that a person runs. @param {number} port @param {readonly string[]} [more] */
async function startServer(port, more = []) {
  const server = spawnWithParent('nats-server', ['-a', '127.0.0.1', '-p', String(port), ...more], {
    stdio: 'pipe',
  });
  let said = '';
  while (!said.includes('Server is ready')) said += String((await once(server.stderr, 'data'))[0]);
  return server;
}

/** @param {() => Promise<boolean>} condition */
async function until(condition) {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    if (await condition()) return;
    await sleep(50);
  }
  throw new Error('It never became true.');
}

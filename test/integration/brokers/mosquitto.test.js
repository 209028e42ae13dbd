import assert from 'node:assert/strict';
import {once} from 'node:events';
import {readFile, rm} from 'node:fs/promises';
import {createServer} from 'node:net';
import {after, before, describe, it} from 'node:test';
import {setTimeout as sleep} from 'node:timers/promises';
import {openMqtt} from '../../../src/brokers/mosquitto/connection.js';
import {mosquitto} from '../../../src/brokers/mosquitto/index.js';
import {freePort} from '../support/ports.js';
import {spawnWithParent} from '../support/spawn-with-parent.js';
import {itOutlivesNoParent} from './killed-parent.js';
import {leftovers, leftoversAfter, makeBase} from './leftovers.js';
import {provision} from './provision.js';

/**
 * @import {Broker} from '../../../src/brokers/kind.js'
 * @import {MqttConnection} from '../../../src/brokers/mosquitto/url.js'
 * @import {AddressInfo} from 'node:net'
 */

const patient = {timeoutMs: 5000};

describe('a private Mosquitto', {timeout: 600_000}, () => {
  /** @type {string} */
  let base;
  /** @type {Broker<MqttConnection>} */
  let broker;
  before(async () => {
    base = await makeBase();
    broker = await provision(mosquitto, {temporaryFolder: base});
  });
  after(async () => {
    await broker.release();
    await rm(base, {recursive: true, force: true});
  });

  it('answers with its version, and has the pid of the process whose CPU time is read', async () => {
    assert.deepEqual([broker.kind, broker.source], ['mosquitto', 'private']);
    assert.match(String(broker.versions.mosquitto), /^\d+\.\d+\.\d+$/);
    assert.match(broker.label, /^Mosquitto \d\S* at 127\.0\.0\.1:\d+, a private node$/);
    assert.equal(await readFile(`/proc/${broker.pid}/comm`, 'utf8'), 'mosquitto\n');
    assert.ok(Number((await broker.readTimes())?.maxRssBytes) > 0);
  });

  it('allows any number of messages without an acknowledgement', async () => {
    const {greeting, close} = await openMqtt(broker.connection, {clientId: 'one'}, patient);
    assert.equal(greeting.properties?.receiveMaximum, undefined);
    await close();
  });

  it('refuses who has not its password, and nobody sees that', async () => {
    for (const password of ['Wr0ng', null]) {
      const connection = {...broker.connection, password, ...(password === null && {username: null})};
      await assert.rejects(openMqtt(connection, {clientId: 'one'}, patient), (/** @type {any} */ error) => {
        assert.equal(error.code, 'PB_BROKER_UNAVAILABLE');
        assert.match(error.message, /(user "perf-battle"|no user).*not authorized/i);
        assert.ok(!error.message.includes('Wr0ng'));
        return true;
      });
    }
  });

  it('says so when it dies unasked, and leaves nothing', async () => {
    const other = await makeBase();
    const dying = await provision(mosquitto, {temporaryFolder: other});
    process.kill(/** @type {number} */ (dying.pid), 'SIGKILL');
    assert.match(await dying.died, /mosquitto \(pid \d+\) was ended by SIGKILL/);
    await dying.release();
    assert.deepEqual(await leftoversAfter(other), []);
    await rm(other, {recursive: true});
  });

  it('is gone, with its folder, once it is released', async () => {
    await broker.release();
    assert.deepEqual(await leftovers(base), []);
  });
});

describe('nothing of a private Mosquitto is left', {timeout: 600_000}, () => {
  /** @type {string} */
  let base;
  before(async () => {
    base = await makeBase();
  });
  after(() => rm(base, {recursive: true, force: true}));

  itOutlivesNoParent(() => base, {nodes: 1, kind: 'mosquitto', windows: [[30, 150]], minInUse: 3});
});

describe('a Mosquitto on this host, and what is none', () => {
  it('is found and used when it knows no users', async () => {
    const localPort = await freePort();
    const server = spawnWithParent('mosquitto', ['-p', String(localPort)], {stdio: 'ignore'});
    try {
      const connection = {...mosquitto.local, port: localPort};
      const isUp = () =>
        openMqtt(connection, {clientId: 'probe'}, patient).then(
          ({close}) => close().then(() => true),
          () => false,
        );
      while (!(await isUp())) await sleep(50);
      const broker = await provision(mosquitto, {choice: 'auto', localPort, programFolders: []});
      assert.deepEqual([broker.source, broker.pid], ['found', server.pid]);
      await broker.release();
    } finally {
      server.kill('SIGKILL');
    }
  });

  it('is unavailable when nothing listens there, and the host is told what installs one', async () => {
    const localPort = await freePort();
    await assert.rejects(provision(mosquitto, {choice: 'auto', localPort, programFolders: []}), {
      code: 'PB_BROKER_UNAVAILABLE',
      message: /mqtt:\/\/localhost:\d+.* mosquitto .* npx perf-battle install mosquitto$/,
    });
  });

  for (const [what, answer, message] of /** @type {[string, string | null, RegExp][]} */ ([
    ['hangs up', '', /does not speak MQTT 5/],
    ['speaks HTTP', 'HTTP/1.1 400 Bad Request\r\n\r\n', /does not speak MQTT 5/],
    ['is silent', null, /no answer within/],
  ]))
    it(`is unavailable when a program ${what} there`, async () => {
      const server = createServer((socket) => void (answer === null || socket.end(answer)));
      await once(server.listen(0, '127.0.0.1'), 'listening');
      const {port} = /** @type {AddressInfo} */ (server.address());
      const connection = {...mosquitto.local, hostname: '127.0.0.1', port};
      await assert.rejects(openMqtt(connection, {clientId: 'one'}, {timeoutMs: 500}), {
        code: 'PB_BROKER_UNAVAILABLE',
        message,
      });
      server.close();
    });
});

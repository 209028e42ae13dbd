import assert from 'node:assert/strict';
import {execFile} from 'node:child_process';
import {writeFile} from 'node:fs/promises';
import {after, before, describe, it} from 'node:test';
import {setTimeout as sleep} from 'node:timers/promises';
import {promisify} from 'node:util';
import {openMqtt} from '../../../src/brokers/mosquitto/connection.js';
import {parseMqttUrl} from '../../../src/brokers/mosquitto/url.js';
import {allArrived} from '../support/arrived.js';
import {makeCertificates} from '../support/certificates.js';
import {inAWorkplace} from '../support/each-in-a-workplace.js';
import {killedBroker} from '../support/killed-broker.js';
import {freePort} from '../support/ports.js';
import {childrenOf} from '../support/roles.js';
import {spawnWithParent} from '../support/spawn-with-parent.js';
import {Workplace} from '../support/workplace.js';

/**
 * @import {ChildProcess} from 'node:child_process'
 * @import {Session} from '../../../src/brokers/mosquitto/connection.js'
 */

const execute = promisify(execFile);
const short = ['--rounds', '1', '--samples', '40', '--warmup', '10'];
const ofMqtt = ['--transport', 'mqtt'];

describe('a battle with MQTT', {timeout: 1_200_000, concurrency: 2}, () => {
  it(
    'runs each quality of service with messages of 1000 KB, and leaves nothing of its broker',
    inAWorkplace(async (workplace) => {
      const qos = ['--mqtt-qos', '0,1,2', '--window', '64', '--payload', '1000kb'];
      const flags = [...short, ...ofMqtt, ...qos, '--workload', 'pipeline,stream', '--broker', 'private'];
      const {code, stderr} = await workplace.battle(flags);
      assert.equal(code, 0, stderr);
      const cells = (await workplace.cells()).filter(({transport}) => transport === 'mqtt');
      assert.equal(cells.length, 6);
      for (const cell of allArrived(cells)) {
        assert.match(String(cell.versions.mosquitto), /^\d+\.\d+\.\d+$/);
        assert.ok(cell.cpu.broker);
      }
      assert.deepEqual(await workplace.leftovers(), []);
    }),
  );

  it(
    'streams small messages with QoS 2, of which Mosquitto 2.0.11 has one more on its way than a bound allows',
    inAWorkplace(async (workplace) => {
      const load = ['--workload', 'stream', '--window', '64', '--payload', '1kb', '--duration', '1s'];
      const flags = [...ofMqtt, '--rounds', '1', '--mqtt-qos', '2', ...load, '--broker', 'private'];
      const {code, stderr} = await workplace.battle(flags);
      assert.equal(code, 0, stderr);
    }),
  );

  it(
    'keeps a queue with QoS 1 and 2, and refuses QoS 0 by name before anything starts',
    inAWorkplace(async (workplace) => {
      const flags = [...short, ...ofMqtt, '--workload', 'queue', '--payload', '1kb', '--broker', 'private'];
      const refused = await workplace.battle([...flags, '--mqtt-qos', '0']);
      assert.equal(refused.code, 2);
      assert.match(refused.stderr, /--mqtt-qos 0 stores nothing/);
      const {code, stderr} = await workplace.battle([...flags, '--mqtt-qos', '1,2', '--pairwise', 'off,on']);
      assert.equal(code, 0, stderr);
      const cells = await workplace.cells();
      assert.equal(cells.length, 4);
      for (const cell of cells)
        assert.deepEqual(cell.outcome === 'completed' && [cell.counts.received, cell.counts.lost], [40, 0]);
    }),
  );

  it(
    'sends each request to one of several servers, and answers in chunks',
    inAWorkplace(async (workplace) => {
      const many = ['--servers', '2', '--clients', '2', '--mqtt-qos', '1', '--payload', '1kb'];
      const flags = [...short, ...ofMqtt, ...many, '--workload', 'pipeline,recordset', '--rows', '500'];
      const {code, stderr} = await workplace.battle([...flags, '--window', '16', '--broker', 'private']);
      assert.equal(code, 0, stderr);
      allArrived(await workplace.cells());
    }),
  );

  it(
    'fails the cell and names the broker when that is killed',
    inAWorkplace(async (workplace) => {
      const flags = [...ofMqtt, '--duration', '3s', '--mqtt-qos', '1', '--slices', 'off'];
      const outcomes = await killedBroker(workplace, 'mqtt', {
        label: 'Mosquitto',
        program: /mosquitto -c/,
        flags,
      });
      assert.equal(outcomes.mqtt, 'PB_BROKER_DIED');
    }),
  );

  it(
    'loses all by a crash and a power cut when it is saved every 30 minutes, and hardly any when each change is',
    inAWorkplace(async (workplace) => {
      const words = ['faults', ...ofMqtt, '--tries', '1', '--restart-after', '200ms', '--json'];
      const {code, stdout, stderr} = await workplace.start('battle', words, {}, {patienceMs: 600_000}).ended;
      assert.equal(code, 0, 'what it never promised breaks no promise');
      const {rows} = JSON.parse(stdout);
      const of = Object.fromEntries(
        rows.map((/** @type {any} */ {row, faults}) => [row.variant.mqttPersistence, faults]),
      );
      const orders = rows.map((/** @type {any} */ {evidence}) => evidence.flushOrder);
      assert.deepEqual(orders, [null, 'after']);
      for (const {fault, outcome, of: sent, lost} of of.interval)
        assert.deepEqual([fault, outcome, lost], [fault, 'lost', sent], stderr);
      // It confirms a message before it saves it.
      for (const {fault, lost, of: sent} of of.changes)
        assert.ok(lost <= 3 && sent > 5, `${fault}: ${lost} of ${sent}`);
      assert.deepEqual(await workplace.leftovers(), []);
    }),
  );
});

describe('MQTT through a broker that a person names', {timeout: 600_000}, () => {
  /** @type {Workplace} */
  let own;
  /** @type {Awaited<ReturnType<typeof makeCertificates>>} */
  let made;
  /** @type {ChildProcess} */
  let broker;
  /** @type {string} */
  let url;
  before(async () => {
    own = await Workplace.make();
    made = await makeCertificates(own.path);
    const port = await freePort();
    url = `mqtts://alice:S3cret@localhost:${port}`;
    await execute('mosquitto_passwd', ['-b', '-c', own.file('passwords'), 'alice', 'S3cret']);
    const {server, caFile} = made;
    const lines = [
      `listener ${port} 127.0.0.1`,
      'allow_anonymous false',
      `password_file ${own.file('passwords')}`,
      ...[`certfile ${server.certFile}`, `keyfile ${server.keyFile}`, `cafile ${caFile}`],
      'user root',
      'require_certificate true',
      'sys_interval 1',
    ];
    await writeFile(own.file('mosquitto.conf'), lines.join('\n'));
    broker = spawnWithParent('mosquitto', ['-c', own.file('mosquitto.conf')], {stdio: 'ignore'});
    while (!(await isUp())) await sleep(50);
    // One that stays shows that they are counted.
    await (await client('stays', {expirySeconds: 600})).close();
  });
  after(async () => {
    broker?.kill('SIGKILL');
    await own.clear();
  });

  const isUp = () =>
    client('probe').then(
      ({close}) => close().then(() => true),
      () => false,
    );

  /** @param {string} clientId @param {Partial<Session>} [session] */
  const client = (clientId, session = {}) =>
    openMqtt({...parseMqttUrl(url), caFile: made.caFile, ...made.client}, {clientId, ...session});

  /** How many the broker keeps of clients that are away. It counts once a second. @returns {Promise<number>} */
  async function sessionsThere() {
    await sleep(2500);
    /** @type {(count: number) => void} */
    let count = () => {};
    /** @type {Promise<number>} */
    const counted = new Promise((resolve) => {
      count = resolve;
    });
    const opened = await client('counts', {onMessage: (payload) => count(Number(String(payload)))});
    await opened.client.subscribeAsync('$SYS/broker/clients/disconnected');
    try {
      return await counted;
    } finally {
      await opened.close();
    }
  }

  const files = () => [
    ...['--mosquitto-ca-file', made.caFile],
    ...['--mosquitto-cert-file', made.client.certFile, '--mosquitto-key-file', made.client.keyFile],
  ];

  /** No more than the one that was there before, at once or soon. On a busy host, the broker takes connections that have ended from the number. */
  async function untilAsItWas() {
    for (let attempt = 0; attempt < 4 && (await sessionsThere()) > 1; attempt += 1) await sleep(500);
    const there = await sessionsThere();
    assert.ok(there <= 1, `${there} sessions`);
  }

  it(
    'runs over TLS with a certificate and a password that is shown nowhere, and leaves no session there',
    inAWorkplace(async (workplace) => {
      const flags = [...short, ...ofMqtt, '--workload', 'rtt,queue', '--payload', '1kb', ...files()];
      const {code, stdout, stderr} = await workplace.battle([...flags, '--mqtt-qos', '1'], {
        PB_MOSQUITTO_URL: url,
      });
      assert.equal(code, 0, stderr);
      const kept = JSON.stringify(await workplace.journal());
      assert.ok(![stdout, stderr, kept].join().includes('S3cret'));
      await untilAsItWas();
    }),
  );

  it(
    'leaves no session there when its roles were killed',
    inAWorkplace(async (workplace) => {
      const long = ['--rounds', '1', '--samples', '1000000', '--warmup', '10', '--payload', '1kb'];
      const flags = [...long, ...ofMqtt, '--workload', 'queue', '--mqtt-qos', '1', ...files()];
      const battle = workplace.start('battle', flags, {PB_MOSQUITTO_URL: url});
      while ((await sessionsThere()) === 1) await sleep(50);
      for (const {pid, command} of await childrenOf(battle.pid))
        if (command.includes('/program.js mqtt-')) process.kill(pid, 'SIGKILL');
      battle.child.kill('SIGINT');
      await battle.ended;
      await untilAsItWas();
    }),
  );

  it(
    'is refused with a wrong password, which is shown nowhere',
    inAWorkplace(async (workplace) => {
      const settings = {PB_MOSQUITTO_URL: url.replace('S3cret', 'Wr0ng')};
      const {code, stderr} = await workplace.battle([...short, ...ofMqtt, ...files()], settings);
      assert.equal(code, 3, stderr);
      assert.match(stderr, /refused user "alice": .*\. Check --mosquitto-username and --mosquitto-password/);
      assert.ok(!stderr.includes('Wr0ng'));
    }),
  );

  it(
    'says what is wrong with certificates, and where nothing or something else answers',
    inAWorkplace(async (workplace) => {
      const port = await freePort();
      for (const [flags, named, message] of /** @type {[string[], string, RegExp][]} */ ([
        [[], url, /has a certificate that cannot be verified .*--mosquitto-ca-file/],
        [['--mosquitto-ca-file', made.caFile], url, /certificate.*--mosquitto-cert-file/],
        [[], `mqtt://localhost:${port}`, /cannot be reached \(no user\): .*ECONNREFUSED/],
      ])) {
        const {code, stderr} = await workplace.battle([...short, ...ofMqtt, ...flags], {
          PB_MOSQUITTO_URL: named,
        });
        assert.equal(code, 3, stderr);
        assert.match(stderr, message);
      }
    }),
  );

  it(
    'is not used by a row that needs a broker of its own: that is refused by name',
    inAWorkplace(async (workplace) => {
      const flags = [...short, ...ofMqtt, ...files(), '--mqtt-persistence', 'changes'];
      const {code, stderr} = await workplace.battle(flags, {PB_MOSQUITTO_URL: url});
      assert.equal(code, 2, stderr);
      assert.match(stderr, /MQTT needs a broker that was started with persistence changes/);
    }),
  );
});

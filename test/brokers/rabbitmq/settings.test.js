import assert from 'node:assert/strict';
import {readdir, readFile, readlink, rm, stat} from 'node:fs/promises';
import {join} from 'node:path';
import {after, before, describe, it} from 'node:test';
import {nodeEnvironment, pathsIn, writeNodeFiles} from '../../../src/brokers/rabbitmq/settings.js';
import {makeBase} from '../../integration/brokers/leftovers.js';

/** @import {NodeSettings} from '../../../src/brokers/rabbitmq/settings.js' */

const gibibyte = 1024 ** 3;

describe('the files of a private node', () => {
  /** @type {string} */
  let base;
  before(async () => {
    base = await makeBase();
  });
  after(() => rm(base, {recursive: true}));

  /** @param {Partial<NodeSettings>} [some] */
  const settings = (some) => ({
    name: 'perf-battle-1a2b3c4d-2@10.0.0.4',
    title: 'rabbitmq-server',
    joins: null,
    folder: join(base, 'node-1'),
    data: join(base, 'node-1'),
    application: null,
    codeFolders: [],
    erlang: null,
    home: join(base, 'home'),
    address: '10.0.0.4',
    listenAddress: '10.0.0.4',
    ports: {epmd: 4001, amqp: 4002, distribution: 4003, plugin: null},
    hostname: 'broker.example',
    plugin: null,
    username: 'perf-battle',
    password: 'S3cret',
    memory: {totalBytes: 8 * gibibyte, isPretended: false, nodes: 1},
    ...some,
  });

  /** @param {Parameters<typeof settings>[0]} [some] */
  async function configurationOf(some) {
    const node = settings(some);
    await writeNodeFiles(node);
    const lines = (await readFile(pathsIn(node.folder).configuration, 'utf8')).trim().split('\n');
    return Object.fromEntries(lines.map((line) => line.split(' = ')));
  }

  it('leave the defaults alone on a host with memory enough', async () => {
    assert.deepEqual(await configurationOf(), {
      default_user: 'perf-battle',
      default_pass: 'S3cret',
      'disk_free_limit.absolute': '50MB',
    });
  });

  it('keep the password from others', async () => {
    await writeNodeFiles(settings());
    const {configuration} = pathsIn(settings().folder);
    assert.equal((await stat(configuration)).mode & 0o777, 0o600);
  });

  it('name the node to join, and itself', async () => {
    const joins = 'perf-battle-1a2b3c4d-1@10.0.0.3';
    const configuration = await configurationOf({joins});
    assert.equal(configuration['cluster_formation.peer_discovery_backend'], 'classic_config');
    assert.equal(configuration['cluster_formation.classic_config.nodes.1'], joins);
    assert.equal(configuration['cluster_formation.classic_config.nodes.2'], settings().name);
  });

  for (const [what, memory, pattern] of [
    ['leave the memory alone on a host of 2 GiB', {totalBytes: 2 * gibibyte}, /^\[\{rabbit, \[\]\}\]\.\n$/],
    [
      'give a node more of the memory, and its queues less, on a t2.micro',
      {totalBytes: 0.95 * gibibyte},
      /^\[\{rabbit, \[\{vm_memory_high_watermark, 0\.6\}, .*\{ra, \[\{wal_max_size_bytes, 64000000\}\]\}\]\.\n$/,
    ],
    [
      'tell a node what its host has where that is pretended',
      {totalBytes: gibibyte, isPretended: true},
      /\{total_memory_available_override_value, 1073741824\}/,
    ],
    [
      'give each of several nodes its share, and no more of it than of all',
      {totalBytes: 6 * gibibyte, nodes: 3},
      /^\[\{rabbit, \[\{total_memory_available_override_value, 2147483648\}\]\}\]\.\n$/,
    ],
    [
      'count as little memory what the host has, not what the share is',
      {totalBytes: gibibyte, nodes: 2},
      /^\[\{rabbit, \[\{total_memory_available_override_value, 536870912\}, \{vm_memory_high_watermark, 0\.6\}/,
    ],
  ]) {
    it(String(what), async () => {
      const node = settings({memory: {isPretended: false, nodes: 1, .../** @type {any} */ (memory)}});
      await writeNodeFiles(node);
      const written = await readFile(pathsIn(node.folder).advanced, 'utf8');
      assert.match(written, /** @type {RegExp} */ (pattern));
    });
  }

  it('leave a single folder to search at the start, where that of RabbitMQ is known', async () => {
    const node = settings({
      folder: join(base, 'node-2'),
      data: join(base, 'node-2'),
      application: '/usr/lib/rabbitmq/plugins/rabbit-4.1.0',
    });
    await writeNodeFiles(node);
    const folder = nodeEnvironment(node).RABBITMQ_PLUGINS_DIR;
    assert.deepEqual(await readdir(folder), ['rabbit-4.1.0']);
    assert.equal(await readlink(join(folder, 'rabbit-4.1.0')), node.application);
    assert.equal(nodeEnvironment(settings()).RABBITMQ_PLUGINS_DIR, undefined);
    // A plugin needs others of the folder of all.
    assert.equal(nodeEnvironment({...node, plugin: 'rabbitmq_amqp1_0'}).RABBITMQ_PLUGINS_DIR, undefined);
  });

  it('enable a plugin only if a transport asks for it', async () => {
    const read = async (/** @type {NodeSettings} */ node) => {
      await writeNodeFiles(node);
      return await readFile(pathsIn(node.folder).plugins, 'utf8');
    };
    assert.equal(await read(settings()), '[].\n');
    assert.equal(await read(settings({plugin: 'rabbitmq_amqp1_0'})), '[rabbitmq_amqp1_0].\n');
  });

  it('listen for another protocol only with its plugin, under the address that roles reach', async () => {
    /** @param {'stream' | 'stomp' | 'mqtt'} [protocol] */
    const read = async (protocol) => {
      const plugin = protocol ? {protocol, port: 4004} : null;
      const node = settings({
        plugin: protocol ? `rabbitmq_${protocol}` : null,
        ports: {epmd: 4001, amqp: 4002, distribution: 4003, plugin},
      });
      await writeNodeFiles(node);
      return await readFile(pathsIn(node.folder).advanced, 'utf8');
    };
    assert.equal(await read(), '[{rabbit, []}].\n');
    assert.equal(
      await read('stream'),
      '[{rabbit, []}, {rabbitmq_stream, [{tcp_listeners, [{"10.0.0.4", 4004}]}, {advertised_host, <<"broker.example">>}, {advertised_port, 4004}, {frame_max, 67108864}]}].\n',
    );
    assert.equal(
      await read('stomp'),
      '[{rabbit, []}, {rabbitmq_stomp, [{tcp_listeners, [{"10.0.0.4", 4004}]}, {max_frame_size, 67108864}]}].\n',
    );
    assert.equal(
      await read('mqtt'),
      '[{rabbit, []}, {rabbitmq_mqtt, [{tcp_listeners, [{"10.0.0.4", 4004}]}]}].\n',
    );
  });

  it('have Erlang search the folders of modules in their order: of several flags, the last one comes first', () => {
    const {RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: flags} = nodeEnvironment(
      settings({codeFolders: ['/large/ebin', '/small/ebin']}),
    );
    assert.equal(flags, '-pa /small/ebin -pa /large/ebin');
    assert.equal(nodeEnvironment(settings()).RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS, '');
  });

  it('are found through the environment, which keeps Erlang to one address', () => {
    const environment = nodeEnvironment(settings());
    assert.equal(environment.RABBITMQ_NODENAME, settings().name);
    assert.equal(environment.RABBITMQ_CONFIG_FILE, pathsIn(settings().folder).configuration);
    assert.equal(environment.HOME, join(base, 'home'));
    assert.equal(environment.ERL_EPMD_PORT, '4001');
    assert.equal(environment.ERL_EPMD_ADDRESS, '10.0.0.4');
    assert.match(environment.ERL_AFLAGS, /inet_dist_use_interface \{10,0,0,4\}/);
    assert.ok(!JSON.stringify(environment).includes('S3cret'));
  });
});

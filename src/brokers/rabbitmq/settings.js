/**
 * The files and the environment of a private RabbitMQ node. Settings that affect speed keep RabbitMQ's defaults, except on a
 * host with little memory. The RabbitMQ configuration of the host has no effect.
 */
import {mkdir, rm, symlink, writeFile} from 'node:fs/promises';
import {isIPv6} from 'node:net';
import {basename, join} from 'node:path';
import {loopbackAddress} from '../../measure/network.js';
import {pathFolders} from '../programs.js';

/**
 * @import {PluginProtocol} from './url.js'
 *
 * @typedef {{protocol: PluginProtocol, port: number}} PluginPort
 *
 * @typedef {object} NodeSettings
 * @property {string} name such as perf-battle-1a2b3c4d-1@127.0.0.1; other nodes connect to the address in the name
 * @property {string} title the name of the node in messages
 * @property {string | null} joins the name of the node whose cluster this node joins
 * @property {string} folder the node's own folder
 * @property {string} data the folder for stored data
 * @property {string | null} application the folder of RabbitMQ's own code, next to its plugins; null: not known
 * @property {readonly string[]} codeFolders the folders that Erlang searches first for modules, in this order
 * @property {string | null} erlang the folder of the programs of its own Erlang; null: the Erlang on PATH
 * @property {string} home the home folder, with the cookie, of all nodes of this broker on this host
 * @property {string} address the IPv4 or loopback address on which the node listens to other nodes
 * @property {string} listenAddress the address on which the node listens to clients
 * @property {{amqp: number, distribution: number, epmd: number, plugin: PluginPort | null}} ports plugin: null if there is no plugin, or it needs no port
 * @property {string} hostname the name by which the roles reach the node
 * @property {string | null} plugin the enabled plugin; null: none
 * @property {string} username the only user: a default user with another name replaces guest
 * @property {string} password
 * @property {HostMemory} memory
 */

/** @param {NodeSettings} node */
export async function writeNodeFiles(node) {
  const at = pathsIn(node.folder);
  await mkdir(at.configurations, {recursive: true, mode: 0o700});
  await mkdir(node.data, {recursive: true, mode: 0o700});
  const configuration = [
    `default_user = ${node.username}`,
    `default_pass = ${node.password}`,
    // The file states this default, because it explains why RabbitMQ blocks publishers on a small disk.
    'disk_free_limit.absolute = 50MB',
    ...joinSettings(node),
  ];
  await writeFile(at.configuration, `${configuration.join('\n')}\n`, {mode: 0o600});
  await writeFile(
    at.advanced,
    `[${[...memorySettings(node.memory), ...pluginSettings(node)].join(', ')}].\n`,
  );
  await writeFile(at.plugins, `[${node.plugin ?? ''}].\n`);
  if (usesOnlyApplication(node))
    await onlyApplication(/** @type {string} */ (node.application), at.applications);
  await writeFile(at.environment, '');
  await writeFile(at.names, namesFile(node.address));
}

/** A plugin needs other plugins from the common folder. @param {Pick<NodeSettings, 'application' | 'plugin'>} node */
function usesOnlyApplication({application, plugin}) {
  return application !== null && plugin === null;
}

/**
 * Makes a plugin folder with RabbitMQ's own code alone, because a node searches all plugins for descriptions of settings at
 * its start. Libraries are found by `ERL_LIBS`, which RabbitMQ's script sets.
 * @param {string} application @param {string} folder
 */
async function onlyApplication(application, folder) {
  await rm(folder, {recursive: true, force: true});
  await mkdir(folder);
  await symlink(application, join(folder, basename(application)));
}

/**
 * Each node lists the running node that it joins, and itself, as RabbitMQ 4 requires. With all nodes in the list, some
 * versions occasionally start two clusters (rabbitmq-server issue 12681).
 * @param {NodeSettings} node
 */
function joinSettings({joins, name}) {
  if (joins === null) return [];
  return [
    'cluster_formation.peer_discovery_backend = classic_config',
    `cluster_formation.classic_config.nodes.1 = ${joins}`,
    `cluster_formation.classic_config.nodes.2 = ${name}`,
  ];
}

/** @param {NodeSettings} node @returns {Record<string, string>} the whole environment of the node: this process passes on no variable */
export function nodeEnvironment({
  name,
  folder,
  data,
  application,
  codeFolders,
  erlang,
  home,
  address,
  listenAddress,
  ports,
  plugin,
}) {
  const at = pathsIn(folder);
  return {
    ...portMapperEnvironment({home, address, port: ports.epmd}),
    PATH: [...(erlang === null ? [] : [erlang]), ...pathFolders()].join(':'),
    // With this variable, the script replaces itself by Erlang, so that the started process is the broker.
    RUNNING_UNDER_SYSTEMD: 'true',
    // The broker's own port mapper runs already; by default each start would start another one as a daemon. Processes that
    // the node starts, such as the helper that looks for peers since 3.13, also listen on this address only.
    ERL_AFLAGS: `-start_epmd false${isIPv6(address) ? ' -proto_dist inet6_tcp' : ''} -kernel inet_dist_use_interface ${tupleOf(address)}`,
    // The node resolves its name without the host's name service, which may know neither this host nor localhost.
    ERL_INETRC: at.names,
    RABBITMQ_USE_LONGNAME: 'true',
    RABBITMQ_NODENAME: name,
    RABBITMQ_NODE_IP_ADDRESS: listenAddress,
    RABBITMQ_NODE_PORT: String(ports.amqp),
    RABBITMQ_DIST_PORT: String(ports.distribution),
    // rabbitmqctl takes any free port. By default it adds 10,000 to the port above, which may exceed 65535.
    RABBITMQ_CTL_DIST_PORT_MIN: '0',
    RABBITMQ_CTL_DIST_PORT_MAX: '0',
    RABBITMQ_CONF_ENV_FILE: at.environment,
    RABBITMQ_CONFIG_FILE: at.configuration,
    RABBITMQ_CONFIG_FILES: join(at.configurations, '*.conf'),
    RABBITMQ_ADVANCED_CONFIG_FILE: at.advanced,
    RABBITMQ_ENABLED_PLUGINS_FILE: at.plugins,
    // Erlang searches the last folder first.
    RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: codeFolders
      .map((one) => `-pa ${one}`)
      .toReversed()
      .join(' '),
    ...(usesOnlyApplication({application, plugin}) && {RABBITMQ_PLUGINS_DIR: at.applications}),
    RABBITMQ_MNESIA_BASE: join(data, 'mnesia'),
    RABBITMQ_LOG_BASE: join(folder, 'log'),
    RABBITMQ_PID_FILE: at.pid,
  };
}

/**
 * @param {{home: string, address: string, port: number}} mapper
 * @returns {Record<string, string>} the environment of epmd, which is a part of the node's environment
 */
export function portMapperEnvironment({home, address, port}) {
  return {
    PATH: pathFolders().join(':'),
    LANG: 'C.UTF-8',
    HOME: home,
    ERL_EPMD_PORT: String(port),
    ERL_EPMD_ADDRESS: address,
  };
}

/**
 * The file that configures Erlang's name resolution. By default Erlang looks for IPv4 addresses only.
 * @param {string} address the address of the nodes
 */
function namesFile(address) {
  const family = isIPv6(address) ? '{inet6, true}.\n' : '';
  return `${family}{host, ${tupleOf(loopbackAddress())}, ["localhost"]}.\n{lookup, [file, native]}.\n`;
}

/** An address in Erlang's notation. @param {string} address IPv4, or ::1 */
function tupleOf(address) {
  return isIPv6(address) ? '{0,0,0,0,0,0,0,1}' : `{${address.replaceAll('.', ',')}}`;
}

/** @param {string} folder the folder of a node */
export function pathsIn(folder) {
  return {
    configuration: join(folder, 'rabbitmq.conf'),
    configurations: join(folder, 'conf.d'),
    advanced: join(folder, 'advanced.config'),
    plugins: join(folder, 'enabled_plugins'),
    applications: join(folder, 'applications'),
    environment: join(folder, 'rabbitmq-env.conf'),
    names: join(folder, 'inetrc'),
    pid: join(folder, 'rabbitmq.pid'),
    log: join(folder, 'output.log'),
  };
}

/**
 * @typedef {object} HostMemory
 * @property {number} totalBytes
 * @property {boolean} isPretended whether the node must assume `totalBytes` instead of the memory that it finds
 * @property {number} nodes the number of nodes that share the memory
 */

/** For comparison: a t2.micro has 1 GiB. */
const littleBytes = 2 * 1024 ** 3;

/**
 * RabbitMQ blocks publishers while it uses more than 0.4 (since 4.0: 0.6) of the host's memory. On a host with 1 GiB this
 * limit is 400 MB, of which an idle Erlang takes 140 MB. There, 400 messages of 1000 KB in a queue block their publisher
 * permanently, because nothing frees memory: RabbitMQ writes out the log of quorum queues only at 512 MB, and idle processes
 * do not collect their garbage. Therefore the log is smaller on a host with little memory, garbage is collected in the
 * background, and memory is checked five times a second (default: every 2.5 s). If a host has several nodes, each node
 * assumes only its share of the memory; otherwise they could together use more memory than the host has.
 * @param {HostMemory} memory
 * @returns {string[]} applications for advanced.config, where RabbitMQ ignores unknown names; rabbitmq.conf would prevent the start
 */
function memorySettings({totalBytes, isPretended, nodes}) {
  const shareBytes = Math.floor(totalBytes / nodes);
  const assumed = isPretended || nodes > 1 ? [`{total_memory_available_override_value, ${shareBytes}}`] : [];
  if (totalBytes >= littleBytes) return [`{rabbit, [${assumed.join()}]}`];
  const rabbit = [
    ...assumed,
    '{vm_memory_high_watermark, 0.6}',
    '{memory_monitor_interval, 200}',
    '{background_gc_enabled, true}',
    '{background_gc_target_interval, 1000}',
  ];
  return [`{rabbit, [${rabbit.join(', ')}]}`, '{ra, [{wal_max_size_bytes, 64000000}]}'];
}

/** A message must fit into a frame. The default limits are 1 MB for streams, and 4 MiB for STOMP since RabbitMQ 3.12.2. */
const maxPluginFrameBytes = 64 * 1024 ** 2;

/** The protocols of the plugins that listen on their own port. @type {Readonly<Record<string, PluginProtocol>>} */
const pluginProtocols = {
  rabbitmq_stream: 'stream',
  rabbitmq_stomp: 'stomp',
  rabbitmq_mqtt: 'mqtt',
};

/** @param {string | null} plugin @returns {PluginProtocol | null} null: the plugin needs no port */
export function protocolOfPlugin(plugin) {
  return pluginProtocols[plugin ?? ''] ?? null;
}

/**
 * @param {Pick<NodeSettings, 'ports' | 'listenAddress' | 'hostname' | 'plugin'>} node
 * @returns {string[]} an application for advanced.config
 */
function pluginSettings({ports, listenAddress, hostname, plugin}) {
  if (ports.plugin === null) return [];
  const {protocol, port} = ports.plugin;
  const listeners = `{tcp_listeners, [{"${listenAddress}", ${port}}]}`;
  const own = {
    // A stream client connects to the address that the node advertises.
    stream: [
      `{advertised_host, <<"${hostname}">>}`,
      `{advertised_port, ${port}}`,
      `{frame_max, ${maxPluginFrameBytes}}`,
    ],
    stomp: [`{max_frame_size, ${maxPluginFrameBytes}}`],
    mqtt: [],
  };
  return [`{${plugin}, [${[listeners, ...own[protocol]].join(', ')}]}`];
}

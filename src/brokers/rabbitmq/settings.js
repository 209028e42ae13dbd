/**
 * The files and the environment of a private RabbitMQ node. Settings that affect speed keep RabbitMQ's defaults, except on a host with little
 * memory. The machine's own RabbitMQ configuration has no effect.
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
 * @property {string} name such as perf-battle-1a2b3c4d-1@127.0.0.1; other nodes connect to that address
 * @property {string} title its name in messages
 * @property {string | null} joins the name of the node whose cluster it joins
 * @property {string} folder of this node alone
 * @property {string} data the folder for what it stores
 * @property {string | null} application the folder of RabbitMQ itself among those of its plugins; null: not known
 * @property {readonly string[]} codeFolders that Erlang searches first for modules, in this order
 * @property {string | null} erlang the folder of the programs of an Erlang of its own; null: the one on PATH
 * @property {string} home folder, with the cookie, of all nodes of this broker on this host
 * @property {string} address IPv4, or the loopback address, on which it listens to other nodes
 * @property {string} listenAddress the address on which it listens to clients
 * @property {{amqp: number, distribution: number, epmd: number, plugin: PluginPort | null}} ports plugin: null: it has none, or one without a port of its own
 * @property {string} hostname under which the roles reach it
 * @property {string | null} plugin which is enabled; null: none
 * @property {string} username of its only user; a default user of another name replaces guest
 * @property {string} password
 * @property {HostMemory} memory
 */

/**
 * Writes the files of a node.
 * @param {NodeSettings} node
 */
export async function writeNodeFiles(node) {
  const at = pathsIn(node.folder);
  await mkdir(at.configurations, {recursive: true, mode: 0o700});
  await mkdir(node.data, {recursive: true, mode: 0o700});
  const configuration = [
    `default_user = ${node.username}`,
    `default_pass = ${node.password}`,
    // Stated, although it is the default: on a small disk it explains why publishers are blocked.
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

/** A plugin needs others, which stand in the folder of all. @param {Pick<NodeSettings, 'application' | 'plugin'>} node */
function usesOnlyApplication({application, plugin}) {
  return application !== null && plugin === null;
}

/**
 * At its start, a node searches the folder of all plugins for descriptions of settings. It uses none of the plugins. Libraries are found in another way (`ERL_LIBS`, which its script sets).
 * @param {string} application @param {string} folder
 */
async function onlyApplication(application, folder) {
  await rm(folder, {recursive: true, force: true});
  await mkdir(folder);
  await symlink(application, join(folder, basename(application)));
}

/**
 * Each node lists the one node to join, which runs already, and itself, as RabbitMQ 4 requires. With all nodes in the list, some versions
 * at times start two clusters (rabbitmq-server issue 12681).
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

/**
 * @param {NodeSettings} node
 * @returns {Record<string, string>} the whole environment of the node: no variable of this process is passed on
 */
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
    // The script then replaces itself by Erlang: the started process is the broker.
    RUNNING_UNDER_SYSTEMD: 'true',
    // Our port mapper runs already. Without this, each start would try to start another one as a daemon. The processes that the node starts
    // itself, such as the helper that looks for peers since 3.13, also listen on this address only.
    ERL_AFLAGS: `-start_epmd false${isIPv6(address) ? ' -proto_dist inet6_tcp' : ''} -kernel inet_dist_use_interface ${tupleOf(address)}`,
    // Its own name is resolved without the host's name service, which may know neither this host nor localhost.
    ERL_INETRC: at.names,
    RABBITMQ_USE_LONGNAME: 'true',
    RABBITMQ_NODENAME: name,
    RABBITMQ_NODE_IP_ADDRESS: listenAddress,
    RABBITMQ_NODE_PORT: String(ports.amqp),
    RABBITMQ_DIST_PORT: String(ports.distribution),
    // Any free port for rabbitmqctl. By default it would add 10,000 to the port above, which may be no port.
    RABBITMQ_CTL_DIST_PORT_MIN: '0',
    RABBITMQ_CTL_DIST_PORT_MAX: '0',
    RABBITMQ_CONF_ENV_FILE: at.environment,
    RABBITMQ_CONFIG_FILE: at.configuration,
    RABBITMQ_CONFIG_FILES: join(at.configurations, '*.conf'),
    RABBITMQ_ADVANCED_CONFIG_FILE: at.advanced,
    RABBITMQ_ENABLED_PLUGINS_FILE: at.plugins,
    // Of several folders in one flag, Erlang searches the last one first.
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
 * @returns {Record<string, string>} a node's is this and more
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
 * How Erlang resolves names. It looks for IPv4 addresses only, unless told otherwise.
 * @param {string} address of the nodes
 */
function namesFile(address) {
  const family = isIPv6(address) ? '{inet6, true}.\n' : '';
  return `${family}{host, ${tupleOf(loopbackAddress())}, ["localhost"]}.\n{lookup, [file, native]}.\n`;
}

/** An address as Erlang writes it. @param {string} address IPv4, or ::1 */
function tupleOf(address) {
  return isIPv6(address) ? '{0,0,0,0,0,0,0,1}' : `{${address.replaceAll('.', ',')}}`;
}

/** @param {string} folder where everything stands in a node's folder */
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
 * @property {boolean} isPretended whether the node must assume this in place of what it finds
 * @property {number} nodes how many nodes share it
 */

/** A t2.micro has 1 GiB. */
const littleBytes = 2 * 1024 ** 3;

/**
 * RabbitMQ blocks publishers while it uses more than 0.4 (since 4.0: 0.6) of the host's memory. On a host of 1 GiB that is 400 MB, of which
 * an idle Erlang takes 140. There, 400 messages of 1000 KB in a queue block their publisher for good, because nothing frees memory: the log
 * of quorum queues is written out only at 512 MB, and idle processes do not collect their garbage. So on a host with little memory the log is
 * smaller, garbage is collected in the background, and memory is checked five times a second instead of every 2.5 s. Each of several nodes on
 * a host assumes that the host has only its share; otherwise they could take more than there is.
 * @param {HostMemory} memory
 * @returns {string[]} applications in advanced.config, where a version ignores names that it does not know; in rabbitmq.conf it would not start
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

/** A message must fit into a frame. By default that has 1 MB of a stream, and 4 MiB of STOMP since RabbitMQ 3.12.2. */
const maxPluginFrameBytes = 64 * 1024 ** 2;

/** The protocols of the plugins that listen on a port of their own. @type {Readonly<Record<string, PluginProtocol>>} */
const pluginProtocols = {
  rabbitmq_stream: 'stream',
  rabbitmq_stomp: 'stomp',
  rabbitmq_mqtt: 'mqtt',
};

/** @param {string | null} plugin @returns {PluginProtocol | null} null: it needs no port of its own */
export function protocolOfPlugin(plugin) {
  return pluginProtocols[plugin ?? ''] ?? null;
}

/**
 * @param {Pick<NodeSettings, 'ports' | 'listenAddress' | 'hostname' | 'plugin'>} node
 * @returns {string[]} an application in advanced.config
 */
function pluginSettings({ports, listenAddress, hostname, plugin}) {
  if (ports.plugin === null) return [];
  const {protocol, port} = ports.plugin;
  const listeners = `{tcp_listeners, [{"${listenAddress}", ${port}}]}`;
  const own = {
    // A client of streams connects to the address that the node of a stream names.
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

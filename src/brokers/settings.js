/**
 * How a private RabbitMQ node is set up: its files and its environment. All settings that bear on speed are left at
 * RabbitMQ's defaults, and nothing of the machine's own RabbitMQ configuration is taken over.
 */
import {randomBytes} from 'node:crypto';
import {mkdir, rm, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {homeOf} from './folder.js';
import {pathFolders} from './installation.js';

/** @typedef {{amqp: number, distribution: number, epmd: number}} NodePorts */

/**
 * Writes the files of a node anew: nothing of an earlier attempt stays.
 * @param {string} folder the private broker's folder
 * @param {{username: string, password: string}} user its only user; with a default user of another name there is no guest
 */
export async function writeNodeFiles(folder, {username, password}) {
  const at = pathsIn(folder);
  await rm(at.node, {recursive: true, force: true});
  await mkdir(at.configurations, {recursive: true, mode: 0o700});
  const configuration = [
    `default_user = ${username}`,
    `default_pass = ${password}`,
    // The default, stated because a small disk would otherwise only show as publishers that are blocked.
    'disk_free_limit.absolute = 50MB',
  ];
  await writeFile(at.configuration, `${configuration.join('\n')}\n`, {mode: 0o600});
  await writeFile(at.advanced, '[].\n');
  await writeFile(at.plugins, '[].\n');
  await writeFile(at.environment, '');
  await writeFile(at.names, '{host, {127,0,0,1}, ["localhost"]}.\n{lookup, [file, native]}.\n');
}

/**
 * @param {string} folder
 * @param {NodePorts} ports
 * @param {string} binding the address that it listens on
 * @returns {Record<string, string>} the whole environment of the node: no variable of ours or of the machine's leaks in
 */
export function nodeEnvironment(folder, ports, binding) {
  const at = pathsIn(folder);
  return {
    ...baseEnvironment(folder, ports),
    // The script then replaces itself by Erlang, so that the process that was started is the broker.
    RUNNING_UNDER_SYSTEMD: 'true',
    // Our port mapper runs already; without this each start would try to leave one behind as a daemon.
    ERL_AFLAGS: '-start_epmd false',
    // Its own name is found without the host's name service, which may know neither this host nor localhost.
    ERL_INETRC: at.names,
    RABBITMQ_NODENAME: `perf-battle-${randomBytes(4).toString('hex')}@localhost`,
    RABBITMQ_NODE_IP_ADDRESS: binding,
    RABBITMQ_NODE_PORT: String(ports.amqp),
    RABBITMQ_DIST_PORT: String(ports.distribution),
    RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: '-kernel inet_dist_use_interface {127,0,0,1}',
    RABBITMQ_CONF_ENV_FILE: at.environment,
    RABBITMQ_CONFIG_FILE: at.configuration,
    RABBITMQ_CONFIG_FILES: join(at.configurations, '*.conf'),
    RABBITMQ_ADVANCED_CONFIG_FILE: at.advanced,
    RABBITMQ_ENABLED_PLUGINS_FILE: at.plugins,
    RABBITMQ_MNESIA_BASE: join(at.node, 'mnesia'),
    RABBITMQ_LOG_BASE: join(at.node, 'log'),
    RABBITMQ_PID_FILE: at.pid,
  };
}

/**
 * @param {string} folder
 * @param {NodePorts} ports
 * @returns {Record<string, string>} for the port mapper; the node's is this and more
 */
export function baseEnvironment(folder, ports) {
  return {
    PATH: pathFolders().join(':'),
    LANG: 'C.UTF-8',
    HOME: homeOf(folder),
    ERL_EPMD_PORT: String(ports.epmd),
    ERL_EPMD_ADDRESS: '127.0.0.1',
  };
}

/** @param {string} folder where everything stands in a private broker's folder */
export function pathsIn(folder) {
  const node = join(folder, 'node');
  return {
    node,
    configuration: join(node, 'rabbitmq.conf'),
    configurations: join(node, 'conf.d'),
    advanced: join(node, 'advanced.config'),
    plugins: join(node, 'enabled_plugins'),
    environment: join(node, 'rabbitmq-env.conf'),
    names: join(node, 'inetrc'),
    pid: join(node, 'rabbitmq.pid'),
    output: join(node, 'output.log'),
  };
}

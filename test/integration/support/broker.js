import {execFile} from 'node:child_process';
import {randomUUID} from 'node:crypto';
import {after, before} from 'node:test';
import {promisify} from 'node:util';
import {connectBroker} from '../../../src/brokers/rabbitmq/connection.js';
import {homeFolder} from '../../../src/brokers/rabbitmq/home.js';
import {rabbitmq} from '../../../src/brokers/rabbitmq/index.js';
import {environmentOf} from '../brokers/leftovers.js';
import {provision} from '../brokers/provision.js';
import {makeCertificates} from './certificates.js';
import {freePort} from './ports.js';
import {makeServerWithTls} from './server-with-tls.js';
import {Workplace} from './workplace.js';

/**
 * @import {RabbitmqConnection} from '../../../src/brokers/rabbitmq/url.js'
 * @import {ConfirmChannel} from 'amqplib'
 *
 * @typedef {SharedBroker & {made: Awaited<ReturnType<typeof makeCertificates>>, ports: {amqps: number, listener: number}, tlsUrl: (query?: Record<string, string>) => string}} BrokerWithTls
 */

const run = promisify(execFile);

/** A RabbitMQ node that several tests share. */
class SharedBroker {
  /** @param {{connection: RabbitmqConnection, pid: number | null}} node @param {() => Promise<void>} [stop] */
  constructor({connection, pid}, stop = async () => {}) {
    this.connection = connection;
    this.pid = pid;
    this.stop = stop;
  }

  url() {
    const {username, password, hostname, port, vhost} = this.connection;
    return `amqp://${username}:${password}@${hostname}:${port}/${encodeURIComponent(vhost)}`;
  }

  /** The settings with which scripts and battles use this broker. */
  get environment() {
    return {PB_RABBITMQ_URL: this.url()};
  }

  /** Each call takes half a second of CPU. @param {...string} command @returns {Promise<string>} the output of rabbitmqctl */
  async control(...command) {
    return await this.controlWith('', ...command);
  }

  /** @param {string} input @param {...string} command @returns {Promise<string>} the output of rabbitmqctl */
  async controlWith(input, ...command) {
    const env = await environmentOf(Number(this.pid));
    const running = run('/usr/lib/rabbitmq/bin/rabbitmqctl', ['--quiet', ...command], {env});
    running.child.stdin?.end(input);
    return (await running).stdout;
  }

  /** Makes a virtual host in which a user may do everything. @param {string} name @param {string} [user] */
  async addVirtualHost(name, user = this.connection.username) {
    const all = {configure: '.*', write: '.*', read: '.*'};
    const definitions = {vhosts: [{name}], permissions: [{user, vhost: name, ...all}]};
    await this.controlWith(JSON.stringify(definitions), 'import_definitions');
  }

  /** @param {'queues' | 'exchanges'} what @param {string[]} columns @returns {Promise<string[][]>} */
  async list(what, columns) {
    const command = [`list_${what}`, '--vhost', this.connection.vhost, '--no-table-headers', ...columns];
    const lines = await this.control(...command);
    return lines
      .split('\n')
      .filter((line) => line.trim() !== '')
      .map((line) => line.split('\t'));
  }

  /**
   * @template Result
   * @param {(channel: ConfirmChannel) => Promise<Result>} action
   */
  async withChannel(action) {
    const model = await connectBroker(this.connection);
    model.on('error', () => {});
    try {
      const channel = await model.createConfirmChannel();
      channel.on('error', () => {});
      return await action(channel);
    } finally {
      await model.close().catch(() => {});
    }
  }
}

/**
 * A broker for all tests of a suite; call it within `describe`. All files of a run share its node (scripts/with-broker.js).
 * A file that is run alone starts one.
 * @param {{hasVirtualHost?: boolean}} [own] hasVirtualHost: for a suite that lists queues, a virtual host in which nobody else has any
 * @returns {() => SharedBroker}
 */
export function sharedBroker({hasVirtualHost = false} = {}) {
  const {TEST_BROKER} = process.env;
  return inSuite(() => (TEST_BROKER ? share(JSON.parse(TEST_BROKER), hasVirtualHost) : startOwn()));
}

/**
 * A node for this suite alone that listens for TLS too; call it within `describe`.
 * @param {{settings?: Readonly<Record<string, string>>, listener?: string, version?: '4'}} [how] listener: the protocol of a plugin that listens for TLS;
 *   version: default the installed one
 * @returns {() => BrokerWithTls}
 */
export function brokerWithTls({settings = {}, listener, version} = {}) {
  return inSuite(async () => {
    const keys = await Workplace.make();
    const made = await makeCertificates(keys.path);
    const ports = {amqps: await freePort(), listener: await freePort()};
    const more = listener === undefined ? [] : [`${listener}.listeners.ssl.1 = 127.0.0.1:${ports.listener}`];
    const home = version === undefined ? null : await homeFolder(version);
    const programFolders = [await makeServerWithTls(keys.path, ports.amqps, {more, home})];
    const node = await startOwn({settings, programFolders});
    const {username, password} = node.connection;
    const stop = async () => {
      await node.stop();
      // After the broker has ended, which has the folder in its environment and would be waited for.
      await keys.clear();
    };
    return Object.assign(new SharedBroker(node, stop), {
      made,
      ports,
      tlsUrl: (/** @type {Record<string, string>} */ query = {}) =>
        `amqps://${username}:${password}@localhost:${ports.amqps}/?${new URLSearchParams(query)}`,
    });
  });
}

/**
 * @template {SharedBroker} Shared @param {() => Promise<Shared>} start
 * @returns {() => Shared}
 */
function inSuite(start) {
  /** @type {Shared} */
  let shared;
  before(async () => {
    shared = await start();
  });
  after(() => shared?.stop());
  return () => shared;
}

/** @param {{connection: RabbitmqConnection, pid: number}} node @param {boolean} hasVirtualHost of its own */
async function share({connection, pid}, hasVirtualHost) {
  if (!hasVirtualHost) return new SharedBroker({connection, pid});
  const vhost = randomUUID();
  const shared = new SharedBroker({connection: {...connection, vhost}, pid});
  await shared.addVirtualHost(vhost);
  return shared;
}

/** @param {{settings?: Readonly<Record<string, string>>, programFolders?: string[]}} [request] */
async function startOwn(request) {
  const workplace = await Workplace.make();
  const broker = await provision(rabbitmq, {temporaryFolder: workplace.temporary, ...request});
  return new SharedBroker(broker, async () => {
    await broker.release();
    await workplace.clear();
  });
}

import {execFile} from 'node:child_process';
import {after, before} from 'node:test';
import {promisify} from 'node:util';
import {obtainBroker} from '../../../src/brokers/obtain.js';
import {rabbitmq} from '../../../src/brokers/rabbitmq/index.js';
import {connectBroker} from '../../../src/transports/rabbitmq/connection.js';
import {processesOf} from '../brokers/leftovers.js';
import {Workplace} from './workplace.js';

/**
 * @import {Broker} from '../../../src/brokers/kind.js'
 * @import {RabbitmqConnection} from '../../../src/transports/rabbitmq/url.js'
 * @import {ConfirmChannel} from 'amqplib'
 */

const run = promisify(execFile);

/** A private RabbitMQ node that the tests of one file share. */
export class SharedBroker {
  /** @param {Workplace} workplace @param {Broker<RabbitmqConnection>} broker */
  constructor(workplace, broker) {
    this.workplace = workplace;
    this.broker = broker;
    this.connection = broker.connection;
  }

  /** @param {string[] | undefined} [programFolders] the folders in which to search for `rabbitmq-server` */
  static async start(programFolders) {
    const workplace = await Workplace.make();
    const broker = await obtainBroker(rabbitmq, {
      choice: 'private',
      given: null,
      temporaryFolder: workplace.temporary,
      programFolders,
      log: () => {},
      signal: new AbortController().signal,
    });
    return new SharedBroker(workplace, broker);
  }

  /** @param {string} [vhost] */
  url(vhost = '/') {
    const {username, password, hostname, port} = this.connection;
    return `amqp://${username}:${password}@${hostname}:${port}/${encodeURIComponent(vhost)}`;
  }

  /** The settings with which scripts and battles use this broker. */
  get environment() {
    return {PB_RABBITMQ_URL: this.url()};
  }

  /** @param {...string} command @returns {Promise<string>} the output of rabbitmqctl */
  async control(...command) {
    const processes = await processesOf(this.workplace.path);
    const node = processes.find(({pid}) => pid === this.broker.pid);
    const {stdout} = await run('/usr/lib/rabbitmq/bin/rabbitmqctl', ['--quiet', ...command], {
      env: node?.environment,
    });
    return stdout;
  }

  /** @param {'queues' | 'exchanges'} what @param {string[]} columns @returns {Promise<string[][]>} */
  async list(what, columns) {
    const lines = await this.control(`list_${what}`, '--no-table-headers', ...columns);
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

  async stop() {
    await this.broker.release();
    await this.workplace.clear();
  }
}

/**
 * One broker for all tests of a suite; call it within `describe`.
 * @param {() => Promise<string[] | undefined>} [programFolders]
 * @returns {() => SharedBroker}
 */
export function sharedBroker(programFolders = async () => undefined) {
  /** @type {SharedBroker} */
  let shared;
  before(async () => {
    shared = await SharedBroker.start(await programFolders());
  });
  after(() => shared?.stop());
  return () => shared;
}

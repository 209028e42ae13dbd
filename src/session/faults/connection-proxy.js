import {spawn} from 'node:child_process';
import {EventEmitter, once} from 'node:events';
import {createInterface} from 'node:readline';
import {fileURLToPath} from 'node:url';
import {RunError} from '../../errors.js';
import {withoutOurVariables} from '../../hosts/host.js';
import {LocalHost} from '../../hosts/local.js';
import {loopbackAddress} from '../../measure/network.js';
import {joinAddress, splitAddress} from '../../net/address.js';
import {parseOrNull} from '../../safe-text.js';

/**
 * @import {Broker, BrokerConnection} from '../../brokers/kind.js'
 * @import {ProxyCommand, ProxyEvent} from './proxy-messages.js'
 */

const script = fileURLToPath(new URL('./proxy.js', import.meta.url));

/** A TCP proxy of this host, in a process of its own, whose connections can be reset without the rights that `ss -K` takes. */
export class ConnectionProxy {
  #child;
  #events;
  #gone;
  /** @type {number[]} */
  #ports = [];
  /** The address of each target, in the order of the ports. @type {string[]} */
  #targets = [];

  /** @param {number} targets how many it leads to */
  constructor(targets) {
    this.host = loopbackAddress();
    this.#child = spawn(process.execPath, [script, this.host, String(targets)], {
      cwd: '/',
      env: withoutOurVariables(process.env),
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const child = this.#child;
    child.stdin.on('error', () => {});
    this.#events = new EventEmitter();
    this.#gone = new Promise((resolve) => {
      child.once('error', resolve);
      child.once('close', resolve);
    });
    createInterface({input: child.stdout}).on('line', (line) => {
      /** @type {ProxyEvent | null} */
      const event = parseOrNull(line);
      if (event !== null) this.#events.emit(event.event, event);
    });
  }

  /** @param {number} targets @returns {Promise<ConnectionProxy>} */
  static async start(targets) {
    const proxy = new ConnectionProxy(targets);
    const {ports} = await proxy.#answer('listening');
    proxy.#ports = ports;
    return proxy;
  }

  /**
   * The port that leads to a target: the next one, where it has none yet.
   * @param {string} address host:port of the target
   */
  portFor(address) {
    const known = this.#targets.indexOf(address);
    if (known >= 0) return this.#ports[known];
    const index = this.#targets.push(address) - 1;
    this.#send({command: 'route', index, to: splitAddress(address)});
    return this.#ports[index];
  }

  /** This host, whose clients reach its servers through the proxy. */
  serverHost() {
    const host = new LocalHost();
    host.addressFor = (bound) => bound && joinAddress(this.host, this.portFor(bound));
    return host;
  }

  /** A broker that is reached through the proxy. @param {Broker} broker @returns {Broker} */
  inFrontOf(broker) {
    const through = (/** @type {BrokerConnection} */ connection) => ({
      ...connection,
      hostname: this.host,
      port: this.portFor(joinAddress(connection.hostname, connection.port)),
    });
    return {...broker, connection: through(broker.connection), connections: broker.connections.map(through)};
  }

  /** Resets all connections, on both sides. @throws {RunError} when there was none */
  async cut() {
    const answer = this.#answer('cut');
    this.#send({command: 'cut'});
    const {connections} = await answer;
    if (connections === 0) throw new RunError('No connection was cut: none goes through the proxy.');
  }

  async close() {
    this.#child.stdin.end();
    await this.#gone;
  }

  /** @param {ProxyCommand} command */
  #send(command) {
    this.#child.stdin.write(`${JSON.stringify(command)}\n`);
  }

  /**
   * @template {ProxyEvent['event']} Name
   * @param {Name} name
   * @returns {Promise<Extract<ProxyEvent, {event: Name}>>}
   */
  async #answer(name) {
    const answer = once(this.#events, name).then(([event]) => event);
    const event = await Promise.race([answer, this.#gone.then(() => null)]);
    if (event === null) throw new RunError('The proxy in front of a broker or servers has ended.');
    return event;
  }
}

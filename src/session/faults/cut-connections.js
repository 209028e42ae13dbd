import {execFile, spawn} from 'node:child_process';
import {EventEmitter, once} from 'node:events';
import {createServer, Socket} from 'node:net';
import {createInterface} from 'node:readline';
import {fileURLToPath} from 'node:url';
import {promisify} from 'node:util';
import {pathFolders} from '../../brokers/programs.js';
import {RunError} from '../../errors.js';
import {withoutOurVariables} from '../../hosts/host.js';
import {LocalHost} from '../../hosts/local.js';
import {loopbackAddress} from '../../measure/network.js';
import {joinAddress, splitAddress} from '../../net/address.js';
import {bounded} from '../../net/bounded.js';
import {parseOrNull} from '../../safe-text.js';

/**
 * @import {Broker, BrokerConnection} from '../../brokers/kind.js'
 * @import {ProxyCommand, ProxyEvent} from './types.js'
 * @import {AddressInfo} from 'node:net'
 */

const execute = promisify(execFile);

const environment = {
  PATH: [...pathFolders(), '/usr/sbin', '/sbin', '/usr/bin', '/bin'].join(':'),
  LC_ALL: 'C',
};

const cutWithinMs = 10_000;
/** The kernel resets a connection before `ss` ends. */
const resetWithinMs = 2000;

/**
 * Tries to cut a connection of this process, because not every kernel can cut connections (CONFIG_INET_DIAG_DESTROY).
 * @returns {Promise<string | null>} why the kernel cannot cut connections, worded to follow "needs"; null if it can
 */
export async function whyNoCut() {
  const needed = 'root, ss of iproute2, and a kernel with CONFIG_INET_DIAG_DESTROY';
  if (process.getuid?.() !== 0) return needed;
  const server = createServer((socket) => socket.on('error', () => {}));
  const socket = new Socket();
  try {
    server.listen(0, loopbackAddress());
    await once(server, 'listening');
    const {address: host, port} = /** @type {AddressInfo} */ (server.address());
    const accepted = once(server, 'connection');
    socket.connect(port, host);
    await accepted;
    const reset = once(socket, 'error');
    await cutConnections([{host, port}]);
    await bounded(reset, resetWithinMs);
    return null;
  } catch {
    return needed;
  } finally {
    socket.destroy();
    server.close();
  }
}

/**
 * Cuts all TCP connections of servers on this host: both ends receive a reset (`ss -K`, https://man7.org/linux/man-pages/man8/ss.8.html).
 * @param {readonly {host: string, port: number}[]} servers @throws {RunError} when no connection was cut
 */
export async function cutConnections(servers) {
  const cut = await Promise.all(
    servers.map(async (server) => (await selectConnections(server, ['-K'])).length),
  );
  if (cut.every((count) => count === 0))
    throw new RunError(
      `No connection was cut at ${servers.map(({host, port}) => joinAddress(host, port)).join(', ')}: the kernel has none, or cannot do it (CONFIG_INET_DIAG_DESTROY).`,
    );
}

/**
 * Runs `ss` on the established connections of a server on this host.
 * @param {{host: string, port: number}} server @param {readonly string[]} [options] further options of `ss`
 * @returns {Promise<string[]>} a line for each connection
 */
export async function selectConnections({host, port}, options = []) {
  const address = host.includes(':') ? `[${host}]` : host;
  // ss needs the blanks inside the brackets.
  const filter = ['state', 'established', `( src ${address} and sport = :${port} )`];
  const {stdout} = await execute('ss', [...options, '-H', '-t', '-n', ...filter], {
    env: environment,
    timeout: cutWithinMs,
  });
  return stdout.split('\n').filter((line) => line.trim() !== '');
}

const script = fileURLToPath(new URL('./proxy.js', import.meta.url));

/** A TCP proxy in a separate process of this host. It can reset its connections without the rights that `ss -K` needs. */
export class ConnectionProxy {
  #child;
  #events;
  #gone;
  /** @type {number[]} */
  #ports = [];
  /** The address of each target, in the order of the ports. @type {string[]} */
  #targets = [];

  /** @param {number} targets the number of targets */
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

  /** @param {number} targets */
  static async start(targets) {
    const proxy = new ConnectionProxy(targets);
    const {ports} = await proxy.#answer('listening');
    proxy.#ports = ports;
    return proxy;
  }

  /** Returns the port that leads to a target. A new target gets the next free port. @param {string} address host:port of the target */
  portFor(address) {
    const known = this.#targets.indexOf(address);
    if (known >= 0) return this.#ports[known];
    const index = this.#targets.push(address) - 1;
    this.#send({command: 'route', index, to: splitAddress(address)});
    return this.#ports[index];
  }

  /** Returns this host, with server addresses that lead through the proxy. */
  serverHost() {
    const host = new LocalHost();
    host.addressFor = (bound) => bound && joinAddress(this.host, this.portFor(bound));
    return host;
  }

  /** Returns the broker with addresses that lead through the proxy. @param {Broker} broker @returns {Broker} */
  inFrontOf(broker) {
    const portOf = (/** @type {string} */ hostname, /** @type {number} */ port) =>
      this.portFor(joinAddress(hostname, port));
    const through = (/** @type {BrokerConnection} */ {hostname, port, otherPorts = {}, ...more}) => ({
      ...more,
      hostname: this.host,
      port: portOf(hostname, port),
      otherPorts: Object.fromEntries(
        Object.entries(otherPorts).map(([protocol, other]) => [protocol, portOf(hostname, other)]),
      ),
    });
    return {...broker, connection: through(broker.connection), connections: broker.connections.map(through)};
  }

  /** Resets all connections, on both sides. @throws {RunError} when there was no connection */
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

  /** @template {ProxyEvent['event']} Name @param {Name} name @returns {Promise<Extract<ProxyEvent, {event: Name}>>} */
  async #answer(name) {
    const answer = once(this.#events, name).then(([event]) => event);
    const event = await Promise.race([answer, this.#gone.then(() => null)]);
    if (event === null) throw new RunError('The proxy in front of a broker or servers has ended.');
    return event;
  }
}

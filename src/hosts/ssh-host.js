import {posix, relative, sep} from 'node:path';
import {fileURLToPath} from 'node:url';
import {UnavailableError} from '../errors.js';
import {joinAddress, splitAddress} from '../transports/address.js';
import {listenAddressFor, pinnedTo, reportScript} from './host.js';
import {keptMemory} from './kept-memory.js';
import {cacheFolder, probeScript, readProbe, unpackScript} from './remote-scripts.js';
import {RoleProcess, underControl} from './role-process.js';
import {packShipment} from './shipment.js';
import {SshConnection} from './ssh-connection.js';
import {explainSsh, lastLine} from './ssh-errors.js';

/**
 * @import {RoleName} from '../protocol.js'
 * @import {Host, HostReport, ProcessSettings} from './host.js'
 * @import {Shipment} from './shipment.js'
 * @import {Readable} from 'node:stream'
 */

const packageFolder = fileURLToPath(new URL('../..', import.meta.url));
/** The minimum version of Node.js that perf-battle supports: major and minor. */
const minNode = [20, 19];

/**
 * A host that ssh reaches. Its processes end with the connection, because the connection carries their standard input.
 * @implements {Host}
 */
export class SshHost {
  isRemote = true;

  /**
   * @param {string} name
   * @param {{config: string | null, signal: AbortSignal}} options config: an ssh_config file instead of the user's
   */
  constructor(name, {config, signal}) {
    this.name = name;
    this.config = config;
    this.signal = signal;
    /** @type {SshConnection[]} more than one when the host runs more roles than a connection has sessions */
    this.connections = [];
    /** Why the host is not available. @type {Error | null} */
    this.failure = null;
    /** The address under which other hosts reach it. */
    this.address = '';
    /** @type {string | null} */
    this.listenAddress = null;
    /** @type {string | null} */
    this.brokerAddress = null;
    /** @type {HostReport | null} */
    this.report = null;
    /** The address of perf-battle's own host as this host sees it. */
    this.callerAddress = '';
    /** The path of Node.js there. */
    this.node = '';
    /** The folder of perf-battle there. */
    this.package = '';
  }

  /**
   * Connects, copies perf-battle there unless this exact version is there already, and reads the host's report.
   * @param {Shipment} shipment
   * @param {(line: string) => void} log
   * @throws {UnavailableError} naming the host
   */
  async open(shipment, log) {
    try {
      await this.#setUp(await this.#connect(), shipment, log);
    } catch (error) {
      this.failure = /** @type {Error} */ (error);
      throw error;
    }
  }

  /** @param {SshConnection} connection @param {Shipment} shipment @param {(line: string) => void} log */
  async #setUp(connection, shipment, log) {
    const input = probeScript(shipment.name);
    const probe = readProbe(await this.#run(connection, 'exec sh -s', {input}, 'be probed'));
    this.node = this.#chooseNode(probe.nodes);
    this.callerAddress = probe.callerAddress;
    const folder = `${probe.home}/${cacheFolder}/${shipment.name}`;
    this.package = posix.join(folder, shipment.entry);
    if (!probe.isShipped) {
      log(`Copying perf-battle to ${this.name}.`);
      await this.#ship(connection, shipment, folder);
    }
    const output = await this.#run(
      connection,
      this.#command(reportScript, null),
      {},
      'report its properties',
    );
    this.report = JSON.parse(lastLine(output));
    this.setServerAddress(probe.address);
    this.brokerAddress = probe.address;
  }

  /** @param {string} address under which the other hosts reach its servers */
  setServerAddress(address) {
    this.address = address;
    this.listenAddress = listenAddressFor(address, this.report?.addresses ?? []);
  }

  /** @param {string | null} bound */
  addressFor(bound) {
    return bound && joinAddress(this.address, splitAddress(bound).port);
  }

  /**
   * @template {RoleName} Role
   * @param {URL} script
   * @param {Role} role
   * @param {ProcessSettings} settings
   */
  async start(script, role, {cores, keepMemory}) {
    const connection = await this.#connectionWithRoom();
    const child = connection.spawn(
      this.#command(script, cores, {...(keepMemory && keptMemory), ...underControl}),
    );
    return new RoleProcess(child, role, {
      place: this.name,
      lost: () => connection.failure ?? explainSsh(this.name, ''),
    });
  }

  /** @param {URL} script @param {number[] | null} cores */
  async startSupervisor(script, cores) {
    return (await this.#connectionWithRoom()).spawn(this.#command(script, cores));
  }

  /** @param {string} script @returns {Promise<string>} its standard output @throws {UnavailableError} when the connection has ended */
  async runShell(script) {
    const connection = await this.#connectionWithRoom();
    const {stdout} = await connection.run('exec sh -s', {input: script, signal: this.signal});
    if (connection.failure) throw connection.failure;
    return stdout;
  }

  async close() {
    await Promise.all(this.connections.map((connection) => connection.close()));
  }

  async #connect() {
    const connection = new SshConnection(this.name, this.config);
    await connection.open(this.signal);
    this.connections.push(connection);
    return connection;
  }

  async #connectionWithRoom() {
    const failure = this.failure ?? this.connections[0]?.failure;
    if (failure) throw failure;
    return this.connections.find(({hasRoom}) => hasRoom) ?? (await this.#connect());
  }

  /**
   * The paths inside the package need no quoting; the path of the home folder may.
   * @param {URL} script of this package
   * @param {number[] | null} cores that it may use; null: any
   * @param {Record<string, string>} [environment] words that need no quoting
   */
  #command(script, cores, environment = {}) {
    const path = relative(packageFolder, fileURLToPath(script)).split(sep).join('/');
    const variables = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
    return `exec env ${[...variables, ...pinnedTo(cores)].join(' ')} ${quote(this.node)} ${quote(`${this.package}/${path}`)}`;
  }

  /** @param {{path: string, version: string}[]} nodes */
  #chooseNode(nodes) {
    const supported = nodes.find(({version}) => isSupported(version));
    if (supported) return supported.path;
    const wanted = `Node.js ${minNode.join('.')} or newer`;
    const found = nodes.map(({path, version}) => `${path} is ${version}`).join(', ');
    throw new UnavailableError(
      nodes.length === 0
        ? `No Node.js was found on the host ${this.name}. Install ${wanted} there, on the PATH of a non-interactive shell.`
        : `The Node.js on the host ${this.name} is too old: ${found}. Install ${wanted} there.`,
      {code: 'PB_HOST_UNAVAILABLE'},
    );
  }

  /**
   * @param {SshConnection} connection
   * @param {Shipment} shipment
   * @param {string} folder
   */
  async #ship(connection, shipment, folder) {
    const command = `exec sh -c '${unpackScript(folder, this.node)}'`;
    await this.#run(connection, command, {input: packShipment(shipment)}, 'store perf-battle in its cache');
  }

  /**
   * @param {SshConnection} connection
   * @param {string} command
   * @param {{input?: string | Readable}} options
   * @param {string} action for the error message
   * @returns {Promise<string>} its standard output
   */
  async #run(connection, command, options, action) {
    const {code, stdout, stderr} = await connection.run(command, {...options, signal: this.signal});
    if (code === 0) return stdout;
    if (connection.failure) throw connection.failure;
    throw new UnavailableError(`The host ${this.name} could not ${action}: ${explainRemote(stderr)}`, {
      code: 'PB_HOST_UNAVAILABLE',
    });
  }
}

/** @param {string} stderr */
function explainRemote(stderr) {
  const lines = stderr.trim().split(/\r?\n/);
  const full = lines.find((line) => /No space left on device|Disk quota exceeded/i.test(line));
  if (full) return `its disk is full (${full.trim()}).`;
  const refused = lines.find((line) => /Permission denied|Read-only file system|Not a directory/i.test(line));
  if (refused) return `~/${cacheFolder} is not writable (${refused.trim()}).`;
  return lastLine(stderr) || 'it printed no reason.';
}

/** @param {string} version such as v20.19.0 */
function isSupported(version) {
  const [major, minor] = version.replace(/^v/, '').split('.').map(Number);
  return major > minNode[0] || (major === minNode[0] && minor >= minNode[1]);
}

/** Quotes a path for any shell. @param {string} path */
function quote(path) {
  return `'${path.replaceAll("'", `'\\''`)}'`;
}

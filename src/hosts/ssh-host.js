import {posix, relative, sep} from 'node:path';
import {fileURLToPath} from 'node:url';
import {UnavailableError} from '../errors.js';
import {joinAddress, splitAddress} from '../transports/address.js';
import {bindingFor, reportScript} from './host.js';
import {RoleProcess} from './role-process.js';
import {packShipment} from './shipment.js';
import {SshConnection} from './ssh-connection.js';
import {explainSsh, lastLine} from './ssh-errors.js';

/**
 * @import {Host, HostReport} from './host.js'
 * @import {Shipment} from './shipment.js'
 * @import {Readable} from 'node:stream'
 */

const packageFolder = fileURLToPath(new URL('../..', import.meta.url));
/** The oldest Node.js that perf-battle runs with. */
const oldestNode = [20, 19];
const cacheFolder = '.cache/perf-battle';

/**
 * A host that ssh reaches. What runs there hangs on the connection: its control line is its standard input, which ends with it.
 * @implements {Host}
 */
export class SshHost {
  isRemote = true;

  /**
   * @param {string} name
   * @param {{config: string | null, signal: AbortSignal}} means
   */
  constructor(name, {config, signal}) {
    this.name = name;
    this.config = config;
    this.signal = signal;
    /** @type {SshConnection[]} the first does; a host with very many roles has others beside it */
    this.connections = [];
    /** The address under which other hosts reach it. */
    this.address = '';
    /** @type {string | null} */
    this.listenAddress = null;
    /** @type {string | null} */
    this.brokerAddress = null;
    /** @type {HostReport | null} */
    this.described = null;
    /** What this host is called there. */
    this.callerAddress = '';
    this.node = '';
    this.package = '';
  }

  /**
   * Connects, brings perf-battle there unless that very version is there already, and asks what the host is.
   * @param {Shipment} shipment
   * @param {(line: string) => void} log
   * @throws {UnavailableError} naming the host
   */
  async open(shipment, log) {
    const connection = await this.#connect();
    const probe = await this.#run(
      connection,
      'exec sh -s',
      {input: probeScript(shipment.name)},
      'look around',
    );
    const {nodes, caller, own, home, isThere} = readProbe(probe);
    this.node = this.#chooseNode(nodes);
    this.callerAddress = caller;
    this.address = own;
    const folder = `${home}/${cacheFolder}/${shipment.name}`;
    this.package = posix.join(folder, shipment.entry);
    if (!isThere) {
      log(`Bringing perf-battle to ${this.name}.`);
      await this.#ship(connection, shipment, folder);
    }
    const said = await this.#run(connection, this.#command(reportScript), {}, 'say what it is');
    this.described = JSON.parse(lastLine(said));
    this.reachAt(own);
    this.brokerAddress = own;
  }

  /** @param {string} address under which the other hosts reach its servers */
  reachAt(address) {
    this.address = address;
    this.listenAddress = bindingFor(address, this.described?.addresses ?? []);
  }

  /** @param {string | null} bound */
  addressFor(bound) {
    return bound && joinAddress(this.address, splitAddress(bound).port);
  }

  /** @param {URL} script @param {'client' | 'server'} role */
  async start(script, role) {
    const connection = await this.#connectionWithRoom();
    const child = connection.spawn(this.#command(script, 'PB_STDIN=control PB_OUTPUT=ndjson'));
    return new RoleProcess(child, role, {
      place: this.name,
      lost: () => connection.failure ?? explainSsh(this.name, ''),
    });
  }

  /** @param {URL} script */
  async startSupervisor(script) {
    return (await this.#connectionWithRoom()).spawn(this.#command(script));
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
    const [first] = this.connections;
    if (first?.failure) throw first.failure;
    return this.connections.find(({hasRoom}) => hasRoom) ?? (await this.#connect());
  }

  /**
   * Paths of ours hold nothing that a shell would read as more than a character, save perhaps the home folder's.
   * @param {URL} script of this package
   * @param {string} [variables]
   */
  #command(script, variables = '') {
    const path = relative(packageFolder, fileURLToPath(script)).split(sep).join('/');
    return `exec env ${variables} ${quote(this.node)} ${quote(`${this.package}/${path}`)}`;
  }

  /** @param {{path: string, version: string}[]} nodes */
  #chooseNode(nodes) {
    const good = nodes.find(({version}) => isRecent(version));
    if (good) return good.path;
    const wanted = `Node.js ${oldestNode.join('.')} or newer`;
    const found = nodes.map(({path, version}) => `${path} is ${version}`).join(', ');
    throw new UnavailableError(
      nodes.length === 0
        ? `The host ${this.name} has no Node.js that was found: perf-battle needs ${wanted} there, on the PATH of a shell that is not interactive.`
        : `The host ${this.name} has no Node.js that is new enough: perf-battle needs ${wanted} there; ${found}.`,
      {code: 'PB_HOST_UNAVAILABLE'},
    );
  }

  /**
   * @param {SshConnection} connection
   * @param {Shipment} shipment
   * @param {string} folder
   */
  async #ship(connection, shipment, folder) {
    const command = `exec sh -c '${shipScript(folder, this.node)}'`;
    await this.#run(connection, command, {input: packShipment(shipment)}, 'take perf-battle into its cache');
  }

  /**
   * @param {SshConnection} connection
   * @param {string} command
   * @param {{input?: string | Readable}} how
   * @param {string} what it was to do
   * @returns {Promise<string>} what it printed
   */
  async #run(connection, command, how, what) {
    const {code, stdout, stderr} = await connection.run(command, {...how, signal: this.signal});
    if (code === 0) return stdout;
    if (connection.failure) throw connection.failure;
    throw new UnavailableError(`The host ${this.name} could not ${what}: ${explainRemote(stderr)}`, {
      code: 'PB_HOST_UNAVAILABLE',
    });
  }
}

/**
 * Every Node.js that may be meant: a shell that is not interactive often has none on its PATH.
 * @param {string} name of the shipment
 */
function probeScript(name) {
  return `
echo "connection $SSH_CONNECTION"
echo "home $HOME"
[ -d "$HOME/${cacheFolder}/${name}" ] && echo there
for node in "$(command -v node)" /usr/local/bin/node /opt/homebrew/bin/node "$HOME"/.nvm/versions/node/*/bin/node; do
  [ -x "$node" ] && echo "node $("$node" --version) $node"
done
exit 0
`;
}

/** @param {string} said */
function readProbe(said) {
  const lines = said.split('\n');
  const after = (/** @type {string} */ word) =>
    lines.filter((line) => line.startsWith(`${word} `)).map((line) => line.slice(word.length + 1));
  const [caller = '', , own = ''] = (after('connection')[0] ?? '').split(' ');
  const nodes = after('node').map((text) => {
    const [version, ...path] = text.split(' ');
    return {version, path: path.join(' ')};
  });
  return {nodes, caller, own, home: after('home')[0] ?? '', isThere: lines.includes('there')};
}

/**
 * Unpacks an archive on standard input. A folder appears whole or not at all; who comes second leaves the first one's.
 * @param {string} folder
 * @param {string} node
 */
function shipScript(folder, node) {
  const cache = posix.dirname(folder);
  const rename = `try { fs.renameSync(...process.argv.slice(1)) } catch (error) { if (!fs.existsSync(process.argv[2])) throw error }`;
  return `
umask 077
mkdir -p "${cache}" || exit 1
new="${cache}/.new-$$"
trap "rm -rf \\"$new\\"" EXIT
trap "exit 1" HUP INT TERM PIPE
find "${cache}" -maxdepth 1 -name ".new-*" -mmin +60 -exec rm -rf {} + 2>/dev/null
mkdir "$new" && tar -xzf - -C "$new" && "${node}" -e "${rename}" "$new" "${folder}"
`;
}

/** @param {string} stderr */
function explainRemote(stderr) {
  const lines = stderr.trim().split(/\r?\n/);
  const full = lines.find((line) => /No space left on device|Disk quota exceeded/i.test(line));
  if (full) return `its disk is full (${full.trim()}).`;
  const refused = lines.find((line) => /Permission denied|Read-only file system|Not a directory/i.test(line));
  if (refused) return `~/${cacheFolder} cannot be written (${refused.trim()}).`;
  return lastLine(stderr) || 'it said nothing.';
}

/** @param {string} version such as v20.19.0 */
function isRecent(version) {
  const [major, minor] = version.replace(/^v/, '').split('.').map(Number);
  return major > oldestNode[0] || (major === oldestNode[0] && minor >= oldestNode[1]);
}

/** For any shell. @param {string} path */
function quote(path) {
  return `'${path.replaceAll("'", `'\\''`)}'`;
}

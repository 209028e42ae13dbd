import {posix, relative, sep} from 'node:path';
import {fileURLToPath, pathToFileURL} from 'node:url';
import {UnavailableError} from '../errors.js';
import {within} from '../measure/bounds.js';
import {joinAddress, splitAddress} from '../net/address.js';
import {packagesVariable} from '../packages/load.js';
import {parseSafely} from '../safe-text.js';
import {Agent} from './agent.js';
import {cacheFolder, packBundle, probeScript, quoteForShell, readProbe, unpackScript} from './bundle.js';
import {apart, listenAddressFor, pinnedTo, reportScript} from './host.js';
import {RoleProcess} from './role-process.js';
import {SshConnection} from './ssh-connection.js';
import {lastLine} from './ssh-errors.js';

/**
 * @import {Readable} from 'node:stream'
 * @import {LineName} from '../messages.js'
 * @import {Bundle, Host, HostReport, ProcessSettings} from './types.js'
 */

const agentScript = new URL('./agent-process.js', import.meta.url);
const packageFolder = fileURLToPath(new URL('../..', import.meta.url));
/** If an agent does not answer, its host may not answer either. */
const killWithinMs = 3000;
/** Prints the pid of the future agent, before Node.js starts. */
const announced = `sh -c 'printf "{\\"event\\":\\"process\\",\\"pid\\":%s}\\n" $$; exec "$@"' sh`;
/** The minimum version of Node.js that perf-battle supports: major and minor. */
const minNode = [20, 19];

/**
 * A host that ssh reaches. Its processes end with the connection, because the connection carries their standard input. One session serves all roles,
 * because they are children of an agent on the host.
 * @implements {Host}
 */
export class SshHost {
  isRemote = true;

  /** @param {string} name @param {{config: string | null, signal: AbortSignal}} options config: an ssh_config file instead of the user's */
  constructor(name, {config, signal}) {
    this.name = name;
    this.signal = signal;
    this.connection = new SshConnection(name, config);
    /** Starts the roles on the host; null before the first role. @type {Agent | null} */
    this.agent = null;
    /** Settles when the agents that did not answer are killed. */
    this.killed = Promise.resolve();
    /** Why the host is not available. @type {Error | null} */
    this.failure = null;
    /** The address under which other hosts reach this host. */
    this.address = '';
    /** @type {string | null} */
    this.listenAddress = null;
    /** @type {string | null} */
    this.brokerAddress = null;
    /** @type {HostReport | null} */
    this.report = null;
    /** The address of the battle's host as this host sees it. */
    this.callerAddress = '';
    /** The path of Node.js on the host. */
    this.node = '';
    /** The folder of perf-battle on the host. */
    this.package = '';
    /** The host's copy of the packages that `perf-battle install` has fetched. @type {string | null} */
    this.packages = null;
    /** The copied folder of the battle's host, and the folder of the copy. */
    this.copied = {from: '', to: ''};
  }

  /**
   * Connects, copies perf-battle to the host unless it already has this exact version, and reads the host's report.
   * @param {Bundle} bundle @param {(line: string) => void} log
   * @throws {UnavailableError} which names the host
   */
  async open(bundle, log) {
    try {
      await this.connection.open(this.signal);
      await this.#setUp(bundle, log);
    } catch (error) {
      this.failure = /** @type {Error} */ (error);
      throw error;
    }
  }

  /** @param {Bundle} bundle @param {(line: string) => void} log */
  async #setUp(bundle, log) {
    const input = probeScript(bundle.name);
    const probe = readProbe(await this.#run('exec sh -s', {input}, 'be probed'));
    this.node = this.#chooseNode(probe.nodes);
    this.callerAddress = probe.callerAddress;
    const folder = `${probe.home}/${cacheFolder}/${bundle.name}`;
    this.package = posix.join(folder, bundle.entry);
    this.copied = {from: bundle.base, to: folder};
    this.packages = bundle.packages === null ? null : posix.join(folder, bundle.packages);
    if (!probe.hasBundle) {
      log(`Copying perf-battle to ${this.name}.`);
      await this.#copy(bundle, folder);
    }
    const output = await this.#run(this.#command(reportScript, null), {}, 'report its properties');
    this.report = parseSafely(lastLine(output));
    this.setServerAddress(probe.address);
    this.brokerAddress = probe.address;
  }

  /** @param {string} address under which other hosts reach the servers of this host */
  setServerAddress(address) {
    this.address = address;
    this.listenAddress = listenAddressFor(address, this.report?.addresses ?? []);
  }

  /** @param {string | null} bound */
  addressFor(bound) {
    return bound && joinAddress(this.address, splitAddress(bound).port);
  }

  /** @template {LineName} Role @param {URL} script @param {Role} role @param {ProcessSettings} settings */
  async start(script, role, settings) {
    const words = (settings.words ?? []).map((word) => this.#moved(word));
    const session = this.#runningAgent().start(pathInPackage(script), {...settings, words});
    return new RoleProcess(session, role, this.name);
  }

  /** @param {URL} script */
  async startBesideRoles(script) {
    return this.#runningAgent().start(pathInPackage(script), {cores: null, keepMemory: false});
  }

  /** @param {URL} script @param {number[] | null} cores @param {readonly string[]} [words] @param {{hasOwnMounts: boolean}} [how] */
  async startSupervisor(script, cores, words = [], {hasOwnMounts} = {hasOwnMounts: false}) {
    const moved = words.map((word) => quoteForShell(this.#moved(word)));
    const wrapper = hasOwnMounts ? apart.join(' ') : undefined;
    return this.#connected().spawn([this.#command(script, cores, wrapper), ...moved].join(' '));
  }

  /** @param {string} script @returns {Promise<string>} standard output @throws {UnavailableError} when the connection has ended */
  async runShell(script) {
    const connection = this.#connected();
    const {code, stdout} = await connection.run('exec sh -s', {input: script, signal: this.signal});
    if (connection.failure) throw connection.failure;
    if (code !== null) return stdout;
    throw new UnavailableError(`A process of ssh to the host ${this.name} was killed here.`, {
      code: 'PB_HOST_UNAVAILABLE',
    });
  }

  async close() {
    await this.killed;
    await this.connection.close();
  }

  #connected() {
    const failure = this.failure ?? this.connection.failure;
    if (failure) throw failure;
    return this.connection;
  }

  /** Replaces the URL of a file by the URL of its copy on the host. @param {string} word unchanged if it is no URL of a file */
  #moved(word) {
    if (!word.startsWith('file:')) return word;
    const {from, to} = this.copied;
    const path = relative(from, fileURLToPath(word)).split(sep).join('/');
    return pathToFileURL(posix.join(to, path)).href;
  }

  /** Starts an agent if there is none, also after the last agent was killed. */
  #runningAgent() {
    const connection = this.#connected();
    if (this.agent?.isRunning) return this.agent;
    const session = connection.spawn(this.#command(agentScript, null, announced));
    this.agent = new Agent(session, this.name, (pid) => this.#killAgent(pid));
    return this.agent;
  }

  /** Checks the command of the process, because another process may have the pid by now. @param {number} pid */
  #killAgent(pid) {
    const input = `grep -qs agent-process /proc/${pid}/cmdline && kill -KILL ${pid}\n`;
    const killed = within(killWithinMs, null, (signal) =>
      this.connection.run('exec sh -s', {input, signal}),
    ).catch(() => {});
    this.killed = Promise.all([this.killed, killed]).then(() => {});
  }

  /**
   * @param {URL} script of this package
   * @param {number[] | null} cores that the script may use; null: any
   * @param {string} [wrapper] the command prefix that starts the script
   */
  #command(script, cores, wrapper) {
    const words = [
      ...(wrapper ? [wrapper] : []),
      ...pinnedTo(cores),
      quoteForShell(this.node),
      quoteForShell(`${this.package}/${pathInPackage(script)}`),
    ];
    const variables =
      this.packages === null ? '' : `env ${packagesVariable}=${quoteForShell(this.packages)} `;
    return `exec ${variables}${words.join(' ')}`;
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

  /** @param {Bundle} bundle @param {string} folder */
  async #copy(bundle, folder) {
    const command = `exec sh -c '${unpackScript(folder, this.node)}'`;
    await this.#run(command, {input: packBundle(bundle)}, 'store perf-battle in its cache');
  }

  /**
   * @param {string} command @param {{input?: string | Readable}} options
   * @param {string} action for the error message
   * @returns {Promise<string>} standard output
   */
  async #run(command, options, action) {
    const {code, stdout, stderr} = await this.connection.run(command, {...options, signal: this.signal});
    if (code === 0) return stdout;
    if (this.connection.failure) throw this.connection.failure;
    throw new UnavailableError(`The host ${this.name} could not ${action}: ${explainRemote(stderr)}`, {
      code: 'PB_HOST_UNAVAILABLE',
    });
  }
}

/** @param {URL} script */
function pathInPackage(script) {
  return relative(packageFolder, fileURLToPath(script)).split(sep).join('/');
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

import {spawn} from 'node:child_process';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {setTimeout as sleep} from 'node:timers/promises';
import {UnavailableError} from '../errors.js';
import {makeOwnedFolder, removeOwnedFolder, sweepOwnedFolders} from '../files/folders.js';
import {sendSignal} from '../measure/system.js';
import {parseSshHost} from '../net/address.js';
import {endInSteps, StoppedProcesses} from './child-process.js';
import {explainSsh, isLasting} from './ssh-errors.js';

/**
 * @import {ChildProcessWithoutNullStreams} from 'node:child_process'
 * @import {Readable} from 'node:stream'
 */

const readyMark = 'perf-battle: connected';
const connectTimeoutS = 15;
/** The timeout includes the time that a jump host or an agent needs. */
const loginTimeoutMs = 60_000;
const stderrTailCharacters = 4000;
/** The timeout allows ssh to tell the other side that it ends. */
const closeTimeoutMs = 3000;
/** When a connection breaks, a command on it may end slightly before the connection does. */
const brokenWithinMs = 2000;
/** The exit code of ssh after its own errors. A command on the host may end with this code, too. */
const sshErrorCode = 255;

/** Runs ssh until standard input closes, prints the pid of ssh, removes the folder of the socket, and ends with the exit code of ssh. */
const guardScript = `
folder=$1
shift
# Its reader may be gone when the shell reports how ssh ended.
trap : PIPE
exec 3<&0
ssh "$@" </dev/null 3<&- &
ssh=$!
echo "perf-battle: process $ssh"
{ cat <&3 >/dev/null; kill $ssh; } 2>/dev/null >&2 &
watch=$!
wait $ssh
code=$?
kill $watch
rm -rf "$folder"
exit $code
`;

/**
 * A multiplexed connection of the system's OpenSSH client: one TCP connection and one login for all commands on a host. It uses the user's
 * ssh set-up: configuration, agent, jump hosts and known hosts. The connection itself runs no command on the host, and ends with this process.
 */
export class SshConnection {
  /** @param {string} name of the host, as the user wrote it @param {string | null} config an ssh_config file instead of the user's */
  constructor(name, config) {
    this.name = name;
    const {destination, port} = parseSshHost(name) ?? {destination: name, port: null};
    this.arguments = [
      ...(config === null ? [] : ['-F', config]),
      ...(port === null ? [] : ['-p', String(port)]),
      ...['-T', '-o', 'BatchMode=yes', '-o', 'RemoteCommand=none', '-o', 'ClearAllForwardings=yes'],
    ];
    this.destination = destination;
    /** Why the connection ended. @type {UnavailableError | null} */
    this.failure = null;
    /** Whether another connection would fail for the same reason. */
    this.failsAlways = false;
    /** The socket through which other ssh processes use the open connection. ssh removes the socket at its end, even if this process was killed. */
    this.socket = '';
    /** @type {string | null} */
    this.folder = null;
    /** The ssh processes on this host. */
    this.processes = new StoppedProcesses();
  }

  /** @param {AbortSignal} signal @throws {UnavailableError} PB_HOST_UNAVAILABLE, with ssh's own message */
  async open(signal) {
    ({folder: this.folder, socket: this.socket} = await makeControlFolder());
    const master = this.#spawnMaster(this.folder);
    const onAbort = () => master.stdin.end();
    signal.addEventListener('abort', onAbort, {once: true});
    try {
      const late = sleep(loginTimeoutMs, 'late', {ref: false});
      const first = await Promise.race([textIn(master.stdout, new RegExp(readyMark)), this.ended, late]);
      signal.throwIfAborted();
      if (first === 'late')
        throw explainSsh(this.name, `the login timed out after ${loginTimeoutMs / 1000} s`);
      if (this.failure) throw this.failure;
    } catch (error) {
      await this.close();
      throw error;
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  /** Starts the ssh process that logs in and shares its connection. ssh prints the ready mark after the login. @param {string} folder of the socket */
  #spawnMaster(folder) {
    const settings = [
      ...['ControlPersist=no', 'PermitLocalCommand=yes', `LocalCommand=echo '${readyMark}'`],
      ...['ServerAliveInterval=2', 'ServerAliveCountMax=3', `ConnectTimeout=${connectTimeoutS}`],
    ];
    const master = spawn(
      'sh',
      [
        ...['-c', guardScript, 'ssh', folder, ...this.arguments, '-M', '-N', '-S', this.socket],
        ...[...settings.flatMap((text) => ['-o', text]), '--', this.destination],
      ],
      // ssh runs LocalCommand with $SHELL, which may not be a shell.
      // The separate process group can be killed as a whole. It survives a kill of this process's group, and then ends in order.
      {stdio: ['pipe', 'pipe', 'pipe'], env: {...process.env, SHELL: '/bin/sh'}, detached: true},
    );
    this.master = master;
    this.#watchMaster(master);
    master.stdin.on('error', () => {});
    let errors = '';
    master.stderr.setEncoding('utf8').on('data', (text) => {
      errors = (errors + text).slice(-stderrTailCharacters);
    });
    const ended = new Promise((resolve) => {
      master.once('error', (error) => resolve(sshMissing(error)));
      master.once('close', () => {
        this.failsAlways = isLasting(errors);
        resolve(explainSsh(this.name, errors));
      });
    });
    this.ended = ended.then((failure) => {
      this.failure ??= failure;
    });
    return master;
  }

  /** @param {ChildProcessWithoutNullStreams} master */
  #watchMaster(master) {
    const pids = [master.pid];
    textIn(master.stdout, /perf-battle: process (\d+)\n/).then(([, pid]) => {
      const ssh = Number(pid);
      pids.push(ssh);
      if (master.exitCode === null && master.signalCode === null) this.processes.watch(ssh);
    });
    this.processes.watch(master.pid);
    master.once('exit', () => {
      for (const pid of pids) this.processes.forget(pid);
      // Other processes of the group may be left, such as a command that connects to a jump host.
      this.#killMaster();
    });
  }

  #killMaster() {
    if (this.master?.pid !== undefined) sendSignal(-this.master.pid, 'SIGKILL');
  }

  /** @param {string} command for the user's shell on the host */
  spawn(command) {
    const child = spawn(
      'ssh',
      [
        ...this.arguments,
        // If the connection has ended, ssh must fail instead of opening a new connection.
        ...['-S', this.socket, '-o', 'ControlMaster=no', '-o', 'ProxyCommand=false', '-o', 'ProxyJump=none'],
        ...['--', this.destination, command],
      ],
      {stdio: ['pipe', 'pipe', 'pipe']},
    );
    child.stdin.on('error', () => {});
    this.processes.watch(child.pid);
    child.once('exit', () => this.processes.forget(child.pid));
    return child;
  }

  /**
   * Runs a command to its end. If the connection ended, `failure` says why.
   * @param {string} command @param {{input?: string | Readable, signal: AbortSignal}} options
   * @returns {Promise<{code: number | null, stdout: string, stderr: string}>}
   * @throws the input's error, or the signal's reason
   */
  async run(command, {input = '', signal}) {
    const child = this.spawn(command);
    const output = {stdout: '', stderr: ''};
    for (const name of /** @type {const} */ (['stdout', 'stderr'])) {
      child[name].setEncoding('utf8').on('data', (text) => {
        output[name] += text;
      });
    }
    const onAbort = () => child.kill('SIGTERM');
    signal.addEventListener('abort', onAbort, {once: true});
    /** @type {Promise<never>} */
    const inputFailed = new Promise((_, reject) => {
      if (typeof input === 'string') child.stdin.end(input);
      else input.once('error', reject).pipe(child.stdin);
    });
    try {
      const closed = new Promise((resolve) => child.once('close', resolve));
      const code = await Promise.race([closed, inputFailed]);
      signal.throwIfAborted();
      if (code === null || code === sshErrorCode)
        await Promise.race([this.ended, sleep(brokenWithinMs, undefined, {ref: false})]);
      return {code, ...output};
    } finally {
      signal.removeEventListener('abort', onAbort);
      child.kill('SIGTERM');
      // A producer that is still running no longer has a consumer.
      if (typeof input !== 'string') input.destroy();
    }
  }

  /** Ends the connection and all commands that run over it. */
  async close() {
    if (this.ended) {
      const request = () => void this.master?.stdin.end();
      await endInSteps(this.ended, [request, () => this.#killMaster()], closeTimeoutMs);
    }
    if (this.folder !== null) await removeOwnedFolder(this.folder);
    this.folder = null;
  }
}

/**
 * Waits for a pattern in an output, because a shell may print other text first.
 * @param {NodeJS.ReadableStream} output @param {RegExp} pattern
 * @returns {Promise<RegExpExecArray>} never settles if the pattern is not printed
 */
function textIn(output, pattern) {
  let received = '';
  return new Promise((resolve) => {
    output.on('data', (chunk) => {
      received = `${received}${chunk}`.slice(-stderrTailCharacters);
      const found = pattern.exec(received);
      if (found) resolve(found);
    });
  });
}

/** @param {Error} cause */
function sshMissing(cause) {
  return new UnavailableError(
    `ssh could not be started (${cause.message}). Roles on other hosts need OpenSSH's client.`,
    {code: 'PB_HOST_UNAVAILABLE', cause},
  );
}

const prefix = 'pb-ssh-';
const socketName = 's';
/** The path of a socket may have 103 bytes on every system, and ssh appends 17 characters to the path of a new socket. */
const maxPathBytes = 86;

/**
 * Makes the folder for the socket through which ssh processes share a connection. The folder is in the folder for temporary files, or in /tmp if ssh
 * cannot use that path. Folders that killed processes left are removed.
 * @returns {Promise<{folder: string, socket: string}>} socket: the path, escaped for ssh's options
 * @throws {UnavailableError} when no folder can be used
 */
export async function makeControlFolder() {
  let reason = '';
  for (const base of new Set([tmpdir(), '/tmp'])) {
    if (!isUsable(join(base, `${prefix}XXXXXX`, socketName))) continue;
    await sweepOwnedFolders(base, prefix);
    try {
      const folder = await makeOwnedFolder(base, prefix);
      return {folder, socket: join(folder, socketName).replaceAll('%', '%%')};
    } catch (error) {
      reason = `: ${/** @type {Error} */ (error).message}`;
    }
  }
  throw new UnavailableError(
    `ssh needs a folder for its sockets, and neither ${tmpdir()} nor /tmp can be used${reason}. Set TMPDIR to a folder with a short path.`,
    {code: 'PB_HOST_UNAVAILABLE'},
  );
}

/** ssh replaces variables in a path, and they cannot be escaped. @param {string} path */
function isUsable(path) {
  return Buffer.byteLength(path) <= maxPathBytes && !path.includes('${');
}

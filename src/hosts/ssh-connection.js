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
/** Includes the time that a jump host or an agent needs. */
const loginTimeoutMs = 60_000;
const stderrTailCharacters = 4000;
/** ssh tells the other side that it ends. */
const closeTimeoutMs = 3000;
/** A command of a connection that breaks may end a moment before the connection does. */
const brokenWithinMs = 2000;
/** What ssh itself ends with after an error of its own. A command on the host may end with it, too. */
const sshErrorCode = 255;

/** Runs ssh until standard input closes, says which process that is, removes the folder of its socket, and ends with its exit code. */
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
 * ssh set-up: configuration, agent, jump hosts and known hosts. The connection itself runs no command there, and it ends with this process.
 */
export class SshConnection {
  /**
   * @param {string} name of the host, as the user wrote it
   * @param {string | null} config an ssh_config file instead of the user's
   */
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
    /** Where other ssh processes find the connection, once it is open. ssh removes it when it ends, even if this process was killed. */
    this.socket = '';
    /** @type {string | null} */
    this.folder = null;
    /** Processes of ssh here. */
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

  /** Starts the ssh process that logs in and shares its connection. It prints the ready mark after the login. @param {string} folder of its socket */
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
      // In a group of its own, which ends as one, and which goes on where only this process's group is killed, to end in order.
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
      // What is left of its group, such as a command that connects to a jump host.
      this.#killMaster();
    });
  }

  /** Kills all processes that hold the connection. */
  #killMaster() {
    if (this.master?.pid !== undefined) sendSignal(-this.master.pid, 'SIGKILL');
  }

  /** @param {string} command for the user's shell on that host @returns {ChildProcessWithoutNullStreams} */
  spawn(command) {
    const child = spawn(
      'ssh',
      [
        ...this.arguments,
        // If the connection has ended, ssh must fail instead of opening another one.
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
   * Runs a command to its end. If that is the end of the connection, `failure` says why.
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
      // A producer that is still running has no consumer any more.
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
 * What a shell prints before it is ignored.
 * @param {NodeJS.ReadableStream} output @param {RegExp} pattern
 * @returns {Promise<RegExpExecArray>} never settles if it is not printed
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
/** A socket's path has at most 103 bytes on every system, and ssh appends 17 characters to that of one which it makes. */
const maxPathBytes = 86;

/**
 * Makes the folder of the sockets by which ssh processes share a connection, in the folder for temporary files. ssh cannot use every path: where that one is too long,
 * it is in /tmp. What killed processes left there is removed.
 * @returns {Promise<{folder: string, socket: string}>} socket: its path, as ssh's options name it
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

/** ssh replaces variables in a path, and nothing escapes them. @param {string} path */
function isUsable(path) {
  return Buffer.byteLength(path) <= maxPathBytes && !path.includes('${');
}

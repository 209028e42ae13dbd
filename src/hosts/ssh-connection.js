import {spawn} from 'node:child_process';
import {randomBytes} from 'node:crypto';
import {rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {setTimeout as sleep} from 'node:timers/promises';
import {UnavailableError} from '../errors.js';
import {parseSshHost} from '../transports/address.js';
import {explainSsh} from './ssh-errors.js';

/**
 * @import {ChildProcessWithoutNullStreams} from 'node:child_process'
 * @import {Readable} from 'node:stream'
 */

const readyMark = 'perf-battle: connected';
const connectTimeoutS = 15;
/** With all that a jump host or an agent may take. */
const loginTimeoutMs = 60_000;
const stderrTailCharacters = 4000;
/** Of the ten that OpenSSH's server allows a connection (MaxSessions), one is the connection's own. */
const mostSessions = 9;

/** Keeps ssh as long as somebody holds the other end of standard input, and ends as ssh does. */
const guardScript = `
exec 3<&0
ssh "$@" </dev/null 3<&- &
ssh=$!
{ cat <&3 >/dev/null; kill $ssh; } 2>/dev/null >&2 &
watch=$!
wait $ssh
code=$?
kill $watch
exit $code
`;

/**
 * A multiplexed connection of the system's OpenSSH client: one TCP connection and one login for all that is run on a host, with everything
 * that the person has set up for ssh (configuration, agent, jump hosts, known hosts). By itself it runs nothing there, and it ends with this
 * process.
 */
export class SshConnection {
  /**
   * @param {string} name of the host, as the person wrote it
   * @param {string | null} config an ssh_config file in place of the person's
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
    this.sessions = 0;
    /** Why it is no more. @type {UnavailableError | null} */
    this.failure = null;
    // ssh itself removes it when it ends, whatever becomes of us; nobody else may use it (mode 600), nor guess its name.
    this.socket = join(tmpdir(), `pb-ssh-${randomBytes(8).toString('hex')}`);
  }

  /**
   * @param {AbortSignal} signal
   * @throws {UnavailableError} PB_HOST_UNAVAILABLE, saying what ssh said
   */
  async open(signal) {
    const alive = ['ServerAliveInterval=2', 'ServerAliveCountMax=3', `ConnectTimeout=${connectTimeoutS}`];
    const settings = [
      'ControlPersist=no',
      'PermitLocalCommand=yes',
      `LocalCommand=echo '${readyMark}'`,
      ...alive,
    ];
    const master = spawn(
      'sh',
      [
        ...['-c', guardScript, 'ssh', ...this.arguments, '-M', '-N', '-S', this.socket],
        ...[...settings.flatMap((text) => ['-o', text]), '--', this.destination],
      ],
      // LocalCommand is run by the shell of this variable, which may be no shell at all.
      {stdio: ['pipe', 'pipe', 'pipe'], env: {...process.env, SHELL: '/bin/sh'}},
    );
    this.master = master;
    master.stdin.on('error', () => {});
    let said = '';
    master.stderr.setEncoding('utf8').on('data', (text) => {
      said = (said + text).slice(-stderrTailCharacters);
    });
    const ended = new Promise((resolve) => {
      master.once('error', (error) => resolve(sshMissing(error)));
      master.once('close', () => resolve(explainSsh(this.name, said)));
    });
    this.ended = ended.then((failure) => {
      this.failure ??= failure;
    });
    const onAbort = () => master.stdin.end();
    signal.addEventListener('abort', onAbort, {once: true});
    try {
      const late = sleep(loginTimeoutMs, 'late', {ref: false});
      const first = await Promise.race([heardMark(master.stdout), this.ended, late]);
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

  get hasRoom() {
    return this.sessions < mostSessions && !this.failure;
  }

  /**
   * @param {string} command as the person's shell on that host reads it
   * @returns {ChildProcessWithoutNullStreams}
   */
  spawn(command) {
    this.sessions += 1;
    const child = spawn(
      'ssh',
      [
        ...this.arguments,
        // Should the connection be gone, no other is made behind our back.
        ...['-S', this.socket, '-o', 'ControlMaster=no', '-o', 'ProxyCommand=false', '-o', 'ProxyJump=none'],
        ...['--', this.destination, command],
      ],
      {stdio: ['pipe', 'pipe', 'pipe']},
    );
    child.stdin.on('error', () => {});
    child.once('close', () => {
      this.sessions -= 1;
    });
    return child;
  }

  /**
   * Runs a command to its end.
   * @param {string} command
   * @param {{input?: string | Readable, signal: AbortSignal}} how
   * @returns {Promise<{code: number | null, stdout: string, stderr: string}>}
   * @throws what the input fails with, or the signal's reason
   */
  async run(command, {input = '', signal}) {
    const child = this.spawn(command);
    const said = {stdout: '', stderr: ''};
    for (const name of /** @type {const} */ (['stdout', 'stderr'])) {
      child[name].setEncoding('utf8').on('data', (text) => {
        said[name] += text;
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
      return {code, ...said};
    } finally {
      signal.removeEventListener('abort', onAbort);
      child.kill('SIGTERM');
      // Who still reads it has nobody to give it to.
      if (typeof input !== 'string') input.destroy();
    }
  }

  /** Ends it with all that runs over it. */
  async close() {
    this.master?.stdin.end();
    await this.ended;
    // ssh does it itself, unless it was killed.
    await rm(this.socket, {force: true});
  }
}

/**
 * What a shell prints at the start is passed over.
 * @param {NodeJS.ReadableStream} output
 * @returns {Promise<void>}
 */
function heardMark(output) {
  let heard = '';
  return new Promise((resolve) => {
    output.on('data', (chunk) => {
      heard = `${heard}${chunk}`.slice(-stderrTailCharacters);
      if (heard.includes(readyMark)) resolve();
    });
  });
}

/** @param {Error} cause */
function sshMissing(cause) {
  return new UnavailableError(
    `ssh could not be started (${cause.message}): roles on other hosts need OpenSSH's client.`,
    {code: 'PB_HOST_UNAVAILABLE', cause},
  );
}

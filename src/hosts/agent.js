import {EventEmitter, once} from 'node:events';
import {PassThrough, Writable} from 'node:stream';
import {HeartbeatTimeout, heartbeatEveryMs, heartbeatTimeoutMs} from '../ending/heartbeat.js';
import {UnavailableError} from '../errors.js';
import {parseOrNull} from '../safe-text.js';
import {readLines} from './child-process.js';
import {lastLine} from './ssh-errors.js';

/**
 * @import {ChildProcessWithoutNullStreams} from 'node:child_process'
 * @import {AgentCommand, AgentEvent, EventOfRole, ProcessSettings, RoleCommand} from './types.js'
 */

const stderrTailCharacters = 2000;

/** The process that starts the roles of a battle on another host (agent-process.js), as the battle sees it. */
export class Agent {
  isRunning = true;
  /** Notices that the host does not answer. Until the agent has started, it cannot; then this is null. @type {HeartbeatTimeout | null} */
  #heartbeat = null;
  /** @type {Map<number, RelayedProcess>} those that run, by their id */
  #roles = new Map();
  #started = 0;
  /** Its number on the host. @type {number | null} */
  #pid = null;

  /**
   * @param {ChildProcessWithoutNullStreams} session in which it runs
   * @param {string} hostName
   * @param {(pid: number) => void} killThere by its number on the host: one that is stopped there does not notice that its session ends
   */
  constructor(session, hostName, killThere = () => {}) {
    this.session = session;
    this.hostName = hostName;
    this.killThere = killThere;
    this.beat = setInterval(() => this.#send({command: 'beat'}), heartbeatEveryMs);
    readLines(
      session.stdout,
      (line) => this.#read(line),
      (reason) => this.#giveUp(`The host ${hostName} ${reason}.`),
    );
    let stderrTail = '';
    session.stderr.setEncoding('utf8').on('data', (text) => {
      stderrTail = (stderrTail + text).slice(-stderrTailCharacters);
    });
    session.once('error', () => {});
    // A command on its way when the session ends is lost.
    session.stdin.on('error', () => {});
    session.once('close', () => this.#end(lastLine(stderrTail)));
  }

  /**
   * @param {string} script its path in the package
   * @param {ProcessSettings} settings @returns {RelayedProcess}
   */
  start(script, settings) {
    const id = this.#started++;
    const role = new RelayedProcess((command) => {
      if (command.command === 'kill') this.#expectAnswers();
      this.#send({...command, id});
    });
    this.#roles.set(id, role);
    this.#send({command: 'start', id, script, ...settings});
    return role;
  }

  /** @param {AgentCommand} command lost if the agent has ended */
  #send(command) {
    if (this.session.stdin.writable) this.session.stdin.write(`${JSON.stringify(command)}\n`);
  }

  /** @param {string} line */
  #read(line) {
    /** @type {AgentEvent | null} */
    const event = parseOrNull(line);
    if (event === null) return;
    if (event.event === 'process') {
      this.#pid = event.pid;
      return;
    }
    this.#expectAnswers().heard();
    if (event.event === 'beat') return;
    this.#roles.get(event.id)?.take(event);
    if (event.event === 'close') this.#roles.delete(event.id);
  }

  #expectAnswers() {
    const {hostName} = this;
    this.#heartbeat ??= new HeartbeatTimeout(() =>
      this.#giveUp(
        `The host ${hostName} has not answered for ${heartbeatTimeoutMs / 1000} s: its network connection is interrupted, or it is overloaded.`,
      ),
    );
    return this.#heartbeat;
  }

  /** Ends the session from here. Its roles on the host end by themselves. @param {string} message why */
  #giveUp(message) {
    this.#fail(message);
    this.session.kill('SIGKILL');
    if (this.#pid !== null) this.killThere(this.#pid);
    this.#pid = null;
  }

  /** @param {string} printed the last line on standard error */
  #end(printed) {
    this.#heartbeat?.end();
    clearInterval(this.beat);
    this.#fail(
      `The ssh session with the host ${this.hostName} ended.${printed && ` It printed: ${printed}`}`,
    );
  }

  /** @param {string} message why no role can be reached any more */
  #fail(message) {
    this.isRunning = false;
    for (const role of this.#roles.values()) role.lose(new UnavailableError(message, {code: 'PB_HOST_LOST'}));
    this.#roles.clear();
  }
}

/** A process on another host whose pipes an agent relays. Emits `error` and `close` like a child process, and `lost` when its agent is gone. */
class RelayedProcess extends EventEmitter {
  stdout = new PassThrough();
  stderr = new PassThrough();

  /** @param {(command: RoleCommand) => void} send to the process */
  constructor(send) {
    super();
    this.send = send;
    this.stdin = new Writable({
      decodeStrings: false,
      write: (text, _encoding, written) => {
        send({command: 'write', text});
        written();
      },
      final: (ended) => {
        send({command: 'end'});
        ended();
      },
    });
  }

  /** @param {NodeJS.Signals} signal */
  kill(signal) {
    this.send({command: 'kill', signal});
    return true;
  }

  /** @param {EventOfRole} event of the process */
  take(event) {
    switch (event.event) {
      case 'stdout':
      case 'stderr':
        return this[event.event].write(event.text);
      case 'error':
        return this.emit('error', new Error(event.message));
      case 'close':
        return this.#end('close', event.code, event.signal);
    }
  }

  /** @param {Error} reason why nothing more will be heard of it */
  lose(reason) {
    return this.#end('lost', reason);
  }

  /**
   * Emits an event after everything that the process wrote was read.
   * @param {string} event @param {unknown[]} details
   */
  async #end(event, ...details) {
    this.stdin.destroy();
    await Promise.all([this.stdout, this.stderr].map((stream) => once(stream.end(), 'end')));
    this.emit(event, ...details);
  }
}

/** What a battle and its agent on another host say to each other, as JSON lines. Each role has an id. */

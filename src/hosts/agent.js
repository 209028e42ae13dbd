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

/** The battle's side of the process that starts roles on another host (agent-process.js). */
export class Agent {
  isRunning = true;
  /** Fires when the host stops answering; null until the agent has started. @type {HeartbeatTimeout | null} */
  #heartbeat = null;
  /** @type {Map<number, RelayedProcess>} running roles by id */
  #roles = new Map();
  #started = 0;
  /** The agent's process on the host. @type {number | null} */
  #pid = null;

  /**
   * @param {ChildProcessWithoutNullStreams} session the ssh session in which the agent runs
   * @param {string} hostName
   * @param {(pid: number) => void} killThere kills the agent on the host: a stopped agent (SIGSTOP) does not notice the end of its session
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
    // Commands that are in flight when the session ends are lost.
    session.stdin.on('error', () => {});
    session.once('close', () => this.#end(lastLine(stderrTail)));
  }

  /** @param {string} script a path in the package @param {ProcessSettings} settings */
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

  /** Ends the session. The roles on the host then end by themselves. @param {string} message why the session ends */
  #giveUp(message) {
    this.#fail(message);
    this.session.kill('SIGKILL');
    if (this.#pid !== null) this.killThere(this.#pid);
    this.#pid = null;
  }

  /** @param {string} printed the last line of standard error */
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

/** A process on another host whose pipes an agent relays. It emits `error` and `close` like a child process, and `lost` when its agent has ended. */
class RelayedProcess extends EventEmitter {
  stdout = new PassThrough();
  stderr = new PassThrough();

  /** @param {(command: RoleCommand) => void} send */
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

  /** @param {EventOfRole} event */
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

  /** @param {Error} reason why no more events will come from the process */
  lose(reason) {
    return this.#end('lost', reason);
  }

  /** Emits an event after all output of the process was read. @param {string} event @param {unknown[]} details */
  async #end(event, ...details) {
    this.stdin.destroy();
    await Promise.all([this.stdout, this.stderr].map((stream) => once(stream.end(), 'end')));
    this.emit(event, ...details);
  }
}

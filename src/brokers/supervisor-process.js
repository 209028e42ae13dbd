import {EventEmitter, once} from 'node:events';
import {createInterface} from 'node:readline';
import {heartbeatEveryMs} from '../ending/heartbeat.js';
import {errorCodes, RunError, UnavailableError} from '../errors.js';
import {endInSteps} from '../hosts/child-process.js';
import {sendSignal} from '../measure/system.js';
import {parseOrNull} from '../safe-text.js';
import {removeFolder} from './folder.js';

/**
 * @import {ChildProcessWithoutNullStreams} from 'node:child_process'
 * @import {CodeOf} from '../errors.js'
 * @import {Host} from '../hosts/types.js'
 * @import {BrokerConnection, BrokerKind, RunningNode, Supervisor, SupervisorCommand, SupervisorEvent, SupervisorInstructions} from './kind.js'
 */

const END_TIMEOUT_MS = 15_000;

/**
 * Controls the process that supervises the nodes of a private broker on one host.
 * @template {BrokerConnection} Connection @param {BrokerKind<Connection>} kind @param {ChildProcessWithoutNullStreams} child
 * @param {Pick<Host, 'name' | 'isRemote'>} host
 * @returns {Supervisor<Connection>}
 */
export function attachSupervisor(kind, child, host) {
  const send = (/** @type {SupervisorInstructions | SupervisorCommand} */ line) => {
    if (child.stdin.writable) child.stdin.write(`${JSON.stringify(line)}\n`);
  };
  child.stdin.on('error', () => {});
  const {started, formed, died, gone, events} = follow(kind, child, host);
  /** @type {Promise<void> | undefined} */
  let ending;
  let performed = 0;
  return {
    start: (instructions) => {
      send(instructions);
      if (instructions.hasHeartbeat) keepHeartbeat(() => send({command: 'beat'}), gone);
      return started;
    },
    verify: () => {
      send({command: 'verify'});
      return formed;
    },
    died,
    readTimes: async () => {
      const answer = once(events, 'times');
      send({command: 'times'});
      const [event] = await Promise.race([answer, died.then(() => [null])]);
      return event?.times ?? null;
    },
    perform: async (action) => {
      performed += 1;
      const answer = once(events, `performed ${performed}`);
      send({command: 'perform', id: performed, action});
      const death = died.then((reason) => [{done: undefined, error: reason, code: undefined}]);
      const [{done, error, code}] = await Promise.race([answer, death]);
      if (error !== undefined) throw errorOf(error, code);
      return done;
    },
    end: () => {
      ending ??= end(child, gone);
      return ending;
    },
  };
}

/** @param {() => void} beat @param {Promise<void>} gone */
function keepHeartbeat(beat, gone) {
  const timer = setInterval(beat, heartbeatEveryMs);
  const stop = () => clearInterval(timer);
  gone.then(stop, stop);
}

/**
 * Turns the events and the end of a supervisor into promises.
 * @template {BrokerConnection} Connection @param {BrokerKind<Connection>} kind @param {ChildProcessWithoutNullStreams} child
 * @param {Pick<Host, 'name' | 'isRemote'>} host
 */
function follow(kind, child, host) {
  const events = new EventEmitter();
  /** @type {Deferred<RunningNode<Connection>[]>} */
  const started = withResolvers();
  /** @type {Deferred<void>} */
  const formed = withResolvers();
  /** @type {Deferred<string>} */
  const died = withResolvers();
  /** @type {string | null} */
  let folder = null;
  let errors = '';
  const where = host.isRemote ? `On ${host.name}: ` : '';
  const fail = (/** @type {string} */ message) => {
    for (const {reject} of [started, formed]) reject(unavailable(message));
  };
  child.stderr.on('data', (chunk) => {
    errors = (errors + chunk).slice(-2000);
  });
  createInterface({input: child.stdout}).on('line', (line) => {
    /** @type {SupervisorEvent | null} */
    const event = parseOrNull(line);
    if (event === null) return;
    if (event.event === 'folder') folder = event.folder;
    if (event.event === 'started') started.resolve(event.nodes);
    if (event.event === 'formed') formed.resolve();
    if (event.event === 'failed') fail(`${where}${event.message}`);
    if (event.event === 'died') {
      fail(`${where}${event.reason}`);
      died.resolve(event.reason);
    }
    if (event.event === 'times') events.emit('times', event);
    if (event.event === 'performed') events.emit(`performed ${event.id}`, event);
  });
  child.once('error', (error) =>
    fail(`The supervisor of a private ${kind.label} node could not be started: ${error.message}`),
  );
  const gone = new Promise((resolve) => child.once('close', (code, signal) => resolve({code, signal}))).then(
    async ({code, signal}) => {
      const supervisor = host.isRemote
        ? `its supervisor on ${host.name}`
        : `its supervisor (pid ${child.pid})`;
      const reason = `${supervisor} ${signal ? `was ended by ${signal}` : `ended with exit code ${code}`}`;
      try {
        // A supervisor that was killed has not removed its folder.
        if (!host.isRemote && code !== 0 && folder !== null) await removeFolder(folder);
      } finally {
        fail(`The private ${kind.label} node has ended: ${reason}. ${errors}`.trim());
        died.resolve(reason);
      }
    },
  );
  // A rejection without a listener would end this process.
  for (const promise of [started.promise, formed.promise, gone]) promise.catch(() => {});
  return {started: started.promise, formed: formed.promise, died: died.promise, gone, events};
}

/** @param {ChildProcessWithoutNullStreams} child @param {Promise<void>} gone */
async function end(child, gone) {
  await endInSteps(gone, [() => child.stdin.end(), () => killGroup(child)], END_TIMEOUT_MS);
}

/**
 * The supervisor and all processes that it started are one process group on this host. Elsewhere, and before the group begins, there is only the child.
 * @param {ChildProcessWithoutNullStreams} child
 */
function killGroup(child) {
  if (child.pid === undefined || !sendSignal(-child.pid, 'SIGKILL')) child.kill('SIGKILL');
}

/** @param {string} message @param {string | undefined} code */
function errorOf(message, code) {
  const own = Object.entries(errorCodes).find(([name, {exitCode}]) => name === code && exitCode === 1);
  return own ? new RunError(message, {code: /** @type {CodeOf<1>} */ (code)}) : unavailable(message);
}

/** @param {string} message */
function unavailable(message) {
  return new UnavailableError(message, {code: 'PB_BROKER_UNAVAILABLE'});
}

/**
 * @template T
 * @typedef {{promise: Promise<T>, resolve: (value: T) => void, reject: (reason: unknown) => void}} Deferred
 */

/** Promise.withResolvers, which Node.js 20 lacks. @template T */
function withResolvers() {
  /** @type {Partial<Deferred<T>>} */
  const parts = {};
  parts.promise = new Promise((resolve, reject) => Object.assign(parts, {resolve, reject}));
  return /** @type {Deferred<T>} */ (parts);
}

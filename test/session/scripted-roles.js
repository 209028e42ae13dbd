import {EventEmitter} from 'node:events';
import fs from 'node:fs';
import {syncBuiltinESMExports} from 'node:module';
import {PassThrough} from 'node:stream';
import {RunError} from '../../src/errors.js';
import {free} from '../../src/hosts/placement.js';
import {RoleProcess} from '../../src/hosts/role-process.js';
import {runClient} from '../../src/roles/client.js';
import {makeOutput, runUnderControl} from '../../src/roles/script.js';
import {runServer} from '../../src/roles/server.js';
import {transportNamed} from '../../src/transports/index.js';

/**
 * @import {Hosts, ProcessSettings} from '../../src/hosts/types.js'
 * @import {LineName} from '../../src/messages.js'
 * @import {Client, OnRequest, Server} from '../../src/transports/transport.js'
 */

/**
 * How a scripted transport behaves.
 *
 * @typedef {object} Script
 * @property {(request: number) => number} latencyMs of the nth request of a client, from 1, warm-up included
 * @property {(request: number) => 'reply' | 'wrong reply' | 'death of the server'} [outcomeOf]
 * @property {(options: {payloadBytes: number, correlation: object | null, keeperPid?: number | null}) => void} [onConnect]
 */

/**
 * A host whose roles run in this process, with their own code, connected by streams. Only the transport between them is scripted: a request
 * takes the scripted time, and nothing else moves the clock.
 *
 * @param {{nowMs: number}} clock
 * @param {(transport: string, trial: number) => Script} scriptOf trial: the number of pairs of this transport so far
 */
export function scriptedHosts(clock, scriptOf) {
  /** @type {string[]} */
  const started = [];
  /** @type {Map<string, number>} */
  const trials = new Map();
  const host = {
    ...{name: 'this host', isRemote: false, report: null, listenAddress: null, brokerAddress: null},
    addressFor: (/** @type {string} */ bound) => bound,
    close: async () => void started.push('closed'),
    /** @template {LineName} Role @param {URL} _script @param {Role} role @param {ProcessSettings} settings */
    async start(_script, role, {words}) {
      const name = String(words).replace(/-(client|server)$/, '');
      started.push(`${name} ${role}`);
      if (role === 'server') trials.set(name, (trials.get(name) ?? 0) + 1);
      return startRole(name, role, clock, scriptOf(name, trials.get(name) ?? 1));
    },
  };
  const list = [host];
  const hosts = {
    clients: list,
    servers: list,
    brokers: list,
    all: list,
    isNetworked: false,
    placement: free,
    close: host.close,
  };
  return {hosts: /** @type {Hosts} */ (/** @type {unknown} */ (hosts)), started};
}

/** @type {Map<string, {onRequest: OnRequest, die: (error: Error) => void}>} */
const servers = new Map();

/**
 * @template {LineName} Role
 * @param {string} name of the transport
 * @param {Role} role
 * @param {{nowMs: number}} clock
 * @param {Script} script
 * @returns {RoleProcess<Role>}
 */
function startRole(name, role, clock, script) {
  const child = Object.assign(new EventEmitter(), {
    ...{stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough()},
    kill: () => true,
  });
  const life = new AbortController();
  const transport = transportNamed(name);
  const running = runUnderControl(
    (own) =>
      role === 'client'
        ? runClient(own, transport, (options) => connect(options, clock, script))
        : runServer(own, transport, (_options, onRequest) => serve(name, onRequest)),
    {input: child.stdin, output: makeOutput('ndjson', transport.name, child.stdout), life},
  );
  running.then((code) => child.emit('close', code, null));
  return new RoleProcess(/** @type {any} */ (child), role);
}

/** @param {string} name @param {OnRequest} onRequest @returns {Promise<Server>} */
async function serve(name, onRequest) {
  const address = `${name}:1`;
  /** @type {(error: Error) => void} */
  let die = () => {};
  const closed = /** @type {Promise<void>} */ (
    new Promise((_resolve, reject) => {
      die = reject;
    })
  );
  closed.catch(() => {});
  servers.set(address, {onRequest, die});
  return {address, closed, close: async () => void servers.delete(address)};
}

/**
 * @param {any} options
 * @param {{nowMs: number}} clock
 * @param {Script} script
 * @returns {Promise<Client>}
 */
async function connect(options, clock, {latencyMs, outcomeOf = () => 'reply', onConnect}) {
  const [address] = options.servers;
  onConnect?.(options);
  let requests = 0;
  const request = async (/** @type {Buffer} */ payload) => {
    requests += 1;
    clock.nowMs += latencyMs(requests);
    const outcome = outcomeOf(requests);
    const server = servers.get(address);
    if (outcome === 'death of the server' || !server) {
      server?.die(new RunError('The server lost its port.', {code: 'PB_LISTEN'}));
      return new Promise(() => {});
    }
    const reply = await answerOf(server.onRequest, payload);
    return outcome === 'reply' ? reply : Buffer.alloc(reply.length);
  };
  return {
    closed: new Promise(() => {}),
    close: async () => {},
    request,
    ask: (payload, waiting) =>
      void request(payload).then(
        (reply) => waiting.resolve(reply),
        (error) => waiting.reject(error),
      ),
  };
}

/** @param {OnRequest} onRequest @param {Buffer} payload @returns {Promise<Buffer>} */
function answerOf(onRequest, payload) {
  return new Promise((resolve) => {
    const end = (/** @type {Buffer | undefined} */ chunk) => resolve(Buffer.from(chunk ?? ''));
    onRequest(payload, {write: () => true, drained: async () => {}, end});
  });
}

/**
 * Replaces what the scheduler of Linux says of this process: it runs for 10 ms between two readings, and a test sets how long it waits for a core.
 * Other processes are not seen, as in a container.
 */
export function scriptScheduler() {
  const main = {cpuMs: 0, runDelayMs: 0};
  const read = fs.readFileSync;
  // Not mock.method: it keeps a record of each of the many calls, with a stack.
  fs.readFileSync = /** @type {any} */ (
    (/** @type {any[]} */ ...parameters) => {
      if (parameters[0] === '/proc/stat') return '';
      if (parameters[0] === '/proc/1/stat') throw new Error('not seen');
      if (parameters[0] !== '/proc/self/schedstat') return /** @type {any} */ (read)(...parameters);
      main.cpuMs += 10;
      return `${main.cpuMs * 1e6} ${main.runDelayMs * 1e6} 1\n`;
    }
  );
  syncBuiltinESMExports();
  return main;
}

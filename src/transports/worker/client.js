import {execFile} from 'node:child_process';
import {once} from 'node:events';
import {readFileSync} from 'node:fs';
import {connect as connectSocket} from 'node:net';
import {promisify} from 'node:util';
import {MessageChannel, Worker} from 'node:worker_threads';
import {RunError} from '../../errors.js';
import {splitAddress} from '../../net/address.js';
import {bounded} from '../../net/bounded.js';
import {PendingReplies, promised} from '../pending-replies.js';
import {readOffer, refuseOtherSystems, sendOffer} from '../same-host/meeting.js';

/**
 * @import {Socket} from 'node:net'
 * @import {MessagePort} from 'node:worker_threads'
 * @import {WorkerSettings} from './index.js'
 * @import {ThreadSettings} from './thread.js'
 * @import {Client, ConnectSettings} from '../transport.js'
 */

const label = 'Worker thread';
const endedMessage = `The ${label} server ended.`;

/**
 * Starts the thread that answers, and connects to the server process, whose cores the thread uses.
 * @param {ConnectSettings & WorkerSettings & {answer?: string}} options
 * @returns {Promise<Client>}
 */
export async function connect({servers, correlation, greetingMs, answer, workerTransfer}) {
  refuseOtherSystems(label);
  const isTransferred = workerTransfer === 'transfer';
  const socket = connectSocket({...splitAddress(servers[0]), noDelay: true});
  // Before the connection is open, an error rejects the wait for it.
  socket.on('error', () => {});
  const {port1: port, port2} = new MessageChannel();
  /** @type {Worker | null} */
  let thread = null;
  const end = async () => {
    socket.destroy();
    port.close();
    await thread?.terminate();
  };
  try {
    await bounded(once(socket, 'connect'), greetingMs);
    thread = startThread({port: port2, answer, isTransferred});
    await bounded(place(thread, socket), greetingMs);
  } catch (error) {
    await end();
    throw withAdvice(/** @type {Error} */ (socket.errored ?? error));
  }
  const pending = new PendingReplies(endedMessage, correlation);
  port.on('message', (/** @type {Uint8Array} */ {buffer, byteOffset, byteLength}) =>
    pending.take(Buffer.from(buffer, byteOffset, byteLength)),
  );
  const fail = (/** @type {Error | null} */ error) => {
    pending.fail(error ?? undefined);
    end();
  };
  socket.on('close', () => fail(socket.errored));
  thread.on('error', fail).on('exit', () => fail(null));
  const post = isTransferred ? postMoved : postCloned;
  /** @type {Client['ask']} */
  const ask = (payload, waiting) => {
    pending.add(payload, waiting);
    post(port, payload);
  };
  return {
    ask,
    request: promised(ask),
    closed: pending.closed,
    async close() {
      pending.finish();
      await end();
    },
  };
}

/** @param {ThreadSettings} settings */
function startThread(settings) {
  return new Worker(new URL('./thread.js', import.meta.url), {
    workerData: settings,
    transferList: [settings.port],
  });
}

const execute = promisify(execFile);

/**
 * Reports the thread to the server, and moves the thread to the cores of the server's main thread. Otherwise, the thread would share a core
 * with its client.
 * @param {Worker} thread @param {Socket} socket
 * @throws {RunError} PB_NO_CONNECTION when the server is on another host, or sends an invalid line
 */
async function place(thread, socket) {
  const [number] = await once(thread, 'message');
  sendOffer(socket, {pid: process.pid, thread: number}, 0);
  const {offer} = await readOffer(socket, label);
  const cores = coresOf(`/proc/${offer.pid}`);
  if (cores !== coresOf(`/proc/self/task/${number}`))
    await execute('taskset', ['-c', '-p', cores, String(number)]).catch(({message}) => {
      throw new RunError(`The thread could not be placed on core ${cores}: ${message.trim()}`);
    });
  if (socket.destroyed) throw new RunError(endedMessage, {code: 'PB_CONNECTION_LOST'});
}

/** @param {string} folder of a process or a thread @returns {string} a core list for `taskset -c` */
function coresOf(folder) {
  return /^Cpus_allowed_list:\s*(\S+)$/m.exec(readFileSync(`${folder}/status`, 'utf8'))?.[1] ?? '';
}

/** Adds advice to ECONNREFUSED, and keeps its code, because the caller then waits for the server. @param {NodeJS.ErrnoException} error */
function withAdvice(error) {
  if (error.code !== 'ECONNREFUSED') return error;
  const {code, message} = /** @type {AggregateError & {code: string}} */ (error).errors?.[0] ?? error;
  const advised = `${message}. A thread of the client answers, on the cores of a server process: start one with npx perf-battle serve worker`;
  return Object.assign(new Error(advised, {cause: error}), {code});
}

/**
 * Posts a clone. The payload is copied first if it is a view, because a clone contains the whole memory of a view, such as Node.js's pool
 * of small buffers.
 * @param {MessagePort} port @param {Buffer} payload
 */
function postCloned(port, payload) {
  port.postMessage(payload.byteLength === payload.buffer.byteLength ? payload : new Uint8Array(payload));
}

/** Transfers a copy, because the caller sends its payload again. @param {MessagePort} port @param {Buffer} payload */
function postMoved(port, payload) {
  const copy = new Uint8Array(payload);
  port.postMessage(copy, [copy.buffer]);
}

import {readlinkSync} from 'node:fs';
import {basename} from 'node:path';
import {parentPort, workerData} from 'node:worker_threads';

/** @import {MessagePort} from 'node:worker_threads' */

/**
 * The thread that answers the requests of its client.
 * @typedef {{port: MessagePort, answer: string | undefined, isTransferred: boolean}} ThreadSettings
 */

/** @type {ThreadSettings} */
const {port, answer, isTransferred} = workerData;

const answerTo = answer === 'increment' ? increment : echo;

// The memory of a request belongs to this thread, so the thread answers in the same memory.
port.on(
  'message',
  isTransferred
    ? (request) => port.postMessage(answerTo(request), [request.buffer])
    : (request) => port.postMessage(answerTo(request)),
);
// The link of proc_thread-self(5) is PID/task/TID.
parentPort?.postMessage(Number(basename(readlinkSync('/proc/thread-self'))));

/** @param {Uint8Array} request */
function echo(request) {
  return request;
}

/** @param {Uint8Array} request */
function increment(request) {
  for (let index = 0; index < request.length; index += 1) request[index] += 1;
  return request;
}

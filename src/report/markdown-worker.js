import {parentPort} from 'node:worker_threads';
import {UsageError} from '../errors.js';
import {edits} from './markdown-edits.js';

/** Runs one edit in a thread. The main thread terminates the thread when the edit takes too long. */

/** @import {Task} from './markdown-edits.js' */

parentPort?.once('message', (/** @type {Task} */ {name, given, markdown}) => {
  try {
    parentPort?.postMessage({done: edits[name](/** @type {any} */ (given), markdown)});
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    parentPort?.postMessage({refused: error.message});
  }
});
parentPort?.postMessage({ready: true});

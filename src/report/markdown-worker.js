import {parentPort} from 'node:worker_threads';
import {UsageError} from '../errors.js';
import {edits} from './markdown-edits.js';

/** A thread that does one edit. The main thread ends it when that takes too long. */

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

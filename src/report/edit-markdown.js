import {once} from 'node:events';
import {Worker} from 'node:worker_threads';
import {RunError, UsageError} from '../errors.js';
import {maskPassword} from '../files/quote.js';
import {updateFile} from '../files/writable-file.js';
import {TimeLimitError, untilAborted, within} from '../measure/bounds.js';
import {costOfMarkdown} from './reduce-markdown.js';

/**
 * @import {CellRecord} from '../results/record-schema.js'
 * @import {Edits, Task} from './markdown-edits.js'
 */

/** @typedef {{ready?: boolean, done?: any, refused?: string}} Answer */

const worker = new URL('./markdown-worker.js', import.meta.url);

/** The limit for an edit, which reads the text several times. */
const maxEditMs = 6000;
const maxCheckMs = 1500;

/**
 * Edits a markdown text. The parser takes minutes for some texts of a few kB and cannot be interrupted. A text that may take long is
 * therefore edited in another thread, with a time limit.
 * @template {keyof Edits} Name @param {Name} name @param {Parameters<Edits[Name]>[0]} given
 * @param {{path: string, markdown: string, signal?: AbortSignal | undefined, maxMs?: number}} text path: for messages
 * @returns {Promise<ReturnType<Edits[Name]>>} @throws {UsageError} the error of the edit
 * @throws {RunError} when the edit takes too long @throws the signal's reason
 */
export async function editMarkdown(name, given, {path, markdown, signal, maxMs = maxEditMs}) {
  const {isHigh, line} = costOfMarkdown(markdown);
  if (isHigh) return await editInThread({name, given, markdown}, {path, line, maxMs, signal: signal ?? null});
  const {edits} = await import('./markdown-edits.js');
  return /** @type {any} */ (edits[name](/** @type {any} */ (given), markdown));
}

/**
 * Rejects a markdown text whose edit would take too long.
 * @param {string} path @param {string} markdown @param {AbortSignal} [signal] @throws {RunError}
 */
export async function refuseSlowMarkdown(path, markdown, signal) {
  if (costOfMarkdown(markdown).isHigh)
    await editMarkdown('none', {}, {path, markdown, signal, maxMs: maxCheckMs});
}

/** @param {Task} task @param {{path: string, line: number, maxMs: number, signal: AbortSignal | null}} bound */
async function editInThread(task, {path, line, maxMs, signal}) {
  const thread = new Worker(worker, {resourceLimits: {maxOldGenerationSizeMb: 1024}});
  const next = async (/** @type {AbortSignal} */ soon) => {
    const [answer] = await untilAborted(once(thread, 'message'), soon);
    return /** @type {Answer} */ (answer);
  };
  try {
    await within(Number.POSITIVE_INFINITY, signal, next);
    thread.postMessage(task);
    const {done, refused} = await within(maxMs, signal, next);
    if (refused !== undefined) throw new UsageError(refused);
    return done;
  } catch (error) {
    const {code} = /** @type {NodeJS.ErrnoException} */ (error);
    if (!(error instanceof TimeLimitError) && code !== 'ERR_WORKER_OUT_OF_MEMORY') throw error;
    throw new RunError(
      `${maskPassword(path)} takes too long to read as markdown. The reason is probably line ${line}, or what is around it: quotations or lists that are too deep in each other, or too many characters such as * and [. Simplify it, or name another file.`,
      {cause: error},
    );
  } finally {
    await thread.terminate();
  }
}

/**
 * Appends the completed cells of a battle to the results file.
 * @param {string} path @param {readonly CellRecord[]} records
 * @param {{others: readonly CellRecord[], onlyMissing: boolean, signal: AbortSignal}} how others: of earlier battles, whose rows the file has;
 *   onlyMissing: skip rows that the file already has; signal: ends the edit, and the wait while another battle locks the file
 * @returns {Promise<number>} the number of appended rows @throws {RunError} when the file cannot be written; the journal has the records
 */
export async function appendToResults(path, records, {others, onlyMissing, signal}) {
  let appended = 0;
  const append = async (/** @type {string} */ markdown) => {
    const given = {records, others, onlyMissing};
    const edited = await editMarkdown('rows', given, {path, markdown, signal});
    appended = edited.appended;
    return edited.text;
  };
  await updateFile(path, append, {signal});
  return appended;
}

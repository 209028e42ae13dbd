import {setTimeout as sleep} from 'node:timers/promises';
import {PerfBattleError, RunError} from '../errors.js';
import {TimeLimitError, untilAborted, within} from '../measure/bounds.js';

const retryEveryMs = 200;

/** The error codes of a server that has not started yet. */
const notStartedYet = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
  'EAI_AGAIN',
  'PB_NO_SERVER',
  'PB_NO_GREETING',
]);

/**
 * Connects. Retries for a limited time while the server has not started yet.
 *
 * @template {{close(): Promise<void>}} Connected
 * @param {() => Promise<Connected>} connect
 * @param {{waitMs: number, attemptMs: number, option: string | null, signal: AbortSignal, onWait: (text: string) => void}} patience
 *   attemptMs: how long one attempt may take, as a server may accept a connection and never answer; option: the flag that
 *   sets waitMs; null where none does
 * @returns {Promise<Connected>}
 * @throws {RunError} PB_NO_SERVER when the time is over; any other error immediately
 */
export async function connectPatiently(connect, {waitMs, attemptMs, option, signal, onWait}) {
  const deadline = performance.now() + waitMs;
  let warned = false;
  for (;;) {
    signal.throwIfAborted();
    try {
      return await inTime(attemptMs, connect(), signal);
    } catch (error) {
      signal.throwIfAborted();
      if (!notStartedYet.has(/** @type {NodeJS.ErrnoException} */ (error).code ?? '')) throw explain(error);
      if (performance.now() + retryEveryMs > deadline) throw noServer(error, {waitMs, option});
    }
    if (!warned) onWait(`the server is not available yet; waiting up to ${waitMs / 1000} s for it`);
    warned = true;
    await sleep(retryEveryMs, undefined, {signal});
  }
}

/**
 * @template {{close(): Promise<void>}} Connected is closed when it comes too late
 * @param {number} ms
 * @param {Promise<Connected>} opening
 * @param {AbortSignal} signal
 * @returns {Promise<Connected>}
 */
async function inTime(ms, opening, signal) {
  try {
    return await within(ms, signal, (soon) => untilAborted(opening, soon));
  } catch (error) {
    opening.then((connected) => connected.close()).catch(() => {});
    if (!(error instanceof TimeLimitError)) throw error;
    throw new RunError(`no answer within ${ms / 1000} s`, {code: 'PB_NO_GREETING'});
  }
}

/** A sentence for an error that waiting does not fix. @param {unknown} error */
function explain(error) {
  if (error instanceof PerfBattleError) return error;
  const {message} = /** @type {Error} */ (error);
  return new RunError(`The connection failed: ${message}.`, {code: 'PB_NO_CONNECTION', cause: error});
}

/**
 * Whether the server accepted the connection and did not answer in time.
 * @param {unknown} error of `connectPatiently`
 */
export function isUnanswered(error) {
  return /** @type {{cause?: {code?: string}}} */ (error).cause?.code === 'PB_NO_GREETING';
}

/**
 * @param {unknown} cause a failure to connect to a name with several addresses holds one error for each
 * @param {{waitMs: number, option: string | null}} patience
 */
function noServer(cause, {waitMs, option}) {
  const errors = cause instanceof AggregateError ? cause.errors : [cause];
  const message = errors.map((error) => error.message).join('; ');
  const waited = waitMs > 0 ? ` within ${waitMs / 1000} s${option ? ` (${option})` : ''}` : '';
  return new RunError(`No server could be reached${waited}: ${message}`, {code: 'PB_NO_SERVER', cause});
}

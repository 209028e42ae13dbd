import {setTimeout as sleep} from 'node:timers/promises';
import {PerfBattleError, RunError} from '../errors.js';

const retryEveryMs = 200;

/** What it looks like when a server is not up yet. */
const notUpYet = new Set([
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
 * Connects, waiting for a server that is not up yet as long as it may take.
 *
 * @template {{close(): Promise<void>}} Connected
 * @param {() => Promise<Connected>} connect
 * @param {{waitMs: number, attemptMs: number, option: string, signal: AbortSignal, onWait: (text: string) => void}} patience
 *   attemptMs: how long one attempt may take, for somebody may accept a connection and never say a word; option: what sets waitMs
 * @returns {Promise<Connected>}
 * @throws {RunError} PB_NO_SERVER when the time is over; any other error at once
 */
export async function connectPatiently(connect, {waitMs, attemptMs, option, signal, onWait}) {
  const deadline = performance.now() + waitMs;
  let told = false;
  for (;;) {
    signal.throwIfAborted();
    try {
      return await within(attemptMs, connect(), signal);
    } catch (error) {
      signal.throwIfAborted();
      if (!notUpYet.has(/** @type {NodeJS.ErrnoException} */ (error).code ?? '')) throw explain(error);
      if (performance.now() + retryEveryMs > deadline) throw noServer(error, {waitMs, option});
    }
    if (!told) onWait(`no server is there yet; waiting up to ${waitMs / 1000} s for it`);
    told = true;
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
async function within(ms, opening, signal) {
  const over = new AbortController();
  const late = sleep(ms, undefined, {signal: AbortSignal.any([signal, over.signal])}).then(() => {
    throw new RunError(`no answer within ${ms / 1000} s`, {code: 'PB_NO_GREETING'});
  });
  try {
    return await Promise.race([opening, late]);
  } catch (error) {
    opening.then((connected) => connected.close()).catch(() => {});
    throw error;
  } finally {
    over.abort();
    late.catch(() => {});
  }
}

/** What waiting does not mend, as a sentence for a person. @param {unknown} error */
function explain(error) {
  if (error instanceof PerfBattleError) return error;
  const {message} = /** @type {Error} */ (error);
  return new RunError(`No connection could be made: ${message}.`, {code: 'PB_NO_CONNECTION', cause: error});
}

/**
 * Whether somebody is there, who did not answer in time.
 * @param {unknown} error of `connectPatiently`
 */
export function isUnanswered(error) {
  return /** @type {any} */ (error)?.cause?.code === 'PB_NO_GREETING';
}

/**
 * @param {unknown} cause a failure to connect to a name with several addresses holds one error for each
 * @param {{waitMs: number, option: string}} patience
 */
function noServer(cause, {waitMs, option}) {
  const errors = cause instanceof AggregateError ? cause.errors : [cause];
  const message = errors.map((error) => error.message).join('; ');
  const waited = waitMs > 0 ? ` within ${waitMs / 1000} s (${option})` : '';
  return new RunError(`No server could be reached${waited}: ${message}`, {code: 'PB_NO_SERVER', cause});
}

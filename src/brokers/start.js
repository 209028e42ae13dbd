/**
 * What all steps of a private node's start share: waiting for an answer, and the error when there is none.
 */
import {setTimeout as sleep} from 'node:timers/promises';
import {UnavailableError} from '../errors.js';
import {untilAborted} from '../measure/bounds.js';

const POLL_MS = 50;

/**
 * Tries until it succeeds. Only the signal bounds it, also while an attempt hangs.
 * @template T
 * @param {AbortSignal} signal ends the polling; the promise rejects with its reason
 * @param {() => Promise<T>} attempt
 * @returns {Promise<T>}
 */
export async function poll(signal, attempt) {
  for (;;) {
    try {
      return await untilAborted(attempt(), signal);
    } catch {
      await sleep(POLL_MS, undefined, {signal}).catch(() => {});
      signal.throwIfAborted();
    }
  }
}

/** @param {string} label of the kind @param {string} reason @returns {UnavailableError} */
export function startFailed(label, reason) {
  return new UnavailableError(`A private ${label} node could not be started: ${reason}`, {
    code: 'PB_BROKER_UNAVAILABLE',
  });
}

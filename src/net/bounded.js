/**
 * Waits for a promise within a time limit.
 * @template T
 * @param {Promise<T>} promise @param {number} timeoutMs @param {AbortSignal} [signal]
 * @throws {NoAnswerError} when the time limit expires; the signal's reason when it aborts
 */
export async function bounded(promise, timeoutMs, signal) {
  /** @type {() => void} */
  let cleanUp = () => {};
  const limit = new Promise((_, reject) => {
    const timer = setTimeout(() => reject(new NoAnswerError(timeoutMs)), timeoutMs);
    const onAbort = () => reject(signal?.reason);
    signal?.addEventListener('abort', onAbort, {once: true});
    cleanUp = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
    };
  });
  try {
    return await /** @type {Promise<T>} */ (Promise.race([promise, limit]));
  } finally {
    cleanUp();
  }
}

/** The peer has accepted a connection and has not answered. */
export class NoAnswerError extends Error {
  /** @param {number} timeoutMs */
  constructor(timeoutMs) {
    super(`no answer within ${timeoutMs / 1000} s`);
    this.code = 'PB_NO_GREETING';
  }
}

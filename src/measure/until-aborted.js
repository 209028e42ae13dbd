/**
 * @template Value
 * @param {Promise<Value>} event
 * @param {AbortSignal} signal
 * @returns {Promise<Value>}
 * @throws what the event rejects with, or the signal's reason when that comes first
 */
export async function untilAborted(event, signal) {
  let onAbort = () => {};
  /** @type {Promise<never>} */
  const aborted = new Promise((_, reject) => {
    onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, {once: true});
  });
  try {
    return await Promise.race([event, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

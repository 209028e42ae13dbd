/**
 * @template Value
 * @param {Promise<Value>} event
 * @param {AbortSignal} signal
 * @returns {Promise<Value>}
 * @throws the event's error, or the signal's reason if the signal comes first
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

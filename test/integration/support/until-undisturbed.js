/**
 * What else a machine does can spoil a test of times: then all of it is done again, a few times.
 * @template Result
 * @param {() => Promise<Result>} action
 * @param {number} [most] attempts
 * @returns {Promise<Result>}
 * @throws what the last attempt ended with
 */
export async function untilUndisturbed(action, most = 6) {
  for (let attempt = 1; attempt < most; attempt += 1) {
    try {
      return await action();
    } catch {
      // The next may be left in peace.
    }
  }
  return action();
}

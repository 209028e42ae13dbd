/**
 * What else a machine does can spoil times: then they are measured again, a few times. What must hold of every measurement is asserted while
 * measuring.
 * @template Result
 * @param {() => Promise<Result>} measure
 * @param {(result: Result) => void} check of times alone
 * @param {number} [most] attempts
 * @throws what the measuring ended with, or the last check
 */
export async function untilUndisturbed(measure, check, most = 6) {
  for (let attempt = 1; ; attempt += 1) {
    const result = await measure();
    try {
      return check(result);
    } catch (error) {
      if (attempt === most) throw error;
    }
  }
}

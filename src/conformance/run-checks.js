/**
 * The result of a check. The text says what was observed (`held`), what is wrong (`failed`), or why the check was not made (`skipped`).
 * @typedef {{name: string, outcome: 'held' | 'failed' | 'skipped', text: string}} Finding
 */

/**
 * A requirement on the server and the client of a transport, or on two programs.
 * @template Pair
 * @typedef {object} Check
 * @property {string} name describes correct behaviour
 * @property {boolean} [isFirst] the other checks are skipped if this check fails
 * @property {(pair: Pair) => Promise<string>} run resolves with a sentence on what was observed; rejects with what is wrong, or with `NotChecked`
 */

/** The pair does not support the subject of a check. */
export class NotChecked extends Error {}

/**
 * Makes each check with a new pair.
 * @template {{close: () => Promise<void>}} Pair @template {Check<Pair>} OneCheck
 * @param {readonly OneCheck[]} checks @param {object} means @param {() => Pair} means.open
 * @param {(check: OneCheck, previous: Pair | null) => string | null} means.whyNot the reason to skip a check, or null; previous: the pair of the check before
 * @param {(error: Error) => string} [means.describe] @param {AbortSignal} [means.signal]
 * @returns {AsyncGenerator<Finding>} @throws when the signal aborts
 */
export async function* runChecks(checks, {open, whyNot, describe = ({message}) => message, signal}) {
  /** The name of the first check if it failed. @type {string | null} */
  let broken = null;
  /** @type {Pair | null} */
  let previous = null;
  for (const check of checks) {
    const {name, isFirst = false, run} = check;
    const why = broken === null ? whyNot(check, previous) : `not before this holds: ${broken}`;
    if (why !== null) {
      yield {name, outcome: 'skipped', text: why};
      continue;
    }
    const pair = open();
    previous = pair;
    try {
      yield {name, outcome: 'held', text: await run(pair)};
    } catch (error) {
      signal?.throwIfAborted();
      const isSkipped = error instanceof NotChecked;
      if (isFirst && !isSkipped) broken = name;
      yield {name, outcome: isSkipped ? 'skipped' : 'failed', text: describe(/** @type {Error} */ (error))};
    } finally {
      await pair.close();
    }
  }
}

/**
 * What a check found: `held` with what was seen, `failed` with what is wrong, or `skipped` with why it was not made.
 * @typedef {{name: string, outcome: 'held' | 'failed' | 'skipped', text: string}} Finding
 */

/**
 * One thing that a server and a client must do, of a transport or of programs.
 * @template Pair
 * @typedef {object} Check
 * @property {string} name what it does if it is right
 * @property {boolean} [isFirst] the others make no sense for a pair that fails it
 * @property {(pair: Pair) => Promise<string>} run resolves with what was seen, for a person; rejects with what is wrong, or with `NotChecked`
 */

/** A pair said that it cannot do what a check is about. */
export class NotChecked extends Error {}

/**
 * Makes each check with a new pair.
 * @template {{close: () => Promise<void>}} Pair
 * @template {Check<Pair>} OneCheck
 * @param {readonly OneCheck[]} checks @param {object} means @param {() => Pair} means.open
 * @param {(check: OneCheck, previous: Pair | null) => string | null} means.whyNot why a check cannot be made; null: it can; previous: the last pair
 * @param {(error: Error) => string} [means.describe] @param {AbortSignal} [means.signal]
 * @returns {AsyncGenerator<Finding>} @throws when the signal aborts
 */
export async function* runChecks(checks, {open, whyNot, describe = ({message}) => message, signal}) {
  /** The first check, if it failed. @type {string | null} */
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

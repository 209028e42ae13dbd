/**
 * Whether the tests run again and again while somebody works: what is drawn at random, or tried for each of many cases, is tried less often, and what
 * takes long and rarely fails is left to the whole run.
 */
export const isQuick = process.env.TEST_EFFORT === 'quick';

/**
 * @template T
 * @param {readonly T[]} cases that are much alike
 * @param {number} [every]
 * @returns {readonly T[]} those to try
 */
export function someOf(cases, every = 8) {
  return isQuick ? cases.filter((_, index) => index % every === 0) : cases;
}

/** @param {number} usual @returns {number} how often to try something */
export function runsOf(usual) {
  return isQuick ? Math.max(3, Math.ceil(usual / 10)) : usual;
}

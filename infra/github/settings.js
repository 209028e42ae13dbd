import {oneOf, variable} from './workflow.js';

/** Where the records of the default branch are kept. */
const baselines = /** @type {const} */ (['branch', 'artifact', 'none']);

/** @returns {typeof baselines[number]} */
export function baselineKind() {
  return oneOf('baseline', baselines);
}

/**
 * The name of this use of the action: of its journal, its artifact and its comment.
 * @returns {string}
 * @throws {Error} when it cannot be the name of a file
 */
export function useName() {
  const name = variable('NAME');
  if (/^[a-z\d][\w.-]{0,63}$/i.test(name)) return name;
  throw new Error(
    `The input name must be at most 64 letters, digits and . _ -, and is ${JSON.stringify(name)}`,
  );
}

/** @returns {string} */
export function artifactName() {
  return `perf-battle-${useName()}`;
}

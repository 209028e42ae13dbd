import {setTimeout as sleep} from 'node:timers/promises';

const maxDepth = 8;

/**
 * What the broker answered, by the name that the protocol gives it.
 * @param {unknown} error of the library, which wraps errors
 * @param {number} [depth]
 * @returns {string | null} null: it is an error of another kind, such as that of a connection
 */
export function answerOf(error, depth = 0) {
  if (!(error instanceof Error) || depth === maxDepth) return null;
  const {apiId, errors = [], cause} = /** @type {Error & {apiId?: string, errors?: unknown[]}} */ (error);
  if (typeof apiId === 'string') return apiId;
  for (const inner of [...errors, cause]) {
    const found = answerOf(inner, depth + 1);
    if (found !== null) return found;
  }
  return null;
}

const retryMs = 20;

/**
 * Asks what the coordinator of a group answers. A broker makes the topic of offsets when the first group is asked for, and reads it when it starts.
 * @template Answer
 * @param {() => Promise<Answer>} question
 * @returns {Promise<Answer>} the wait has no bound of its own
 */
export async function whenCoordinated(question) {
  for (;;) {
    try {
      return await question();
    } catch (error) {
      if (!/COORDINATOR/.test(answerOf(error) ?? '')) throw error;
      await sleep(retryMs);
    }
  }
}

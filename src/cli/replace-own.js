import {UsageError} from '../errors.js';
import {updateFile} from '../files/update-file.js';

/**
 * Writes a file. One that is there is replaced only if it is of the same kind: any other may be somebody's only copy.
 * @param {string} path
 * @param {string} content
 * @param {{beginning: RegExp, kind: string, flag: string, signal: AbortSignal}} how beginning: of a file of that kind; flag: that names another path
 * @throws {UsageError} when it is of another kind
 */
export async function replaceOwn(path, content, {beginning, kind, flag, signal}) {
  const replace = (/** @type {string} */ before) => {
    if (before === '' || beginning.test(before)) return content;
    throw new UsageError(`${path} is not ${kind}, so it is not replaced. Choose another place with ${flag}.`);
  };
  await updateFile(path, replace, {signal});
}

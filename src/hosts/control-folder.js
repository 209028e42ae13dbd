import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {UnavailableError} from '../errors.js';
import {makeOwnedFolder, sweepOwnedFolders} from '../files/folders.js';

const prefix = 'pb-ssh-';
const socketName = 's';
/** A socket's path has at most 103 bytes on every system, and ssh appends 17 characters to that of one which it makes. */
const maxPathBytes = 86;

/**
 * Makes the folder of the sockets by which ssh processes share a connection, in the folder for temporary files. ssh cannot use every path: where that one is too long,
 * it is in /tmp. What killed processes left there is removed.
 * @returns {Promise<{folder: string, socket: string}>} socket: its path, as ssh's options name it
 * @throws {UnavailableError} when no folder can be used
 */
export async function makeControlFolder() {
  let reason = '';
  for (const base of new Set([tmpdir(), '/tmp'])) {
    if (!isUsable(join(base, `${prefix}XXXXXX`, socketName))) continue;
    await sweepOwnedFolders(base, prefix);
    try {
      const folder = await makeOwnedFolder(base, prefix);
      return {folder, socket: join(folder, socketName).replaceAll('%', '%%')};
    } catch (error) {
      reason = `: ${/** @type {Error} */ (error).message}`;
    }
  }
  throw new UnavailableError(
    `ssh needs a folder for its sockets, and neither ${tmpdir()} nor /tmp can be used${reason}. Set TMPDIR to a folder with a short path.`,
    {code: 'PB_HOST_UNAVAILABLE'},
  );
}

/** ssh replaces variables in a path, and nothing escapes them. @param {string} path */
function isUsable(path) {
  return Buffer.byteLength(path) <= maxPathBytes && !path.includes('${');
}

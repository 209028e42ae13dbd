import {mkdir, mkdtemp, readFile, rename, rm} from 'node:fs/promises';
import {homedir} from 'node:os';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';

/** @typedef {{log: (line: string) => void, signal: AbortSignal}} How log: says what takes long */

/** The folder of this program. */
export const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * A folder in ~/.cache/perf-battle/sides, which can be deleted. It is complete when it has its name.
 * @param {string} name
 * @param {(part: string) => Promise<void>} fill is not called if the folder is there. It writes a package.json, too
 * @returns {Promise<string>} its path
 */
export async function keepFolder(name, fill) {
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'perf-battle', 'sides');
  const folder = join(cache, name);
  if (await readFile(join(folder, 'package.json'), 'utf8').catch(() => null)) return folder;
  await mkdir(cache, {recursive: true});
  const part = await mkdtemp(join(cache, 'part-'));
  try {
    await fill(part);
    await rename(part, folder).catch(ignoreExisting);
  } finally {
    await rm(part, {recursive: true, force: true});
  }
  return folder;
}

/** @param {NodeJS.ErrnoException} error */
export function ignoreExisting(error) {
  if (error.code !== 'EEXIST' && error.code !== 'ENOTEMPTY') throw error;
}

import {mkdir, readdir, writeFile} from 'node:fs/promises';
import {delimiter, join} from 'node:path';
import {fileURLToPath} from 'node:url';

/** @import {Workplace} from './workplace.js' */

/** It takes its time, as an install script that compiles does: in a shell with a child of its own, which hears no SIGTERM. */
export const slowNpm = `mkdir -p "$prefix/node_modules/slow"
sh -c 'trap "" TERM; sleep 300 & sleep 301; true'`;

const installedWs = fileURLToPath(new URL('../../../node_modules/ws', import.meta.url));
/** It installs the version of ws that is there. */
export const copyingNpm = `mkdir -p "$prefix/node_modules" && cp -r '${installedWs}' "$prefix/node_modules/ws"`;

/**
 * A program with the name of npm, before the real one on the PATH, and a cache of its own.
 * @param {Workplace} workplace
 * @param {string} body of a script for sh; $prefix is the folder into which it installs
 * @returns {Promise<NodeJS.ProcessEnv>}
 */
export async function withNpm(workplace, body) {
  const folder = workplace.file('bin');
  await mkdir(folder, {recursive: true});
  const script = `#!/bin/sh\nfor word; do [ "$last" = --prefix ] && prefix=$word; last=$word; done\n${body}\n`;
  await writeFile(join(folder, 'npm'), script, {mode: 0o755});
  return {
    PATH: `${folder}${delimiter}${process.env.PATH}`,
    XDG_CACHE_HOME: workplace.file('cache'),
    NODE_DISABLE_COMPILE_CACHE: '1',
  };
}

/** What the cache of sides contains. @param {Workplace} workplace @returns {Promise<string[]>} */
export async function sidesIn(workplace) {
  return await readdir(workplace.file('cache/perf-battle/sides')).catch(() => []);
}

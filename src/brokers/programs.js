import {constants} from 'node:fs';
import {access} from 'node:fs/promises';
import {delimiter, join} from 'node:path';
import {UnavailableError} from '../errors.js';

/** @import {BrokerKind, BrokerSettings} from './kind.js' */

/**
 * Finds the program of a kind, without the library of its clients, which may not be installed.
 * @param {BrokerKind} kind
 * @param {{folders?: string[] | undefined, settings?: BrokerSettings | undefined}} [where] folders: the folders to search;
 *   default: the kind's folders, or those where packages install programs
 * @returns {Promise<string | null>} the absolute path, or null
 * @throws {UnavailableError} when the settings name a program that does not exist
 */
export async function findProgram(kind, {folders, settings} = {}) {
  const places = folders ?? (await kind.programFolders?.(settings)) ?? packageFolders();
  for (const name of [kind.program, ...(kind.otherPrograms ?? [])]) {
    const found = await findExecutable(name, places);
    if (found !== null) return found;
  }
  return null;
}

/** @returns {Promise<string | null>} the absolute path of `setpriv` of util-linux, or null */
export async function findSetpriv() {
  return process.platform === 'linux' ? await findExecutable('setpriv', pathFolders()) : null;
}

/**
 * The error for a program that is not installed on this host, with the command that installs it.
 * @param {KindToInstall} kind
 * @param {string} [tried] the result of an earlier attempt, as a clause
 */
export function notInstalled(kind, tried) {
  const reasons = [...(tried ? [tried] : []), `${kind.program} is not installed on this host`].join(', and ');
  return missing(kind, `${reasons}.`);
}

/**
 * @param {KindToInstall} kind
 * @param {string} what a sentence
 *
 * @typedef {Pick<BrokerKind, 'name' | 'label' | 'program' | 'install' | 'url'>} KindToInstall
 */
export function missing(kind, what) {
  return new UnavailableError(`There is no ${kind.label}: ${what} ${installAdvice(kind)}`, {
    code: 'PB_BROKER_UNAVAILABLE',
  });
}

/** How to install the programs of a kind, as a sentence. @param {KindToInstall} kind */
function installAdvice({name, program, install, url}) {
  if (url === undefined) return `Install it with: npx perf-battle install ${name}`;
  return install === undefined ? `Install ${program}.` : `Install it with: ${install}`;
}

/** @returns {string[]} the folders of PATH and of system programs, which a user's PATH often lacks */
export function pathFolders() {
  const named = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder.startsWith('/'));
  return [...new Set([...named, '/usr/local/sbin', '/usr/sbin', '/sbin', '/usr/bin', '/bin'])];
}

/** @returns {string[]} the folders where packages install programs */
export function packageFolders() {
  return [...pathFolders(), '/usr/local/bin', '/opt/homebrew/bin', '/opt/homebrew/sbin'];
}

/**
 * @param {string} name @param {readonly string[]} folders
 * @returns {Promise<string | null>} the absolute path of the first executable file of this name
 */
export async function findExecutable(name, folders) {
  for (const folder of folders) {
    const file = join(folder, name);
    const isExecutable = await access(file, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isExecutable) return file;
  }
  return null;
}

/**
 * Where the programs of private brokers are installed on this host, and the command that installs them.
 */
import {constants} from 'node:fs';
import {access} from 'node:fs/promises';
import {delimiter, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {UnavailableError} from '../errors.js';
import {quoteForShell} from '../hosts/quote-for-shell.js';

/** @import {BrokerKind} from './kind.js' */

/**
 * The program of a kind.
 * @param {BrokerKind} kind
 * @param {string[]} [folders] where to look for it; default where packages put it
 * @returns {Promise<string | null>} its absolute path, or null
 */
export async function findProgram(kind, folders) {
  return await findExecutable(kind.program, folders ?? (await (await kind.load()).programFolders()));
}

/** @returns {Promise<string | null>} the absolute path of `setpriv` of util-linux, or null */
export async function findSetpriv() {
  return process.platform === 'linux' ? await findExecutable('setpriv', pathFolders()) : null;
}

/**
 * The error when the program is not installed on this host, with the command that installs it.
 * @param {Pick<BrokerKind, 'name' | 'label' | 'program'>} kind
 * @param {string} [tried] what was tried before
 */
export function notInstalled({name, label, program}, tried) {
  const reasons = [...(tried ? [tried] : []), `${program} is not installed on this host`].join(', and ');
  return missing({name, label}, `${reasons}.`);
}

/**
 * @param {Pick<BrokerKind, 'name' | 'label'>} kind
 * @param {string} what a sentence
 */
export function missing({name, label}, what) {
  return new UnavailableError(`There is no ${label}: ${what} Install it with: ${installCommand(name)}`, {
    code: 'PB_BROKER_UNAVAILABLE',
  });
}

/** @param {string} name of a kind */
function installCommand(name) {
  const script = fileURLToPath(new URL(`../../infra/${name}/install.sh`, import.meta.url));
  const quoted = /^[\w./@+-]+$/.test(script) ? script : quoteForShell(script);
  return `${process.getuid?.() === 0 ? '' : 'sudo '}bash ${quoted}`;
}

/** @returns {string[]} the folders of PATH, and those of system programs, which a user's PATH often lacks */
export function pathFolders() {
  const named = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder.startsWith('/'));
  return [...new Set([...named, '/usr/local/sbin', '/usr/sbin', '/sbin', '/usr/bin', '/bin'])];
}

/**
 * @param {string} name
 * @param {readonly string[]} folders
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

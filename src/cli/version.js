import {readFile} from 'node:fs/promises';

/** @returns {Promise<string>} the version of this package */
export async function packageVersion() {
  const text = await readFile(new URL('../../package.json', import.meta.url), 'utf8');
  return JSON.parse(text).version;
}

/** Prints the version of this package. */
export async function printVersion() {
  process.stdout.write(`${await packageVersion()}\n`);
}

import {readFile, writeFile} from 'node:fs/promises';
import {UsageError} from '../errors.js';
import {explainFileError} from '../files/writable-file.js';
import {quote} from '../options/shorten.js';
import {printJson} from '../report/for-programs.js';
import {optionsOfInit} from '../settings/index.js';
import {readFlagsAndWords} from './read-settings.js';

const scenarios = {
  quick: {payload: '1kb', quick: true},
  nightly: {payload: ['1kb', '10kb'], rounds: 10},
};

/** What is written, by file. @type {readonly {path: string, text: () => Promise<string>}[]} */
const files = [
  {path: '.env', text: () => readFile(new URL('../../.env.example', import.meta.url), 'utf8')},
  {path: 'perf-battle.config.json', text: async () => `${JSON.stringify({scenarios}, null, 2)}\n`},
];

/**
 * `perf-battle init`: writes initial settings into the working directory.
 * @param {readonly string[]} commandLine
 * @returns {Promise<number>} the exit code
 */
export async function init(commandLine) {
  const {values, words} = readFlagsAndWords(commandLine, optionsOfInit);
  if (words.length > 0)
    throw new UsageError(`init takes no arguments; it was given ${quote(words[0])}. See --help.`);
  /** @type {{path: string, isWritten: boolean}[]} */
  const done = [];
  for (const {path, text} of files) done.push({path, isWritten: await create(path, await text())});
  if (values.json) {
    printJson({files: done});
    return 0;
  }
  const lines = done.map(({path, isWritten}) =>
    isWritten ? `Written: ${path}` : `${path} exists and stays as it is.`,
  );
  process.stdout.write(`${[...lines, 'Next: npx perf-battle --scenario quick'].join('\n')}\n`);
  return 0;
}

/** @param {string} path @param {string} text @returns {Promise<boolean>} whether there was no such file */
async function create(path, text) {
  try {
    await writeFile(path, text, {flag: 'wx'});
    return true;
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'EEXIST') return false;
    throw explainFileError(path, error);
  }
}

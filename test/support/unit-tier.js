import {readdirSync, statSync} from 'node:fs';
import {join} from 'node:path';
import {after, describe} from 'node:test';
import {pathToFileURL} from 'node:url';
import fc from 'fast-check';
// src/report/terminal.js requires this package, which fails while the import of another file loads the package.
import 'string-width';
import {isQuick, runsOf} from './effort.js';
import {assertKept, guard} from './unit-guard.js';

const folder = join(import.meta.dirname, '..');
/** Whole sessions, simulated battles, timed collections of garbage, and the phrases of all pages: the quick run leaves them to the first tier of `npm test`. */
const slow =
  /^(?:session\/run-session|session\/check-battles|overhead\/verdict|measure\/usage|pages)\.test\.js$/;

/** @returns {string[]} the paths of all unit tests */
export function unitTests() {
  return readdirSync(folder, {recursive: true, encoding: 'utf8'})
    .filter((name) => name.endsWith('.test.js') && !/^(integration|systems)\b/.test(name))
    .filter((name) => !(isQuick && slow.test(name)))
    .toSorted()
    .map((name) => join(folder, name));
}

/**
 * Those that take long are mostly large. The largest, of which each test is short but costly, counts as two.
 * @param {readonly string[]} files
 * @param {0 | 1} half
 */
export function halfOf(files, half) {
  const bySize = files
    .map((file) => ({file, bytes: statSync(file).size}))
    .toSorted((one, other) => other.bytes - one.bytes);
  const isFirst = (/** @type {number} */ index) => index > 0 && [0, 3].includes(index % 4);
  return bySize.filter((_, index) => isFirst(index) === (half === 0)).map(({file}) => file);
}

/**
 * Runs unit tests in this process: to start one for each file would take more than twice the time. Each file is a suite, so hooks are of that file
 * alone.
 * @param {readonly string[]} files
 */
export function runUnitTests(files) {
  if (isQuick) fc.configureGlobal({numRuns: runsOf(100)});
  guard();
  for (const file of files) {
    const name = file.startsWith(folder) ? file.slice(folder.length + 1) : file;
    describe(name, async () => {
      after(() => assertKept(name));
      await import(pathToFileURL(file).href);
    });
  }
}

import {readdirSync} from 'node:fs';
import {join, resolve} from 'node:path';
import {after, describe} from 'node:test';
import {pathToFileURL} from 'node:url';
import {assertKept, guard} from './support/unit-guard.js';

/**
 * Runs all unit tests, or the given files, in one process: to start one for each file would take more than twice the time. Each file is a suite,
 * so hooks are of that file alone.
 */
const folder = import.meta.dirname;
const all = readdirSync(folder, {recursive: true, encoding: 'utf8'})
  .filter((name) => name.endsWith('.test.js') && !/^(integration|systems)\b/.test(name))
  .toSorted();
const given = process.argv.slice(2);

guard();
for (const name of given.length > 0 ? given : all) {
  describe(name, async () => {
    after(() => assertKept(name));
    await import(pathToFileURL(given.length > 0 ? resolve(name) : join(folder, name)).href);
  });
}

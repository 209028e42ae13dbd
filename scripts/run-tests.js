#!/usr/bin/env node
import {setMaxListeners} from 'node:events';
import {readdirSync, statSync} from 'node:fs';
import {join} from 'node:path';
import {run} from 'node:test';
import {spec} from 'node:test/reporters';

/**
 * Runs all test files, five at once, because several of the long ones mostly wait. Those of test/integration come first, the largest before the
 * others, and then the many short unit tests, which keep all cores busy until the end. `node --test` sorts its files by name, in whatever order
 * they are given.
 */
const folder = join(import.meta.dirname, '../test');
const files = readdirSync(folder, {recursive: true, encoding: 'utf8'})
  // What test:systems needs is in no package registry.
  .filter((name) => name.endsWith('.test.js') && !name.startsWith('systems'))
  .map((name) => ({
    path: join(folder, name),
    isUnit: !name.startsWith('integration'),
    bytes: statSync(join(folder, name)).size,
  }))
  .toSorted((one, other) => Number(one.isUnit) - Number(other.isUnit) || other.bytes - one.bytes)
  .map(({path}) => path);

/** A file that hangs fails. The longest takes some four minutes. */
const timeout = 900_000;

const life = new AbortController();
// Each file listens.
setMaxListeners(0, life.signal);
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']))
  process.on(signal, () => life.abort());

run({files, concurrency: 5, timeout, signal: life.signal})
  .on('test:fail', () => {
    process.exitCode = 1;
  })
  .compose(new spec())
  .pipe(process.stdout);

#!/usr/bin/env node
import {setMaxListeners} from 'node:events';
import {readdirSync, statSync} from 'node:fs';
import {join} from 'node:path';
import {run} from 'node:test';
import {spec} from 'node:test/reporters';

/**
 * Runs all tests, five files at once, because several of the long ones mostly wait. Those that take long come first, so that none of them is left
 * alone at the end: the largest, and small ones that run large programs. All unit tests are one file of them.
 * `node --test` sorts its files by name, in whatever order they are given.
 */
const folder = join(import.meta.dirname, '../test');
const runLargePrograms = /\/(?:bench|torture)\.test\.js$/;
const sizeOf = (/** @type {string} */ file) =>
  runLargePrograms.test(file) ? Number.POSITIVE_INFINITY : statSync(file).size;
const files = readdirSync(join(folder, 'integration'), {recursive: true, encoding: 'utf8'})
  .filter((name) => name.endsWith('.test.js'))
  .map((name) => join(folder, 'integration', name))
  .toSorted((one, other) => (sizeOf(one) < sizeOf(other) ? 1 : -1));
files.unshift(join(folder, 'unit-tier.js'));

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

#!/usr/bin/env node
import {readdirSync, statSync} from 'node:fs';
import {join} from 'node:path';
import {run} from 'node:test';
import {spec} from 'node:test/reporters';

/**
 * Runs all test files, four at once, the largest first: a long one that starts last would keep only one core busy. `node --test` sorts its
 * files by name, in whatever order they are given.
 */
const folder = join(import.meta.dirname, '../test');
const files = readdirSync(folder, {recursive: true, encoding: 'utf8'})
  .filter((name) => name.endsWith('.test.js'))
  .map((name) => join(folder, name))
  .map((path) => ({path, bytes: statSync(path).size}))
  .toSorted((one, other) => other.bytes - one.bytes)
  .map(({path}) => path);

const life = new AbortController();
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']))
  process.on(signal, () => life.abort());

run({files, concurrency: 4, signal: life.signal})
  .on('test:fail', ({todo}) => {
    if (todo === undefined || todo === false) process.exitCode = 1;
  })
  .compose(new spec())
  .pipe(process.stdout);

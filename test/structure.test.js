import assert from 'node:assert/strict';
import {readdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {test} from 'node:test';
import {fileURLToPath} from 'node:url';

const source = fileURLToPath(new URL('../src/', import.meta.url));

/** What each room may import from besides itself; `errors` everybody may. A pair's script stands at the top: `pair`. */
const allowed = {
  cli: [
    'battle',
    'brokers',
    'ec2',
    'exports',
    'files',
    'hosts',
    'options',
    'payload',
    'presets',
    'report',
    'results',
    'session',
    'settings',
    'transports',
  ],
  session: ['battle', 'cli', 'exports', 'hosts', 'options', 'presets', 'report', 'results', 'settings'],
  battle: [
    'hosts',
    'measure',
    'options',
    'payload',
    'presets',
    'results',
    'settings',
    'stats',
    'transports',
    'verdict',
    'workloads',
  ],
  brokers: ['hosts', 'measure', 'transports'],
  ec2: ['battle', 'cli', 'files', 'hosts', 'options', 'report', 'results', 'session', 'settings'],
  exports: ['files', 'payload', 'report'],
  presets: ['measure', 'results'],
  hosts: ['transports'],
  verdict: ['stats'],
  // How a record's parts are shown is the workload's to say.
  report: ['battle', 'files', 'payload', 'results', 'stats', 'workloads'],
  results: ['files', 'payload', 'stats'],
  pair: ['payload', 'roles', 'transports'],
  roles: ['measure', 'options', 'payload', 'settings', 'stats', 'transports', 'workloads'],
  workloads: ['measure', 'options', 'payload', 'stats'],
  measure: ['stats'],
  settings: ['measure', 'options', 'payload', 'presets', 'transports', 'workloads'],
  options: ['payload'],
  transports: ['options', 'payload'],
  payload: [],
  stats: [],
  files: [],
};

/** @param {string} path relative to src */
function roomOf(path) {
  if (path === 'errors.js') return 'errors';
  return path.includes('/') ? path.slice(0, path.indexOf('/')) : 'pair';
}

const files = readdirSync(source, {recursive: true, encoding: 'utf8'}).filter((path) => path.endsWith('.js'));

/** Imports that run; those in comments are types. @param {string} path */
function importsOf(path) {
  const code = readFileSync(join(source, path), 'utf8').replace(/\/\*[\s\S]*?\*\//g, '');
  const names = [...code.matchAll(/(?:from|import)\s*\(?'(\.[^']+)'/g)].map((match) => match[1]);
  return names.map((name) => join(path, '..', name));
}

test('imports point one way', () => {
  const wrong = files.flatMap((path) =>
    importsOf(path)
      .map((target) => ({path, target, from: roomOf(path), to: roomOf(target)}))
      .filter(({from, to}) => from !== to && to !== 'errors')
      .filter(({from, to}) => !(/** @type {Record<string, string[]>} */ (allowed)[from]?.includes(to)))
      .map(({path: file, target}) => `${file} imports ${target}`),
  );
  assert.deepEqual(wrong, []);
});

test('no pair knows the clock, percentiles, retries or printing, and nothing in stats, report or results a transport', () => {
  for (const path of files) {
    const code = readFileSync(join(source, path), 'utf8');
    if (roomOf(path) === 'pair')
      assert.doesNotMatch(code, /performance|hrtime|percentile|console\.|process\.std/, path);
    if (['stats', 'report', 'results'].includes(roomOf(path))) {
      assert.doesNotMatch(
        code.replace(/\/\*[\s\S]*?\*\//g, ''),
        /amqplib|from 'ws'|from 'express'|transports\//,
        path,
      );
    }
  }
});

test('planning and help load no transport library', () => {
  const reached = new Set();
  const visit = (/** @type {string} */ path) => {
    if (reached.has(path)) return;
    reached.add(path);
    for (const target of importsOf(path)) visit(target);
  };
  for (const entry of ['settings/index.js', 'cli/help.js', 'battle/plan.js']) visit(entry);
  for (const path of reached) {
    const code = readFileSync(join(source, path), 'utf8');
    assert.doesNotMatch(code, /from '(amqplib|ws|express)'/, path);
  }
});

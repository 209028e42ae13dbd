import assert from 'node:assert/strict';
import {existsSync, readdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {test} from 'node:test';
import {fileURLToPath} from 'node:url';
import {transports} from '../src/transports/index.js';
import {workloadNames} from '../src/workloads/index.js';
import {allowedImports} from './support/architecture-page.js';

const source = fileURLToPath(new URL('../src/', import.meta.url));

/** @param {string} path relative to src */
function roomOf(path) {
  if (['errors.js', 'protocol.js', 'transport.js'].includes(path)) return path.slice(0, -'.js'.length);
  // Every error is made with it, and it may be imported everywhere, too.
  if (path === 'safe-text.js') return 'errors';
  if (path === 'messages.js') return 'protocol';
  return path.includes('/') ? path.slice(0, path.indexOf('/')) : 'pair';
}

/** Those of types alone, `kind.d.ts`, have the names by which they are imported: `kind.js`. */
const files = readdirSync(source, {recursive: true, encoding: 'utf8'})
  .filter((path) => /\.(?:js|d\.ts)$/.test(path))
  .map((path) => path.replace(/\.d\.ts$/, '.js'));

/** @param {string} path */
function codeOf(path) {
  const file = join(source, path);
  return readFileSync(existsSync(file) ? file : file.replace(/\.js$/, '.d.ts'), 'utf8');
}

/** Relative imports: those that are loaded with a file or later, those of types (`@import`), and those of files by their URL. */
const anyImport = /(?:\bfrom|\bimport\(|\bimport|\bnew URL\()\s*'(\.[^']+\.js)'/g;
const staticImport = /(?:\bfrom|\bimport)\s*'(\.[^']+\.js)'/g;

/**
 * The declaration of a transport names its halves, which take their settings from it. They are loaded by the name of their role.
 */
const halvesOfTransport = /\b(?:client|server): \(\) => import\('[^']+'\)/g;

/** @param {string} path @returns {string[]} */
function importsOf(path) {
  return targetsIn(path, codeOf(path).replace(halvesOfTransport, ''), anyImport);
}

/** @param {string} path @returns {string[]} those that are loaded with it */
function loadedBy(path) {
  // Types are gone when it runs.
  const code = codeOf(path).replace(/\/\*[\s\S]*?\*\/|import type .*/g, '');
  return targetsIn(path, code, staticImport);
}

/** @param {string} path @param {string} code @param {RegExp} pattern */
function targetsIn(path, code, pattern) {
  const targets = [...code.matchAll(pattern)].map((match) => join(path, '..', match[1]));
  return [...new Set(targets)].filter((target) => files.includes(target));
}

test('each folder imports what docs/contributing/architecture.md allows, no more and no less; errors may be imported everywhere', () => {
  /** @type {Map<string, Set<string>>} */
  const imports = new Map(files.map((path) => [roomOf(path), new Set()]));
  imports.delete('errors');
  for (const path of files) {
    for (const target of importsOf(path).map(roomOf)) {
      if (target !== roomOf(path) && target !== 'errors') imports.get(roomOf(path))?.add(target);
    }
  }
  const sorted = (/** @type {Iterable<[string, Iterable<string>]>} */ rooms) =>
    Object.fromEntries([...rooms].map(([room, targets]) => [room, [...targets].sort()]).sort());
  assert.deepEqual(sorted(imports), sorted(allowedImports()));
});

test('what is required is of CommonJS: to require ES modules fails while another import loads one of their modules', () => {
  const required = files.flatMap((path) =>
    [...codeOf(path).matchAll(/\b(?:requireOptional|loadPackage)\(\s*'((?:@[^'/]+\/)?[^'/]+)/g)].map(
      (match) => match[1],
    ),
  );
  const ofModules = [...new Set(required)].filter((name) => {
    const {type, exports} = JSON.parse(
      readFileSync(new URL(`../node_modules/${name}/package.json`, import.meta.url), 'utf8'),
    );
    return type === 'module' && !JSON.stringify(exports ?? '').includes('"require"');
  });
  assert.ok(required.length > 5);
  // A text of other letters needs it at once, where nothing can be awaited.
  assert.deepEqual(ofModules, ['string-width']);
});

test('no file imports itself by way of others, types and URLs included', () => {
  assert.deepEqual(cyclesOf(new Map(files.map((path) => [path, importsOf(path)]))), []);
});

test('no room imports itself by way of others, types and URLs included', () => {
  const targetsOf = (/** @type {string} */ room) =>
    files
      .filter((path) => roomOf(path) === room)
      .flatMap((path) => importsOf(path).map(roomOf))
      .filter((target) => target !== room);
  const rooms = [...new Set(files.map(roomOf))];
  assert.deepEqual(cyclesOf(new Map(rooms.map((room) => [room, [...new Set(targetsOf(room))]]))), []);
});

/**
 * What a program loads at its start.
 * @param {readonly string[]} paths
 * @returns {{loaded: Set<string>, packages: Set<string>}}
 */
function startOf(paths) {
  const loaded = new Set(paths);
  // A set visits what is added while it is read.
  for (const path of loaded) for (const target of loadedBy(path)) loaded.add(target);
  const packages = [...loaded].flatMap((path) => {
    const code = codeOf(path).replace(/\/\*[\s\S]*?\*\/|import type .*/g, '');
    return [...code.matchAll(/\bfrom\s*'([^'.][^']*)'/g)].map(([, name]) => name);
  });
  return {loaded, packages: new Set(packages.filter((name) => !name.startsWith('node:')))};
}

test('a battle starts without the libraries that only its end, hand-edited journals or other commands need', () => {
  const {loaded, packages} = startOf(['cli/battle.js', 'cli/plan-and-run.js']);
  assert.ok(packages.has('simple-statistics') && loaded.has('battle/plan.js'));
  for (const late of ['zod', 'mdast-util-from-markdown', '@aws-sdk/client-cloudformation'])
    assert.ok(!packages.has(late), late);
});

test('a role, of which a battle starts many, starts without options, tables and a library for statistics', () => {
  for (const role of ['server', 'client']) {
    // A role imports that of its workload, and its half of the transport, by name.
    const ofWorkloads = files.filter((file) => /^workloads\/.+\/role\.js$/.test(file));
    // Those of loads under faults are no workloads of battles.
    const ofBattles = ofWorkloads.filter((file) => !file.startsWith('workloads/account/'));
    assert.equal(ofBattles.length, workloadNames.length);
    const ofTransport = ['index', role].map((name) => `transports/tcp/${name}.js`);
    const own = ['roles/program.js', `roles/${role}.js`, ...ofTransport];
    const {loaded, packages} = startOf([...own, ...ofWorkloads]);
    const needless = [...loaded].filter((one) => ['columns', 'options', 'settings'].includes(roomOf(one)));
    assert.deepEqual(needless, [], role);
    assert.ok(!packages.has('simple-statistics'), role);
  }
});

test('types are imported at the top of a file, not where they are used', () => {
  const tests = fileURLToPath(new URL('.', import.meta.url));
  const paths = [source, tests].flatMap((folder) =>
    readdirSync(folder, {recursive: true, encoding: 'utf8'}).map((path) => join(folder, path)),
  );
  const comments = (/** @type {string} */ path) =>
    readFileSync(path, 'utf8').match(/\/\*[\s\S]*?\*\//g) ?? [];
  const inline = paths.filter(
    (path) => path.endsWith('.js') && comments(path).some((comment) => comment.includes("import('")),
  );
  assert.deepEqual(inline, []);
});

test('no pair knows the clock, percentiles, retries or printing, and nothing in stats, report or results a transport', () => {
  for (const path of files) {
    const code = codeOf(path);
    if (/^transports\/.+\/(?:client|server)\.js$/.test(path))
      assert.doesNotMatch(code, /performance|hrtime|percentile|console\.|process\.std/, path);
    if (['stats', 'report', 'results'].includes(roomOf(path))) {
      assert.doesNotMatch(code.replace(/\/\*[\s\S]*?\*\//g, ''), /amqplib|'ws'|'express'|transports\//, path);
    }
  }
});

test('no bound is made by AbortSignal.timeout or AbortSignal.any, which may never fire after a collection of garbage on Node.js 20', () => {
  const folders = ['src', 'overhead']
    .map((name) => fileURLToPath(new URL(`../${name}/`, import.meta.url)))
    // test/integration/architecture.test.js runs this file in a copy without it.
    .filter((folder) => existsSync(folder));
  const paths = folders.flatMap((folder) =>
    readdirSync(folder, {recursive: true, encoding: 'utf8'}).map((path) => join(folder, path)),
  );
  for (const path of paths.filter((name) => name.endsWith('.js'))) {
    const code = readFileSync(path, 'utf8').replace(/\/\*[\s\S]*?\*\//g, '');
    assert.doesNotMatch(code, /AbortSignal\.(any|timeout)\b/, path);
  }
});

test('planning and help load no transport library', () => {
  const libraries = transports.flatMap((transport) => transport.libraries);
  assert.ok(libraries.includes('amqplib'));
  const reached = new Set();
  const visit = (/** @type {string} */ path) => {
    if (reached.has(path)) return;
    reached.add(path);
    for (const target of loadedBy(path)) visit(target);
  };
  for (const entry of ['settings/index.js', 'cli/help.js', 'battle/plan.js']) visit(entry);
  for (const path of reached) {
    const code = readFileSync(join(source, path), 'utf8');
    for (const library of libraries)
      assert.doesNotMatch(code, new RegExp(`(?:from |loadPackage\\()'${library}['/]`), path);
  }
});

/**
 * The groups whose members reach each other (Tarjan, "Depth-first search and linear graph algorithms", 1972).
 * @param {ReadonlyMap<string, readonly string[]>} graph
 * @returns {string[][]} those of more than one member
 */
function cyclesOf(graph) {
  /** @type {Map<string, number>} */
  const lowest = new Map();
  /** @type {string[]} */
  const open = [];
  /** @type {string[][]} */
  const cycles = [];
  const visit = (/** @type {string} */ name) => {
    const number = lowest.size;
    lowest.set(name, number);
    open.push(name);
    let low = number;
    for (const target of graph.get(name) ?? []) low = Math.min(low, lowest.get(target) ?? visit(target));
    lowest.set(name, low);
    if (low < number) return low;
    const group = open.splice(open.indexOf(name));
    for (const member of group) lowest.set(member, Number.POSITIVE_INFINITY);
    if (group.length > 1) cycles.push(group.sort());
    return low;
  };
  for (const name of graph.keys()) if (!lowest.has(name)) visit(name);
  return cycles;
}

test('no half of a transport loads the declaration that names it: that has options, which a role does not need', () => {
  const halves = files.filter((path) => /^transports\/[^/]+\/(?!index\.js)[^/]+$/.test(path));
  assert.ok(halves.length > 40);
  const wrong = halves.filter((path) => loadedBy(path).includes(join(path, '../index.js')));
  assert.deepEqual(wrong, []);
});

import assert from 'node:assert/strict';
import {existsSync, readdirSync, readFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {test} from 'node:test';
import {fileURLToPath} from 'node:url';
import {brokerKinds} from '../src/brokers/index.js';
import {checks} from '../src/doctor/checks.js';
import {parseBlocks, textOf} from '../src/report/markdown-document.js';
import {transports} from '../src/transports/index.js';
import {isQuick} from './support/effort.js';
import {literalsOf} from './support/string-literals.js';

/** @typedef {{type?: string, url?: string, value?: string, children?: Node[]}} Node of a page */

const root = fileURLToPath(new URL('..', import.meta.url));
const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'results.md',
  ...readdirSync(join(root, 'docs'), {recursive: true, encoding: 'utf8'})
    // Generated tables are linked from the page that they belong to.
    .filter((name) => name.endsWith('.md') && !name.startsWith('evidence/documents/'))
    .map((name) => `docs/${name}`),
];

const maxReadmeLines = 250;

/**
 * What each page for users is for, and the most words that it may have. A page has one purpose; what does not serve it belongs elsewhere.
 * @type {Record<string, {purpose: string, maxWords: number}>}
 */
const budgets = {
  'README.md': {purpose: 'what it is, one result, where to go on', maxWords: 900},
  'docs/start.md': {purpose: 'a first battle, step by step', maxWords: 700},
  'docs/choose.md': {purpose: 'which question takes which command', maxWords: 800},
  'docs/ci.md': {purpose: 'gates in CI', maxWords: 700},
  'docs/compare.md': {purpose: 'two battles or two versions side by side', maxWords: 700},
  'docs/faults.md': {purpose: 'what is lost when a broker or a server breaks', maxWords: 700},
  'docs/your-broker.md': {purpose: 'a broker that is already there', maxWords: 500},
  'docs/broker-objects.md': {purpose: 'what a battle creates and deletes on a broker', maxWords: 500},
  'docs/your-service.md': {purpose: 'a server that is already there', maxWords: 650},
  'docs/your-program.md': {purpose: 'a program of your own as a transport', maxWords: 800},
  'docs/your-own-transport.md': {purpose: 'a transport of your own as a plugin', maxWords: 800},
  'docs/hosts.md': {purpose: 'roles on several hosts', maxWords: 900},
  'docs/kubernetes.md': {purpose: 'roles in pods', maxWords: 700},
  'docs/ec2.md': {purpose: 'hosts on EC2', maxWords: 600},
  'docs/troubleshooting.md': {purpose: 'from a symptom to a remedy', maxWords: 800},
  'docs/transports.md': {purpose: 'how each transport runs, and what it cannot do', maxWords: 1900},
  'docs/how-it-measures.md': {purpose: 'method, fairness and limits explained', maxWords: 2500},
  'docs/reading-results.md': {purpose: 'columns, verdicts and warnings', maxWords: 1000},
  'docs/workloads.md': {purpose: 'what each workload sends and shows', maxWords: 1300},
  'docs/presets.md': {purpose: 'published benchmarks', maxWords: 700},
  'docs/options.md': {purpose: 'all options', maxWords: 3500},
  'docs/configuration.md': {purpose: 'scenarios, brokers, shells and output for programs', maxWords: 800},
  'docs/faults-reference.md': {purpose: 'faults, counts and classes', maxWords: 1000},
  'docs/files-and-exit-codes.md': {purpose: 'files, exit codes and error codes', maxWords: 700},
  'docs/adapter-contract.md': {purpose: 'the lines between a battle and a program', maxWords: 1200},
  'docs/api.md': {purpose: 'the functions of the package', maxWords: 600},
  'docs/glossary.md': {purpose: 'ten words', maxWords: 200},
};

/** Prose aims at 25 and less; a sentence that lists things may have some more. */
const maxSentenceWords = 30;

/** Phrases that a reader stumbles over, and what to write. */
const phrases = [
  {pattern: /\b(?:can(?:not)?|could(?: not)?|to) be had\b/i, instead: 'is available, is not supported by'},
  {pattern: /\b(?:stands?|given) \d+ times\b/i, instead: 'given twice'},
  {pattern: /\b(?:is|are|was|were|unless|not|been) told\b/i, instead: 'shown, by default'},
  {pattern: /\bbe told\b(?! apart)/i, instead: 'be judged, cannot tell'},
  {pattern: /\belse:/i, instead: 'otherwise'},
  {pattern: /\b(?:fights?|fought)\b/i, instead: 'runs'},
  {pattern: /\b(?:heirs?|breathes?|fewest|keeper)\b/i, instead: "the field's own term"},
  {pattern: /\bone by the mean\b/i, instead: 'the reciprocal of the mean'},
  {pattern: /\bfrom where\b/i, instead: 'the address from which'},
  {pattern: /\b(?:sees? to|as ever|save for|the very)\b/i, instead: 'a plain word, or nothing'},
  {pattern: /\b(?:besides|of no use|whomever|shall)\b/i, instead: 'also, cannot help, whoever, must'},
];

test('the README is short enough to be read', () => {
  assert.ok(read('README.md').trimEnd().split('\n').length <= maxReadmeLines);
});

test('each page of docs has a purpose and a budget of words, and each page with a budget exists', () => {
  const top = pages.filter((page) => /^docs\/[^/]+$/.test(page));
  assert.deepEqual(['README.md', ...top].sort(), Object.keys(budgets).sort());
});

test('pages keep to their budgets of words', () => {
  const tooLong = Object.entries(budgets).flatMap(([page, {purpose, maxWords}]) => {
    const words = wordsOf(read(page)).length;
    return words > maxWords ? `${page} (${purpose}): ${words} words, at most ${maxWords}` : [];
  });
  assert.deepEqual(tooLong, []);
});

test('words are those of sentences, headings and cells', () => {
  const page =
    '# One two\n\n<!-- no -->\n\n<!-- perf-battle:begin -->\n\n| no |\n\n<!-- perf-battle:end -->\n\n| three | `four` |\n| --- | :-- |\n| five | |\n\n```js\nno();\n```\n\n- six,\n';
  assert.deepEqual(
    wordsOf(page).filter((word) => /\w/.test(word)),
    ['One', 'two', 'three', '`four`', 'five', 'six,'],
  );
});

test('the table of workloads names the transports that support each', () => {
  const without = (/** @type {'send' | 'store' | 'request'} */ capability) =>
    transports.filter(({capabilities}) => !capabilities.includes(capability)).map(({name}) => name);
  const named = (/** @type {string} */ workload) => {
    const [, cell = ''] =
      new RegExp(`^\\| \\[\`${workload}\`\\].*\\|([^|]+)\\|$`, 'm').exec(read('docs/workloads.md')) ?? [];
    return [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name);
  };
  assert.deepEqual(named('stream').toSorted(), without('send').filter(isOwn).toSorted());
  const storing = transports.map(({name}) => name).filter((name) => !without('store').includes(name));
  assert.deepEqual(named('queue').toSorted(), storing.filter(isOwn).toSorted());
});

test('the page of the transports says of each in at most 150 words how it runs, and which defaults are changed', () => {
  const sections = read('docs/transports.md').split(/^## /m).slice(1);
  const problems = transports.flatMap(({name}) => {
    const section = sections.find((text) => text.split('\n\n')[1]?.includes(`\`${name}\``));
    if (section === undefined) return `${name}: no section`;
    const words = wordsOf(section).length;
    return [
      ...(words > 150 ? [`${name}: ${words} words`] : []),
      ...(isOwn(name) && !section.includes('**Changed**') ? [`${name}: which defaults are changed?`] : []),
      ...(isOwn(name) && hasBroker(name) && !section.includes('**Class**') ? [`${name}: which class?`] : []),
    ];
  });
  assert.deepEqual(problems, []);
});

test('the sample of doctor counts all of its checks', () => {
  const sample = /^(\d+) checks: (\d+) ok, (\d+) warning/m.exec(read('docs/start.md'))?.slice(1).map(Number);
  assert.equal(sample?.[0], checks.length + brokerKinds.length);
  assert.equal(sample?.[0], Number(sample?.[1]) + Number(sample?.[2]));
});

test('links between pages lead to files and headings that exist', {skip: isQuick}, () => {
  const broken = pages.flatMap((page) =>
    nodesOf(page)
      .flatMap(({type, url}) => (type === 'link' && url ? [url] : []))
      .filter((url) => !/^[a-z]+:/.test(url) && !leadsSomewhere(page, url))
      .map((url) => `${page}: ${url}`),
  );
  assert.deepEqual(broken, []);
});

test('links of the pages in the package lead to files in it, except to tests and to journals, which are large', () => {
  const {files} = JSON.parse(read('package.json'));
  const isPacked = (/** @type {string} */ path) => {
    const isIn = (/** @type {string} */ pattern) => `${path}/`.startsWith(`${pattern}/`);
    const left = files.filter((/** @type {string} */ one) => one.startsWith('!'));
    return (
      [...files, 'README.md', 'LICENSE', 'package.json'].some(isIn) &&
      !left.some((/** @type {string} */ one) => isIn(one.slice(1)))
    );
  };
  const broken = pages.filter(isPacked).flatMap((page) =>
    nodesOf(page)
      .flatMap(({type, url}) => (type === 'link' && url && !/^([a-z]+:|#)/.test(url) ? [url] : []))
      .map((url) => join(dirname(page), url.replace(/#.*$/, '')))
      .filter((path) => !/^test\/|\.ndjson(?:\.gz)?$/.test(path) && !isPacked(path))
      .map((path) => `${page}: ${path}`),
  );
  assert.deepEqual(broken, []);
});

test('every page can be reached from the README, directly or over one other page', () => {
  const first = pagesLinkedFrom('README.md');
  const reached = new Set(['README.md', ...first, ...first.flatMap(pagesLinkedFrom)]);
  assert.deepEqual(
    pages.filter((page) => !reached.has(page)),
    [],
  );
});

test('pages avoid phrases that a reader stumbles over', () => {
  const found = pages.flatMap((page) =>
    textsOf(page, ['paragraph', 'tableCell', 'heading']).flatMap((text) => adviceOn(page, text)),
  );
  assert.deepEqual(found, []);
});

test('help, errors and notes avoid them too', {skip: isQuick}, () => {
  const files = readdirSync(join(root, 'src'), {recursive: true, encoding: 'utf8'});
  const found = files
    .filter((path) => path.endsWith('.js'))
    .flatMap((path) => literalsOf(read(join('src', path))).flatMap((text) => adviceOn(path, text)));
  assert.deepEqual(found, []);
});

test('sentences on pages are short', () => {
  const long = pages.flatMap((page) =>
    textsOf(page, ['paragraph'])
      .flatMap(sentencesOf)
      .filter((sentence) => sentence.split(' ').length > maxSentenceWords)
      .map((sentence) => `${page}: ${sentence}`),
  );
  assert.deepEqual(long, []);
});

/** @param {string} where @param {string} text @returns {string[]} what to write in place of the phrases in a text */
function adviceOn(where, text) {
  return phrases
    .map(({pattern, instead}) => ({phrase: pattern.exec(text)?.[0], instead}))
    .filter(({phrase}) => phrase !== undefined)
    .map(({phrase, instead}) => `${where}: "${phrase}" in "${text.slice(0, 60)}"; write: ${instead}`);
}

/**
 * The words of a page, as a reader meets them. Code blocks, comments, the lines of tables, and results that `table --into` wrote do not count; the
 * cells of tables do.
 * @param {string} markdown
 */
function wordsOf(markdown) {
  const text = markdown
    .replace(/^<!-- perf-battle:begin -->$.*?^<!-- perf-battle:end -->$/gms, '')
    .replace(/^ *```.*?^ *```$/gms, '')
    .replace(/<!--.*?-->/gs, '')
    .replace(/^\|[\s:|-]+\|$/gm, '')
    .replace(/(?<!\\)\|/g, ' ');
  return text.split(/\s+/).filter((word) => word !== '');
}

/** A server that is already there, and programs, are not perf-battle's own. @param {string} name of a transport */
function isOwn(name) {
  return !['by-url', 'external'].includes(name);
}

/** Whether a transport has a broker. @param {string} name */
function hasBroker(name) {
  return transports.some((one) => one.name === name && one.broker !== null);
}

/** @param {string} page */
function read(page) {
  return readFileSync(join(root, page), 'utf8');
}

/** @type {Map<string, Node[]>} */
const parsed = new Map();

/** @param {string} page @returns {Node[]} all nodes, parents before their children */
function nodesOf(page) {
  const nodes =
    parsed.get(page) ?? parseBlocks(read(page), {isReduced: false}).flatMap((node) => withDescendants(node));
  parsed.set(page, nodes);
  return nodes;
}

/** @param {Node} node @returns {Node[]} */
function withDescendants(node) {
  return [node, ...(node.children ?? []).flatMap(withDescendants)];
}

/** @param {string} page */
function pagesLinkedFrom(page) {
  return nodesOf(page)
    .flatMap(({url}) => (url ? [join(dirname(page), url.split('#')[0])] : []))
    .filter((path) => pages.includes(path));
}

/** @param {string} page @param {string} url */
function leadsSomewhere(page, url) {
  const [path, anchor] = url.split('#');
  const target = path === '' ? page : join(dirname(page), path);
  if (!existsSync(join(root, target))) return false;
  return anchor === undefined || anchorsOf(target).includes(anchor);
}

/** The anchors that GitHub gives to headings. @param {string} page */
function anchorsOf(page) {
  return nodesOf(page)
    .filter(({type}) => type === 'heading')
    .map((heading) =>
      textOf(heading)
        .toLowerCase()
        .replace(/[^\p{Letter}\p{Number}\s_-]/gu, '')
        .replaceAll(' ', '-'),
    );
}

/** The texts of all nodes of these types: paragraphs are also those of lists. @param {string} page @param {string[]} types */
function textsOf(page, types) {
  return nodesOf(page)
    .filter(({type}) => types.includes(type ?? ''))
    .map(textOf);
}

/** @param {string} text */
function sentencesOf(text) {
  return text.split(/(?<=[.!?])\s+/);
}

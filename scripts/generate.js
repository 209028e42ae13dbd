#!/usr/bin/env node
import {readFileSync} from 'node:fs';
import {gunzipSync} from 'node:zlib';
import {markdownTable} from 'markdown-table';
import {z} from 'zod';
import {brokerKinds} from '../src/brokers/index.js';
import {errorCodes} from '../src/errors.js';
import {enduroxRows} from '../src/exports/endurox/data.js';
import {placeholderOf} from '../src/options/show-option.js';
import {listOf} from '../src/options/types.js';
import {faultPresets} from '../src/presets/faults.js';
import {presets} from '../src/presets/index.js';
import {standalone} from '../src/report/charts/parts.js';
import {replaceMarkedSection} from '../src/report/markdown-edits.js';
import {ratesOverSize} from '../src/report/page/charts/over-size.js';
import {besidePublished} from '../src/report/tables/beside-published.js';
import {newestRecords} from '../src/results/newest-records.js';
import {publishedFigures, publishedSources} from '../src/results/published/figures.js';
import {readRecords} from '../src/results/read-records.js';
import {cellRecord} from '../src/results/record-schema.js';
import {lines} from '../src/roles/programs/contract.js';
import {allOptions} from '../src/settings/index.js';
import {transports} from '../src/transports/index.js';
import {warnings} from '../src/verdict/warnings.js';
import {workloads} from '../src/workloads/index.js';
import {declaredTypes} from './declared-types.js';
import {manualPage} from './manual-page.js';
import {writeGenerated} from './write-generated.js';

/** @import {Option} from '../src/options/contract.js' */

/**
 * Makes what comes from declarations: .env.example, the manual page, the tables of the pages in docs, the JSON Schemas. And what comes from
 * docs/evidence/documents/results.ndjson.gz: the comparisons with published figures.
 * `node scripts/generate.js` writes them; with --check it exits with 1 when one of them is out of date.
 */
const root = new URL('../', import.meta.url);
const ofPresets = recordsOfPresets();

const files = [
  {path: 'docs/charts/endurox-01.svg', make: () => standalone(ratesOfPreset('endurox-01'))},
  {path: 'docs/perf-battle.1', make: () => manualPage()},
  {path: '.env.example', make: () => environmentExample()},
  {
    path: 'docs/options.md',
    make: (/** @type {string} */ text) => section(text, 'options', optionTables()),
  },
  {
    path: 'docs/files-and-exit-codes.md',
    make: (/** @type {string} */ text) => section(text, 'errors', errorTable()),
  },
  {path: 'docs/evidence/documents/comparisons.md', make: () => comparisons()},
  {path: 'docs/record.schema.json', make: () => recordSchema()},
  {path: 'types/declared.d.ts', make: () => declaredTypes()},
  {path: 'docs/adapters.schema.json', make: () => adaptersSchema()},
  {
    path: 'docs/how-it-measures.md',
    make: (/** @type {string} */ text) => section(text, 'workloads', workloadTable()),
  },
  {
    path: 'docs/transports.md',
    make: (/** @type {string} */ text) => section(text, 'transports', transportTable()),
  },
  {
    path: 'docs/reading-results.md',
    make: (/** @type {string} */ text) => section(text, 'warnings', warningTable()),
  },
  {
    path: 'docs/presets.md',
    make: (/** @type {string} */ text) => section(text, 'presets', presetTable()),
  },
];

const headings = ['Flag', 'Variable', 'Default', 'Meaning'];
/** The options that each kind of broker has: the end of the name, and the meaning for all. */
const connections = {
  url: 'The broker as a URL, instead of host, port, user and password.',
  host: 'Host of the broker.',
  port: 'Port of the broker.',
  username: 'User on the broker.',
  password: 'Password on the broker.',
  'ca-file': 'Certificate authority that signed the certificate of a broker with TLS.',
  'cert-file': 'Certificate of the client, with its chain, for a broker that asks for one (mutual TLS).',
  'key-file': 'Private key of the client.',
};

writeGenerated(files);

/** What scripts/measure-documents.sh measured. */
function recordsOfPresets() {
  const journal = gunzipSync(readFileSync(new URL('docs/evidence/documents/results.ndjson.gz', root)));
  const entries = journal.toString().trim().split('\n');
  return readRecords(entries.map((entry) => JSON.parse(entry))).records;
}

/** A chart like those of the Enduro/X benchmark, of our own rows. @param {string} name of a preset */
function ratesOfPreset(name) {
  const here = 'here';
  const records = newestRecords(ofPresets.filter(({config}) => config.preset === name));
  const rows = [...enduroxRows(records, here).values()].flat().map(({configuration, ...row}) => ({
    ...row,
    configuration: configuration.replace(`,${here}`, '').replaceAll('_', ' '),
  }));
  return ratesOverSize(rows, `Calls per second over message size (${name})`);
}

/** The figures of each preset beside the published ones. What an earlier preset said is not said again. */
function comparisons() {
  /** @type {Set<string>} */
  const said = new Set();
  const parts = Object.values(presets).map((preset) => {
    const records = newestRecords(ofPresets.filter(({config}) => config.preset === preset.name));
    const blocks = besidePublished(preset, records)
      .split('\n\n')
      .reduce((/** @type {string[]} */ before, block) => withoutRepeats(before, block, said), []);
    return [`## ${preset.name}`, ...blocks].join('\n\n');
  });
  return `${[
    '# Published figures and ours',
    '`npm run generate` makes this page from `results.ndjson.gz`. [documents.md](../documents.md) explains it.',
    ...parts,
    '## Data files of Enduro/X',
    'The configurations of the charts of `endurox-01` to `endurox-06`. A commit is the first one with these figures.',
    chartTable(),
  ].join('\n\n')}\n`;
}

/**
 * Adds a block without the items of a list that were said before, and takes away the heading of a list of which nothing is left.
 * @param {readonly string[]} blocks
 * @param {string} block
 * @param {Set<string>} said
 */
function withoutRepeats(blocks, block, said) {
  if (!block.startsWith('- ')) return [...blocks, block];
  const items = block.split('\n').filter((item) => !said.has(item));
  for (const item of items) said.add(item);
  return items.length > 0 ? [...blocks, items.join('\n')] : blocks.slice(0, -1);
}

/** @param {string} text @param {string} name @param {string} content */
function section(text, name, content) {
  return replaceMarkedSection(text, {begin: `<!-- ${name}:begin -->`, end: `<!-- ${name}:end -->`}, content);
}

function environmentExample() {
  const lines = [
    '# All settings of perf-battle, with their defaults. Copy this file to .env and uncomment what you change.',
    '# Flags and the environment override .env. An empty value counts as not set.',
    '# If a battle and a script by hand differ, the value is the default of the script and the text names the other.',
  ];
  for (const [group, options] of groups(allOptions)) {
    lines.push('', `# --- ${group} ---`);
    for (const option of options) lines.push('', ...environmentLines(option));
  }
  return `${lines.join('\n')}\n`;
}

/** @param {Option} option */
function environmentLines(option) {
  const {help, environmentName, scope} = option;
  const taker = {
    battle: 'the battle',
    script: 'scripts by hand',
    both: 'the battle and scripts by hand',
    table: 'perf-battle table',
    compare: 'perf-battle compare',
    report: 'perf-battle report',
    chart: 'perf-battle chart',
    choose: 'perf-battle choose',
    ab: 'perf-battle ab',
    faults: 'perf-battle faults',
    init: 'perf-battle init',
    ec2: 'perf-battle ec2',
  }[scope];
  const isForScripts = scope === 'script' || scope === 'both';
  const shown = defaultOf(option, isForScripts ? 'script' : 'battle');
  return [
    `# ${help}`,
    `# For ${taker}; must be ${option.type.allowed}.${differing(option)}`,
    `#${environmentName}=${shown}`,
  ];
}

/** @param {Option} option */
function differing(option) {
  if (option.scope !== 'both') return '';
  const battle = defaultOf(option, 'battle');
  return battle === defaultOf(option, 'script') ? '' : ` Default of the battle: ${battle || 'unset'}.`;
}

/** The tables of all options. What each kind of broker has is a row for all of them, in a table of its own. */
function optionTables() {
  const alike = Object.entries(connections).map(([end, meaning]) => ({
    meaning,
    options: allOptions.filter(({name}) => brokerKinds.some((kind) => name === `${kind.name}-${end}`)),
  }));
  const inOneRow = new Set(alike.flatMap(({options}) => options));
  const others = allOptions.filter((option) => !inOneRow.has(option));
  const tables = [...groups(others)].map(([group, options]) => ({group, rows: options.map(optionRow)}));
  return [...tables, {group: 'Connections to brokers', rows: alike.map(rowOfAll)}]
    .map(({group, rows}) => `## ${group}\n\n${markdownTable([headings, ...rows])}`)
    .join('\n\n');
}

/** @param {readonly Option[]} options one of each kind of broker, in a group that is named like the broker */
function defaultsOf(options) {
  const known = options.filter((option) => defaultOf(option, 'battle') !== '');
  const values = known.map((option) => code(defaultOf(option, 'battle')));
  const isShared = known.length === options.length;
  if (isShared) return [...new Set(values)].join(', ');
  return known.map(({group}, index) => `${values[index]} (${group})`).join(', ');
}

/** @param {{meaning: string, options: readonly Option[]}} alike */
function rowOfAll({meaning, options}) {
  const all = (/** @type {string[]} */ texts) => [...new Set(texts.filter((text) => text !== ''))].join(', ');
  return [
    all(options.map(({name}) => code(`--${name}`))),
    all(options.map(({environmentName}) => code(environmentName))),
    defaultsOf(options),
    meaning,
  ];
}

/** @param {Option} option */
function optionRow(option) {
  const {name, short, environmentName, scope} = option;
  const battle = defaultOf(option, 'battle');
  const script = defaultOf(option, 'script');
  const shown =
    scope === 'both' && battle !== script
      ? `${code(battle)}, by hand ${code(script)}`
      : code(scope === 'script' ? script : battle);
  return [
    [
      ...(short === null ? [] : [code(`-${short}`)]),
      code(`--${name} ${placeholderOf(option)}`.trim()).replaceAll('|', '\\|'),
    ].join(', '),
    code(environmentName),
    shown,
    firstSentence(option.help).replaceAll('|', '\\|').replaceAll('<', '&lt;'),
  ];
}

/** The rest is for `perf-battle help OPTION`. @param {string} text */
function firstSentence(text) {
  return text.split(/(?<=\.) /)[0];
}

/** @param {string} text */
function code(text) {
  return text === '' ? '' : `\`${text}\``;
}

/** @param {Option} option @param {'battle' | 'script'} scope */
function defaultOf({type, list, battleDefault, default: scriptDefault}, scope) {
  const value = scope === 'battle' ? battleDefault : scriptDefault;
  if (value === null) return '';
  return (scope === 'battle' && list ? listOf(type) : type).format(/** @type {any} */ (value));
}

/** @param {readonly Option[]} options @returns {Map<string, Option[]>} in the order of their first option */
function groups(options) {
  const grouped = new Map();
  for (const option of options) grouped.set(option.group, [...(grouped.get(option.group) ?? []), option]);
  return grouped;
}

function errorTable() {
  const rows = Object.entries(errorCodes).map(([name, {exitCode, meaning}]) => [
    code(name),
    exitCode === 1 ? '' : String(exitCode),
    meaning,
  ]);
  return markdownTable([['Code', 'Exit code', 'Meaning'], ...rows]);
}

function warningTable() {
  const rows = warnings.map(({code: name, condition}) => [code(name), condition]);
  return markdownTable([['Code', 'When'], ...rows]);
}

function workloadTable() {
  const rows = Object.values(workloads).map(({name, figureNote, cpuNote, floorNote}) => [
    code(name),
    figureNote,
    cpuNote,
    floorNote,
  ]);
  return markdownTable([['Workload', 'Figure', 'CPU per message', 'Compared with'], ...rows]);
}

/** What the definitions of the transports say. Programs and given servers are those of a person. */
function transportTable() {
  const workloadsOf = /** @type {const} */ ({send: 'stream', broadcast: 'fan-out', store: 'queue'});
  const rows = transports
    .filter(({name}) => !['external', 'by-url'].includes(name))
    .map(({name, libraries, broker, brokers, capabilities, answersInClient}) => [
      code(name),
      libraries.join(', ') || 'Node.js',
      (brokers ?? (broker === null ? [] : [broker])).join(', ') || 'none',
      [
        ...Object.entries(workloadsOf).flatMap(([capability, workload]) =>
          capabilities.some((one) => one === capability) ? [] : code(workload),
        ),
        // Its thread only sends requests back.
        ...(answersInClient ? [code('recordset')] : []),
      ].join(', ') || 'none',
    ]);
  return markdownTable([['Transport', 'Libraries', 'Broker', 'Workloads that it does not support'], ...rows]);
}

function presetTable() {
  const ofFaults = faultPresets.map(({name, summary, document}) => ({
    ...{name, document},
    summary: `A run of [faults](faults.md): ${summary}.`,
  }));
  const rows = [...Object.values(presets), ...ofFaults].map(({name, summary, document}) => [
    `[${name}](${publishedSources[document].url})`,
    firstSentence(summary),
  ]);
  return markdownTable([['Preset and text', 'What it runs'], ...rows]);
}

/** The configurations of the data files, each with the files and commits of its figures. */
function chartTable() {
  const figures = publishedFigures('endurox-benchmark-doc');
  const rows = [...new Set(figures.map(({environment}) => environment))].map((environment) => {
    const own = figures.filter((figure) => figure.environment === environment);
    const sources = [...new Set(own.map(({source}) => source))].map((source) => source.split(' at '));
    const commits = [...new Set(sources.map(([, commit]) => commit))].map((commit) => {
      const parts = sources.filter(([, other]) => other === commit).map(([file]) => file.slice(0, 2));
      return `${commit}: ${parts.join(', ')}`;
    });
    return [code(environment), own[0].system, commits.join('; ')];
  });
  return markdownTable([['Configuration', 'Version', 'Commits and their files'], ...rows]);
}

function adaptersSchema() {
  const title = 'The lines between perf-battle and a program of --external, by who writes to whom';
  return `${JSON.stringify({title, ...z.toJSONSchema(z.object(lines), {io: 'input'})}, null, 2)}\n`;
}

function recordSchema() {
  const title = 'The record of a cell, a line of results.ndjson and an element of cells in --json';
  return `${JSON.stringify({title, ...z.toJSONSchema(cellRecord)}, null, 2)}\n`;
}

import {chartFilesOptions} from '../exports/index.js';
import {option} from '../options/option.js';
import {duration, oneOf, onOff, path, share, text} from '../options/types.js';

const ofTable = 'The table';

/** The options that only `perf-battle table` takes. */
export const tableOptions = [
  option('into', {
    type: path('the path of a markdown file'),
    help: 'Write the table into this file, between <!-- perf-battle:begin --> and <!-- perf-battle:end -->. Each figure has its interval. By default the table is printed.',
    scope: 'table',
    group: ofTable,
  }),
  option('check', {
    type: onOff,
    battleDefault: false,
    help: 'Change nothing, and exit with 1 if the file is out of date.',
    scope: 'table',
    group: ofTable,
  }),
  option('all', {
    type: onOff,
    battleDefault: false,
    help: 'With --into, also write the results that are suspect. A printed table shows and marks them.',
    scope: 'table',
    group: ofTable,
  }),
  option('published', {
    type: onOff,
    battleDefault: false,
    help: 'Also show the figures published in 2016, marked as published, below the measured ones.',
    scope: 'table',
    group: ofTable,
  }),
];

const ofComparison = 'The comparison';

/** `perf-battle ab` takes it, too. */
export const failIfSlower = option('fail-if-slower', {
  type: share({minimum: 0, maximum: 1}),
  help: 'Exit with 4 if a cell is shown to be slower by at least this share. Exit with 5 if no cell is slower and one cannot be judged.',
  scope: 'compare',
  group: ofComparison,
});

/** The options of `perf-battle compare`. */
export const compareOptions = [
  failIfSlower,
  option('markdown', {
    type: onOff,
    battleDefault: false,
    help: 'Print markdown, for a comment on a pull request.',
    scope: 'compare',
    group: ofComparison,
  }),
];

/** The options that only `perf-battle report` takes. */
export const reportOptions = [
  option('history', {
    type: onOff,
    battleDefault: false,
    brief: 'a page on all battles of the named journals',
    help: 'Write a page on all battles of the named journals: the figure of each cell over the battles. By default the journal beside --results.',
    scope: 'report',
    group: 'The page',
  }),
  option('page', {
    type: path('the path of an HTML file'),
    battleDefault: 'report.html',
    help: 'Write the page into this file. An HTML file that is there is replaced.',
    scope: 'report',
    group: 'The page',
  }),
];

/** The options that only `perf-battle chart` takes. */
export const chartOptions = [
  option('folder', {
    type: path('the path of a folder'),
    placeholder: 'FOLDER',
    battleDefault: 'charts',
    help: 'Write the charts into this folder, which is created if it is missing. SVG files of the same names are replaced.',
    scope: 'chart',
    group: 'The charts',
  }),
  ...chartFilesOptions,
];

/** The options that only `perf-battle choose` takes. */
export const chooseOptions = [
  option('p99', {
    key: 'p99Ms',
    type: duration({minimumMs: 0.01, maximumMs: 600_000}),
    help: 'The longest p99 of the response time that you accept.',
    scope: 'choose',
    group: 'The question',
  }),
];

const ofSides = 'The sides';
const side = text(
  'settings of a transport, node=PATH, node@VERSION, folder=PATH, git=REF, PACKAGE@VERSION, programs=PATH or programs-git=REF, with blanks between them',
);

/** The options that only `perf-battle ab` takes. */
export const abOptions = [
  option('a', {
    type: side,
    placeholder: 'SIDE',
    help: 'Settings or versions of side a only. By default side a uses the rest of the command line.',
    scope: 'ab',
    group: ofSides,
  }),
  option('b', {
    type: side,
    placeholder: 'SIDE',
    help: 'Settings or versions of side b only. Side b is compared with side a.',
    scope: 'ab',
    group: ofSides,
  }),
];

/** The options that only `perf-battle init` takes. No variable sets them: it writes what variables are for. */
export const initOptions = [
  option('language', {
    type: oneOf(['node', 'python', 'go']),
    battleDefault: 'node',
    help: 'The language of the adapter that perf-battle init adapter writes.',
    scope: 'init',
    group: 'The adapter',
  }),
];

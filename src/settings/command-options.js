import {chartFilesOptions} from '../exports/index.js';
import {faultNamed, faultNames} from '../faults/faults.js';
import {option} from '../options/option.js';
import {duration, integer, oneOf, onOff, path, share, text} from '../options/types.js';

/**
 * @import {AskedFault} from '../faults/faults.js'
 * @import {OptionType} from '../options/contract.js'
 */

const ofTable = /** @type {const} */ ({scope: 'table', group: 'The table'});
const flagOfTable = /** @type {const} */ ({...ofTable, type: onOff, battleDefault: false});

export const tableOptions = [
  option('into', {
    ...ofTable,
    type: path('the path of a markdown file'),
    help: 'Write the table into this file, between <!-- perf-battle:begin --> and <!-- perf-battle:end -->. Each figure has its interval. By default the table is printed.',
  }),
  option('check', {
    ...flagOfTable,
    help: 'Change nothing, and exit with 1 if the file is out of date.',
  }),
  option('all', {
    ...flagOfTable,
    help: 'With --into, also write the results that are suspect. A printed table shows and marks them.',
  }),
  option('published', {
    ...flagOfTable,
    help: 'Also show the figures published in 2016, marked as published, below the measured ones.',
  }),
];

const ofComparison = /** @type {const} */ ({scope: 'compare', group: 'The comparison'});

/** `perf-battle ab` takes this option, too. */
export const failIfSlower = option('fail-if-slower', {
  ...ofComparison,
  type: share({minimum: 0, maximum: 1}),
  help: 'Exit with 4 if a cell is shown to be slower by at least this share. Exit with 5 if no cell is slower, but a cell cannot be judged.',
});

export const compareOptions = [
  failIfSlower,
  option('markdown', {
    ...ofComparison,
    type: onOff,
    battleDefault: false,
    help: 'Print markdown, for a comment on a pull request.',
  }),
];

const ofPage = /** @type {const} */ ({scope: 'report', group: 'The page'});

/** The default of --page with --history. */
export const pageOfHistory = 'history.html';

/** `perf-battle faults` takes this option, too. */
const page = option('page', {
  ...ofPage,
  type: path('the path of an HTML file'),
  battleDefault: 'report.html',
  help: `Write the page into this file; with --history by default ${pageOfHistory}. An existing HTML file is replaced.`,
  helpFor: {
    faults:
      'Also write one HTML page on the run into this file: answers, tables, charts, the account of each try, environment and limits. An existing HTML file is replaced. By default no page is written.',
  },
});

export const reportOptions = [
  option('history', {
    ...ofPage,
    type: onOff,
    battleDefault: false,
    brief: 'a page on all battles of the named journals',
    help: 'Write a page on all battles of the named journals: the figure of each cell over the battles. The default is the journal next to --results.',
  }),
  page,
];

/** `perf-battle faults` takes this option, too. */
const folder = option('folder', {
  type: path('the path of a folder'),
  placeholder: 'FOLDER',
  battleDefault: 'charts',
  help: 'Write the charts into this folder, which is created if it is missing. SVG files of the same names are replaced.',
  helpFor: {
    faults:
      'Also write the charts of the page on the run into this folder, as SVG files. The folder is created if it is missing, and SVG files of the same names are replaced. By default no charts are written.',
  },
  scope: 'chart',
  group: 'The charts',
});

export const chartOptions = [folder, ...chartFilesOptions];

export const chooseOptions = [
  option('p99', {
    key: 'p99Ms',
    type: duration({minimumMs: 0.01, maximumMs: 600_000}),
    help: 'The longest p99 of the response time that you accept.',
    scope: 'choose',
    group: 'The question',
  }),
];

const side = text(
  'settings of a transport, node=PATH, node@VERSION, folder=PATH, git=REF, PACKAGE@VERSION, programs=PATH or programs-git=REF, with blanks between them',
);
const ofSides = /** @type {const} */ ({type: side, placeholder: 'SIDE', scope: 'ab', group: 'The sides'});

export const abOptions = [
  option('a', {
    ...ofSides,
    help: 'Settings or versions of side a only. By default side a uses the rest of the command line.',
  }),
  option('b', {
    ...ofSides,
    help: 'Settings or versions of side b only. Side b is compared with side a.',
  }),
];

const ofFaults = /** @type {const} */ ({scope: 'faults', group: 'The faults'});
const flagOfFaults = /** @type {const} */ ({...ofFaults, type: onOff, battleDefault: false});

const instant = duration({minimumMs: 0, maximumMs: 600_000});

/** @type {OptionType<AskedFault>} */
const faultType = {
  allowed: `${oneOf(faultNames).allowed}, also with a time after the begin of the load (kill-broker@5s) or a range of times (kill-broker@2s-8s)`,
  placeholder: 'FAULT[@TIME]',
  choices: faultNames,
  parse: (value) => {
    const [word, times, ...more] = value.split('@');
    const name = oneOf(faultNames).parse(word);
    if (name === undefined || more.length > 0) return undefined;
    if (times === undefined) return {name, at: null};
    const instants = times.split('-').map((time) => instant.parse(time));
    const [fromMs, toMs] = [instants[0], instants.at(-1)];
    const isRange = fromMs !== undefined && toMs !== undefined && fromMs <= toMs && instants.length <= 2;
    return isRange ? {name, at: {fromMs, toMs}} : undefined;
  },
  format: ({name, at}) => {
    if (at === null) return name;
    const range = at.fromMs === at.toMs ? [at.fromMs] : [at.fromMs, at.toMs];
    return `${name}@${range.map((ms) => instant.format(ms)).join('-')}`;
  },
};

const fault = option('fault', {
  ...ofFaults,
  type: faultType,
  list: true,
  battleDefault: faultNames.flatMap((name) => (faultNamed(name).isDefault ? [{name, at: null}] : [])),
  brief: 'kill-broker, power-loss, kill-server, …',
  help: 'The faults, one after the other; perf-battle help faults-reference explains each fault. By default the faults that show what an acknowledgement is worth, and kill-server. A battle with --fault is a run of faults.',
});

export const faultsOptions = [
  fault,
  option('tries', {
    ...ofFaults,
    type: integer({minimum: 1, maximum: 100}),
    battleDefault: 5,
    brief: 'how often each fault is done',
    help: 'How often each fault is done; by default once for a fault with a time (--fault kill-broker@5s). Power cuts happen at random times.',
  }),
  option('restart-after', {
    ...ofFaults,
    key: 'restartAfterMs',
    type: duration({minimumMs: 1, maximumMs: 600_000}),
    battleDefault: 1000,
    brief: 'how long the target stays down',
    help: 'How long the target stays killed, stopped, paused or cut before it is started again or continues.',
  }),
  option('respawn', {
    ...ofFaults,
    type: onOff,
    battleDefault: true,
    brief: 'start a killed target again',
    help: 'Start a killed or stopped target again. Otherwise the target stays down until the load ends, and the fault is done once.',
  }),
  option('resend', {
    ...ofFaults,
    type: onOff,
    list: true,
    battleDefault: [false],
    brief: 'resend messages without outcome',
    help: 'Send a message again if the connection was lost before its outcome was known. A message may then arrive twice; it counts once, and duplicates are counted separately. off,on compares both.',
  }),
  option('all-settings', {
    ...flagOfFaults,
    brief: 'a row for each combination of settings',
    help: 'A row for each combination of the settings that change what an acknowledgement is worth. A setting that is given keeps its value.',
  }),
  option('table', {
    ...flagOfFaults,
    brief: 'the whole durability table',
    help: 'The whole durability table, in about a quarter of an hour. It has all settings of a queue, and requests with one and two servers, with and without --resend.',
  }),
];

export const faultFilesOptions = /** @type {const} */ ([
  {...page, battleDefault: null},
  {...folder, battleDefault: null},
]);

/** The options that only `perf-battle init` takes. Variables do not set them, because init writes the file of variables. */
export const initOptions = [
  option('language', {
    type: oneOf(['node', 'python', 'go']),
    battleDefault: 'node',
    help: 'The language of the adapter that perf-battle init adapter writes.',
    scope: 'init',
    group: 'The adapter',
  }),
];

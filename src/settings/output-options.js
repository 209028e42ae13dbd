import {expectationType} from '../expect/expectation.js';
import {exportFormats} from '../exports/index.js';
import {option} from '../options/option.js';
import {integer, oneOf, onOff, path, text} from '../options/types.js';
import {workloads} from '../workloads/index.js';

/** @import {OptionType} from '../options/contract.js' */

export const outputGroup = 'Output';
const output = /** @type {const} */ ({scope: 'battle', group: outputGroup});
const flag = /** @type {const} */ ({...output, type: onOff, battleDefault: false, resumable: 'anew'});
const shown = /** @type {const} */ ({...flag, resumable: 'override'});

/** The journal has the name of the results file with .ndjson, so the results file must not end in .ndjson. @type {OptionType<string>} */
const resultsFile = {
  ...path('the path of a markdown file, which does not end in .ndjson as the journal does'),
  parse: (value) => (/\.ndjson$/i.test(value) ? undefined : path('').parse(value)),
};

/** Names are written into files whose lines are split at spaces. @type {OptionType<string>} */
const configurationName = {
  allowed: 'a name of at most 200 characters without spaces, quotes, backslashes and #',
  placeholder: 'NAME',
  parse: (value) => (/^[^\s\p{Cc}"'`\\#]{1,200}$/u.test(value) ? value : undefined),
  format: String,
};

const ofNamedBattle =
  'The results file. Its journal has the battles named by an id, latest or previous. The journal is next to it and ends in .ndjson.';
const findingsLines = 'Print a line of comma-separated values for each finding.';
const findingsDocument = 'Print one JSON document on standard output: {findings}.';

const withConfiguration = exportFormats
  .filter(({hasConfiguration}) => hasConfiguration)
  .map(({name}) => name);

const latenciesWith = Object.values(workloads).flatMap(({name, latenciesWith: own}) =>
  own ? [`${name} has them with ${own.flag}`] : [],
);
const needsOfLatencies = `a battle without --quiet, and latencies; ${latenciesWith.join(', ')}`;

const exported = option('export', {
  ...output,
  key: 'exports',
  resumable: 'override',
  type: oneOf(exportFormats.map(({name}) => name)),
  list: true,
  help: `Also write: ${exportFormats.map(({name, summary}) => `${name}: ${summary}`).join('; ')}.`,
});

const quiet = option('quiet', {
  ...flag,
  help: 'Print errors and warnings only: no progress, no table.',
});

const resume = option('resume', {
  ...flag,
  brief: 'continue the interrupted battle',
  help: 'Continue the interrupted battle in the journal with its own configuration.',
});

const csv = option('csv', {
  ...flag,
  help: 'Print the main figures of the records on standard output as comma-separated values, a line for each cell that completed.',
  helpFor: {
    table: 'Print the main figures of the newest records as comma-separated values, a line for each record.',
    compare: 'Print the comparison as comma-separated values, a line for each cell.',
    faults:
      'Print a line of comma-separated values on standard output for each fault of a row, also for one that was not tried.',
    ab: 'Print the comparison of the sides on standard output as comma-separated values, a line for each cell.',
    choose: 'Print the answers on standard output as comma-separated values, a line for each transport.',
    ec2: 'With status: print a line of comma-separated values for each stack. With run: as for any battle.',
    doctor: findingsLines,
    'check-adapter': findingsLines,
    'check-transport': findingsLines,
  },
});

const separators = {',': ',', ';': ';', tab: '\t'};

/** @type {OptionType<string>} */
const separator = {
  allowed: 'a comma, ";" or tab',
  placeholder: 'CHARACTER',
  parse: (value) => Object.entries(separators).find(([name]) => name === value.toLowerCase())?.[1],
  format: (value) => Object.entries(separators).find(([, character]) => character === value)?.[0] ?? value,
};

export const outputOptions = [
  option('results', {
    ...output,
    resumable: 'anew',
    type: resultsFile,
    battleDefault: 'results.md',
    brief: 'the file to whose table the rows are appended',
    help: 'The file to whose table the rows are appended. The journal is next to it and ends in .ndjson.',
    helpFor: {
      table: 'The results file whose journal is read. The journal is next to it and ends in .ndjson.',
      faults:
        'The journal is next to this file and ends in .ndjson. It gets each fault and row; the file itself stays as it is.',
      compare: ofNamedBattle,
      report: ofNamedBattle,
      chart: ofNamedBattle,
    },
  }),
  option('label', {
    ...output,
    type: text('a text of at most 1000 characters'),
    placeholder: 'TEXT',
    help: 'A text to keep in the records, such as the measured commit. perf-battle report --history shows this text at each point.',
  }),
  resume,
  option('take-over', {
    ...flag,
    help: 'With --resume: continue a battle that another user, host or container began, without asking. Nothing on this host shows whether the battle still runs there. The programs and hosts named in its journal are used as if you had typed them.',
    needs: '--resume',
    appliesTo: (_cell, {read}) => read(resume),
  }),
  exported,
  option('export-configuration', {
    ...output,
    key: 'configuration',
    resumable: 'override',
    type: configurationName,
    help: 'The name of the configuration in exported data files, after the name of the variant. By default environment and machine.',
    needs: `--export ${withConfiguration.join(' or ')}`,
    appliesTo: (_cell, {read}) => withConfiguration.some((name) => read(exported)?.includes(name)),
  }),
  option('detail', {
    ...shown,
    help: 'Show all figures of each cell, both ends of the intervals, and the reasons for each verdict.',
    needs: 'a battle without --quiet',
    appliesTo: (_cell, {read}) => !read(quiet),
  }),
  option('bands', {
    ...shown,
    help: 'Print percentile bands for each cell: the mean and the maximum of its fastest 75, 90, 99 … 99.999 percent.',
    needs: needsOfLatencies,
    appliesTo: ({hasLatencies}, {read}) => hasLatencies && !read(quiet),
  }),
  option('histogram', {
    ...shown,
    help: 'Print a histogram of the latencies of each cell.',
    needs: needsOfLatencies,
    appliesTo: ({hasLatencies}, {read}) => hasLatencies && !read(quiet),
  }),
  option('expect', {
    ...output,
    type: expectationType,
    list: true,
    resumable: 'override',
    brief: 'exit with 4 if a figure misses this bound',
    help: 'Bounds that the figures must meet: the exit code is 4 if an expectation fails, and 5 if none fails, but one cannot be judged. perf-battle help ci explains expectations.',
  }),
  option('metrics-port', {
    ...output,
    type: integer({minimum: 0, maximum: 65_535}),
    resumable: 'anew',
    help: 'During the battle, serve its figures to Prometheus at this port of 127.0.0.1 (or of ::1, with IPv6 only), as of the last finished round. 0: any free port.',
  }),
  option('json', {
    ...flag,
    brief: 'print one JSON document',
    help: 'Print one JSON document on standard output: {battle, cells}, with expectations if there are any. A percentile with too few samples is null. With --dry-run, --print-config or --list-presets: the output of that option.',
    helpFor: {
      table:
        'Print the newest records as one JSON document: {cells}, with expectations if there are any. A percentile with too few samples is null. If no battle has results, a run of faults as perf-battle faults prints it: {faults, rows}, with faults.interrupted if it has no end.',
      faults:
        'Print one JSON document on standard output: {faults, rows}. With --dry-run or --print-config: the output of that option.',
      compare: 'Print one JSON document: {old, new, cells}, with expectations if --fail-if-slower is given.',
      choose:
        'Print one JSON document on standard output: {battle, cells, choices}. A percentile with too few samples is null.',
      report: 'Print one JSON document: {page, bytes}.',
      chart: 'Print one JSON document: {charts}, the paths of the files.',
      ec2: 'Print one JSON document: {hosts} with up, {region, stacks, foreign} with status, {battles} with run, {deleted} with down.',
      doctor: findingsDocument,
      'check-adapter': findingsDocument,
      'check-transport': findingsDocument,
      init: 'Print one JSON document: {files}, with each file and whether it was written.',
      install:
        'Print one JSON document: {install}, with the npm packages of each name, the program of its broker, and their locations.',
      completion: 'Print one JSON document: {shell, script}.',
    },
  }),
  csv,
  option('csv-separator', {
    ...output,
    type: separator,
    battleDefault: ',',
    resumable: 'anew',
    help: 'What separates the values of --csv: a comma, ";" or tab. Spreadsheets in countries with a decimal comma expect ";".',
    needs: '--csv',
    appliesTo: (_cell, {read}) => read(csv),
  }),
  quiet,
  option('dry-run', {
    ...flag,
    help: 'Show the cells, the order of the trials and the estimated time. Run nothing.',
    helpFor: {faults: 'Show which faults hit which rows. Run nothing.'},
  }),
  option('print-config', {
    ...flag,
    help: 'Show every value and its origin, with secrets masked. Run nothing.',
  }),
  option('list-presets', {
    ...flag,
    help: 'Describe each preset: its source, its content and its estimated time. Run nothing.',
  }),
];

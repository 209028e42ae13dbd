import {chartFilesOptions} from '../exports/index.js';
import {option} from '../options/option.js';
import {path} from '../options/types.js';

/** The option that only `perf-battle report` takes. */
export const reportOptions = [
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
    battleDefault: 'charts',
    help: 'Write the charts into this folder, which is created if it is missing. SVG files of the same names are replaced.',
    scope: 'chart',
    group: 'The charts',
  }),
  ...chartFilesOptions,
];

import {option} from '../options/option.js';
import {onOff, path} from '../options/types.js';

const group = 'The table';

/** The options that only `perf-battle table` takes. */
export const tableOptions = [
  option('into', {
    type: path('the path of a markdown file'),
    help: 'Write the table into this file, between <!-- perf-battle:begin --> and <!-- perf-battle:end -->. By default the table is printed.',
    scope: 'table',
    group,
  }),
  option('check', {
    type: onOff,
    battleDefault: false,
    help: 'Change nothing, and exit with 1 if the file is out of date.',
    scope: 'table',
    group,
  }),
  option('published', {
    type: onOff,
    battleDefault: false,
    help: 'Also show the figures published in 2016, marked as published, below the measured ones.',
    scope: 'table',
    group,
  }),
];

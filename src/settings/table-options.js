import {option} from '../options/option.js';
import {onOff, text} from '../options/types.js';

const group = 'The table';

/** The options that only `perf-battle table` takes. */
export const tableOptions = [
  option('into', {
    type: text('the path of a markdown file'),
    help: 'Write the table into this file, between <!-- perf-battle:begin --> and <!-- perf-battle:end -->; printed unless given.',
    scope: 'table',
    group,
  }),
  option('check', {
    type: onOff,
    battleDefault: false,
    help: 'Change nothing; exit with 1 when the file would change.',
    scope: 'table',
    group,
  }),
  option('detail', {
    type: onOff,
    battleDefault: false,
    help: 'Interval, percentiles, msgs/s, CPU per message, multiple of the floor and verdict.',
    scope: 'table',
    group,
  }),
  option('published', {
    type: onOff,
    battleDefault: false,
    help: 'The figures published in 2016 below the measured ones, marked as such.',
    scope: 'table',
    group,
  }),
];

import {option} from '../options/option.js';
import {duration} from '../options/types.js';

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

import {option} from '../options/option.js';
import {onOff, share} from '../options/types.js';

const group = 'The comparison';

/** `perf-battle ab` takes it, too. */
export const failIfSlower = option('fail-if-slower', {
  type: share({minimum: 0, maximum: 1}),
  help: 'Exit with 4 if a cell is shown to be slower by at least this share. Exit with 5 if no cell is slower and one cannot be judged.',
  scope: 'compare',
  group,
});

/** The options of `perf-battle compare`. */
export const compareOptions = [
  failIfSlower,
  option('markdown', {
    type: onOff,
    battleDefault: false,
    help: 'Print markdown, for a comment on a pull request.',
    scope: 'compare',
    group,
  }),
];

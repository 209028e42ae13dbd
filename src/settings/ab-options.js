import {option} from '../options/option.js';
import {text} from '../options/types.js';

const group = 'The sides';
const side = text(
  'settings of a transport, node=PATH, node@VERSION, folder=PATH, git=REF, PACKAGE@VERSION, programs=PATH or programs-git=REF, with blanks between them',
);

/** The options that only `perf-battle ab` takes. */
export const abOptions = [
  option('a', {
    type: side,
    help: 'Settings or versions of side a only. By default side a uses the rest of the command line.',
    scope: 'ab',
    group,
  }),
  option('b', {
    type: side,
    help: 'Settings or versions of side b only. Side b is compared with side a.',
    scope: 'ab',
    group,
  }),
];

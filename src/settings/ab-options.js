import {option} from '../options/option.js';
import {text} from '../options/types.js';

const group = 'The sides';
const side = text(
  'settings of a transport, node=PATH, node@VERSION, folder=PATH or PACKAGE@VERSION, with blanks between them',
);

/** The options that only `perf-battle ab` takes. */
export const abOptions = [
  option('a', {
    type: side,
    help: 'What one side has of its own. Without it, that side is as the rest of the command line has it.',
    scope: 'ab',
    group,
  }),
  option('b', {
    type: side,
    help: 'What the other side has of its own: it is compared with the first.',
    scope: 'ab',
    group,
  }),
];

import {spawn} from 'node:child_process';

/** @import {SpawnOptions} from 'node:child_process' */

/** Starts a server of a test, which the kernel kills when the test's process ends, however that ends. @type {typeof spawn} */
export const spawnWithParent = /** @type {any} */ (
  (
    /** @type {string} */ program,
    /** @type {readonly string[]} */ words,
    /** @type {SpawnOptions} */ options,
  ) => spawn('setpriv', ['--pdeathsig', 'KILL', '--', program, ...words], options)
);

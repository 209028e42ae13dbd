import {UsageError} from '../errors.js';
import {quote} from '../files/given-text.js';
import {printJson} from '../report/for-programs.js';
import {optionsOfCompletion} from '../settings/index.js';
import {completionScript, shells} from './completion-scripts.js';
import {helpPages} from './help-pages.js';
import {topicNames} from './help-topics.js';
import {readFlagsAndWords} from './read-settings.js';

/** @import {Shell} from './completion-scripts.js' */

/**
 * `perf-battle completion bash|zsh|fish`: prints a script with which the shell completes this command.
 * @param {readonly string[]} commandLine
 * @returns {Promise<number>} the exit code
 */
export async function completion(commandLine) {
  const {values, words} = readFlagsAndWords(commandLine, optionsOfCompletion);
  const [shell, ...more] = words;
  if (!shells.includes(/** @type {Shell} */ (shell)) || more.length > 0) {
    const given = shell === undefined ? 'nothing' : quote([shell, ...more].join(' '));
    throw new UsageError(
      `completion must be followed by one of ${shells.join(', ')}; it was given ${given}. See perf-battle completion --help.`,
    );
  }
  const help = {...helpPages.help, words: topicNames()};
  const script = completionScript(/** @type {Shell} */ (shell), {...helpPages, help});
  if (values.json) printJson({shell, script});
  else process.stdout.write(script);
  return 0;
}

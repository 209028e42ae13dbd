import yargs from 'yargs';
import {onOff} from './types.js';

/**
 * Reads flags as texts and nothing more: yargs splits the command line, the options' own types read the values (yargs
 * would turn `--samples abc` into NaN and `--quick=maybe` into false).
 *
 * @param {readonly import('./option.js').Option[]} options to know which flags take no value
 * @param {readonly string[]} commandLine without node and the script
 * @returns {{flags: Record<string, string[]>, words: string[]}} words: what is not a flag
 */
export function readCommandLine(options, commandLine) {
  const switches = options.filter((option) => option.type === onOff).map((option) => option.name);
  const parsed = yargs(spellOutSwitches(commandLine, switches))
    .help(false)
    .version(false)
    .exitProcess(false)
    .parserConfiguration({
      'boolean-negation': false,
      'camel-case-expansion': false,
      'dot-notation': false,
      'parse-numbers': false,
      'parse-positional-numbers': false,
    })
    .string(options.map((option) => option.name))
    .parseSync();
  const {_: words, $0: _program, ...rest} = parsed;
  /** @type {Record<string, string[]>} */
  const flags = {};
  for (const [name, value] of Object.entries(rest)) flags[name] = [value].flat().map(String);
  return {flags, words: words.map(String)};
}

/**
 * `--quick` becomes `--quick=on` and `--no-quick` `--quick=off`, so that a switch never takes the next word as its value.
 * @param {readonly string[]} commandLine
 * @param {readonly string[]} switches
 */
function spellOutSwitches(commandLine, switches) {
  const end = commandLine.includes('--') ? commandLine.indexOf('--') : commandLine.length;
  return commandLine.map((word, index) => {
    if (index >= end) return word;
    const name = word.replace(/^--(no-)?/, '');
    if (!word.startsWith('--') || !switches.includes(name)) return word;
    return word.startsWith('--no-') ? `--${name}=off` : `--${name}=on`;
  });
}

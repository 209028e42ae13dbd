import parse from 'yargs-parser';
import {UsageError} from '../errors.js';
import {listOf, onOff} from './types.js';

/**
 * @import {Parser} from 'yargs/helpers'
 * @import {Option} from './contract.js'
 */

/** The parser of yargs, imported without yargs, which would take 85 ms of CPU more. @type {typeof Parser} */
const splitWords = parse;

/**
 * Splits a command line into flags and words. The values of flags stay texts, which the types of the options parse: the library would turn
 * `--samples abc` into NaN and `--quick=maybe` into false.
 * @param {readonly Option[]} options show which flags need no value @param {readonly string[]} commandLine without node and the script
 * @returns {{flags: Record<string, string[]>, words: string[]}} words: all words that are no flags
 */
export function readCommandLine(options, commandLine) {
  const switches = options.filter((option) => option.type === onOff).map((option) => option.name);
  const {_: words, ...rest} = splitWords(spellOutSwitches(spellOutLetters(commandLine, options), switches), {
    string: options.map((option) => option.name),
    configuration: {
      'boolean-negation': false,
      'camel-case-expansion': false,
      'dot-notation': false,
      'parse-numbers': false,
      'parse-positional-numbers': false,
    },
  });
  /** @type {Record<string, string[]>} */
  const flags = {};
  for (const [name, value] of Object.entries(rest)) flags[name] = [value].flat().map(String);
  return {flags, words: words.map(String)};
}

/**
 * Spells out `-p 1kb`, `-p=1kb` and `-p1kb` as --payload. The name of an option with one dash is refused, because the library would make a flag
 * of each letter.
 * @param {readonly string[]} commandLine @param {readonly Option[]} options
 */
function spellOutLetters(commandLine, options) {
  const end = commandLine.includes('--') ? commandLine.indexOf('--') : commandLine.length;
  return commandLine.flatMap((word, index) => {
    const [, name, letter, value] = /^-(?!-)(([a-z])=?(.*))$/is.exec(word) ?? [];
    if (letter === undefined || index >= end) return word;
    const meant = options.find((option) => option.name === name.split('=')[0]);
    if (meant) throw new UsageError(`-${meant.name} is not an option. Did you mean --${meant.name}?`);
    const option = options.find(({short}) => short === letter);
    if (!option) return word;
    return value === '' && !word.endsWith('=') ? `--${option.name}` : `--${option.name}=${value}`;
  });
}

/**
 * A switch takes the next word as its value only if the word is an allowed value: `--rabbitmq-confirms off,on`, but not `--quick http`.
 * Without a value `--quick` is `--quick=on` and `--no-quick` is `--quick=off`.
 * @param {readonly string[]} commandLine @param {readonly string[]} switches
 */
function spellOutSwitches(commandLine, switches) {
  const end = commandLine.includes('--') ? commandLine.indexOf('--') : commandLine.length;
  /** @type {string[]} */
  const spelt = [];
  for (let index = 0; index < commandLine.length; index += 1) {
    const word = commandLine[index];
    const name = word.replace(/^--(no-)?/, '');
    if (index >= end || !word.startsWith('--') || !switches.includes(name)) spelt.push(word);
    else if (word.startsWith('--no-')) spelt.push(`--${name}=off`);
    else if (index + 1 < end && listOf(onOff).parse(commandLine[index + 1])) {
      spelt.push(`${word}=${commandLine[index + 1]}`);
      index += 1;
    } else spelt.push(`${word}=on`);
  }
  return spelt;
}

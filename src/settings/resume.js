import {UsageError} from '../errors.js';
import {isMasked} from '../options/show-option.js';
import {optionsOfBattle} from './index.js';

/**
 * @import {Option} from '../options/option.js'
 * @import {Origin, Settings} from '../options/resolve.js'
 */

/**
 * The settings of a resumed battle: those of its start, except for options that may be given with --resume, and for secrets, which the
 * journal does not store.
 *
 * @template {Settings} Whole
 * @param {Whole} asked what the person gave with --resume
 * @param {Readonly<Record<string, unknown>>} stored values by key, from the journal
 * @param {readonly Option[]} [options]
 * @returns {Whole}
 * @throws {UsageError} when the person asks for another configuration, or must give a secret again
 */
export function resumeSettings(asked, stored, options = optionsOfBattle) {
  const resumed = options.map((option) => ({key: option.key, ...resumeOne(option, asked, stored)}));
  return {
    ...asked,
    values: {...asked.values, ...Object.fromEntries(resumed.map(({key, value}) => [key, value]))},
    origins: {...asked.origins, ...Object.fromEntries(resumed.map(({key, origin}) => [key, origin]))},
  };
}

/** @type {Origin} */
const defaultOrigin = {kind: 'default', name: 'default'};

/**
 * @param {Option} option
 * @param {Settings} asked
 * @param {Readonly<Record<string, unknown>>} stored
 * @returns {{value: unknown, origin: Origin}}
 */
function resumeOne(option, {values, origins}, stored) {
  const {key, resumable, secret, battleDefault} = option;
  // That of a transport which was loaded since the options were read.
  const isNew = !(key in values);
  const given = isNew
    ? {value: battleDefault, origin: defaultOrigin}
    : {value: values[key], origin: origins[key]};
  const lostItsSecret = secret && (!(key in stored) || isMasked(stored[key]));
  if (lostItsSecret && key in stored && given.origin.kind === 'default')
    throw needsAgain(option, stored[key]);
  if (lostItsSecret || resumable === 'anew' || !(key in stored)) return given;
  if (given.origin.kind === 'flag' && resumable !== 'override') throw cannotChange(given.origin);
  if (given.origin.kind !== 'default' && resumable === 'override') return given;
  return {value: stored[key], origin: originOf(stored[key], option.battleDefault)};
}

/** @param {Option} option @param {unknown} masked */
function needsAgain({name, environmentName}, masked) {
  return new UsageError(
    `The interrupted battle used --${name} ${masked}. The journal does not store its secret, so give it again: --resume --${name} VALUE, or ${environmentName}.`,
  );
}

/** @param {Origin} origin */
function cannotChange({name}) {
  return new UsageError(
    `--resume uses the configuration of the interrupted battle, so ${name} cannot be changed. Remove it.`,
  );
}

/**
 * @param {unknown} value
 * @param {unknown} fallback
 * @returns {Origin}
 */
function originOf(value, fallback) {
  const isDefault = JSON.stringify(value) === JSON.stringify(fallback);
  return isDefault ? defaultOrigin : {kind: 'journal', name: 'the interrupted battle'};
}

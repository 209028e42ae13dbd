import {readCommandLine} from '../options/command-line.js';
import {readEnvFile} from '../options/env-file.js';
import {optionsOfBattle} from '../settings/index.js';
import {readScenario} from '../settings/scenario.js';

/**
 * What a person names as transports, before the options are read: a transport of her own brings some.
 * @param {readonly string[]} commandLine
 * @returns {Promise<string[]>}
 * @throws {UsageError} for a scenario that cannot be read
 *
 * @import {UsageError} from '../errors.js'
 */
export async function namedTransports(commandLine) {
  const {flags} = readCommandLine(optionsOfBattle, commandLine);
  const envFile = readEnvFile('.env');
  const given = (/** @type {string} */ flag, /** @type {string} */ variable) =>
    flags[flag] ?? [process.env[variable] || envFile[variable] || ''];
  const [scenario] = given('scenario', 'PB_SCENARIO');
  const named = given('transport', 'PB_TRANSPORT');
  const texts = named.every((text) => text === '') && scenario ? await ofScenario(scenario) : named;
  return texts
    .flatMap((text) => text.split(','))
    .map((text) => text.trim())
    .filter((text) => text !== '');
}

/** @param {string} name */
async function ofScenario(name) {
  const {texts} = await readScenario(name);
  return texts.transport ?? [];
}

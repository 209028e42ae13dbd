import {readCommandLine} from '../options/command-line.js';
import {readEnvFile} from '../options/resolve.js';
import {bringTransports, namesIn} from '../settings/bring-transports.js';
import {readScenario} from '../settings/given.js';
import {optionsOfBattle} from '../settings/index.js';

/**
 * Loads the transports that a person names, before the options are read: a transport of one's own has some.
 * @param {readonly string[]} commandLine
 * @throws {UsageError} for a scenario that cannot be read, or a transport that cannot be loaded
 *
 * @import {UsageError} from '../errors.js'
 */
export async function bringNamed(commandLine) {
  const {flags} = readCommandLine(optionsOfBattle, commandLine);
  const envFile = readEnvFile('.env');
  const given = (/** @type {string} */ flag, /** @type {string} */ variable) =>
    flags[flag] ?? [process.env[variable] || envFile[variable] || ''];
  const [scenario] = given('scenario', 'PB_SCENARIO');
  const named = given('transport', 'PB_TRANSPORT');
  const texts = named.every((text) => text === '') && scenario ? await ofScenario(scenario) : named;
  await bringTransports(namesIn(texts));
}

/** @param {string} name */
async function ofScenario(name) {
  const {texts} = await readScenario(name);
  return texts.transport ?? [];
}

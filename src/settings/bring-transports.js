import {statSync} from 'node:fs';
import {join} from 'node:path';
import {addBrokerKind, brokerKinds} from '../brokers/index.js';
import {UsageError} from '../errors.js';
import {quote} from '../files/quote.js';
import {isFileUrl} from '../options/declaration.js';
import {unknownNames} from '../options/resolve.js';
import {packageAbove} from '../packages/load.js';
import {loadGuest, packageOfName} from '../transports/guests.js';
import {addTransport, findTransport, transportNames, transportsOfGroup} from '../transports/index.js';
import {isOwn} from '../transports/load.js';
import {transportsOfConfig} from './given.js';
import {addOptions, allOptions} from './index.js';

/**
 * @import {BrokerKind} from '../brokers/kind.js'
 * @import {Option} from '../options/contract.js'
 * @import {BringBroker, Guest} from '../transports/transport.js'
 */

/** @param {readonly string[]} texts texts of --transport */
export function namesIn(texts) {
  return texts
    .flatMap((text) => text.split(','))
    .map((text) => text.trim())
    .filter((text) => text !== '');
}

/**
 * Loads the transports of the user and adds them, with their options, to the transports of perf-battle. Names of transports of perf-battle are
 * ignored. A group brings the transports of the config file. A name that is neither a module nor a folder is refused later, when the option is read.
 * @param {readonly string[]} named names as in --transport @param {string} [folder] paths and packages are resolved from this folder
 * @returns {Promise<Guest[]>} the transports that were loaded
 * @throws {UsageError} when a transport cannot be loaded, conflicts with others, or needs an unknown kind of broker
 */
export async function bringTransports(named, folder) {
  const guests = [];
  for (const specifier of named) {
    if (transportNames.some((name) => name === specifier.toLowerCase())) continue;
    if (transportsOfGroup(specifier) !== null) {
      guests.push(...(await bringConfigured(folder)));
      continue;
    }
    const guest = (await loadGuest(specifier, folder)) ?? (await ofConfig(specifier.toLowerCase(), folder));
    if (guest === null) {
      refuseFolder(specifier, folder);
      continue;
    }
    guests.push(await bring(guest));
  }
  return guests;
}

/**
 * Warns of installed packages that a name of perf-battle's own transports hides.
 * @param {readonly string[]} named names as in --transport @param {string} [folder]
 */
export function warnOfHiddenPackages(named, folder = process.cwd()) {
  return named
    .filter((name) => isOwn(name))
    .map((name) => ({name, hidden: packageOfName(name)}))
    .filter(({hidden}) => packageAbove(folder, hidden) !== null)
    .map(
      ({name, hidden}) =>
        `${name} is the transport of perf-battle. That of the installed npm package is --transport ${hidden}.`,
    );
}

/**
 * The variables of the transports that PB_TRANSPORT or the config file names. The transports are not added, and are loaded only if .env has a name
 * that is otherwise unknown.
 * @param {Record<string, string>} envFile @returns {Promise<string[]>} @throws {UsageError} when such a transport cannot be loaded
 */
export async function variablesOfGuests(envFile) {
  if (unknownNames(allOptions, envFile).length === 0) return [];
  const isGuest = (/** @type {string} */ name) => !isOwn(name) && transportsOfGroup(name) === null;
  const named = namesIn([process.env.PB_TRANSPORT || envFile.PB_TRANSPORT || '']).filter(isGuest);
  const ofFile = (await transportsOfConfig()).map(specifierOf);
  const variables = [];
  for (const specifier of new Set([...named, ...ofFile])) {
    const guest = await loadGuest(specifier);
    if (guest === null) continue;
    const kind = guest.bringBroker === null ? null : await loadKind(guest.bringBroker, guest);
    variables.push(...[...guest.options, ...(kind?.options ?? [])].map((one) => one.environmentName));
  }
  return variables;
}

/**
 * The specifier by which other processes load a transport.
 * @param {unknown} transport as `defineTransport` returned it, or a specifier @returns {string} a path, a package or a URL
 * @throws {UsageError} when the transport has no URL
 */
export function specifierOf(transport) {
  if (typeof transport === 'string') return transport;
  const {name, url} = /** @type {{name?: unknown, url?: unknown}} */ (transport ?? {});
  if (isFileUrl(url)) return url;
  throw new UsageError(
    `The transport ${quote(String(name ?? transport))} does not say where its module is: other processes load it. Add url: import.meta.url to what it gives to defineTransport().`,
  );
}

/**
 * A name is that of a package. The path of a folder begins with ./, so that a folder never hides a transport or a group.
 * @param {string} name no transport or package @param {string} [folder] @throws {UsageError} when a folder has this name
 */
function refuseFolder(name, folder = '.') {
  if (/[/:]/.test(name) || !isFolder(join(folder, name))) return;
  throw new UsageError(`There is no transport named ${quote(name)}. Did you mean the folder ./${name}?`);
}

/** @param {string} path */
function isFolder(path) {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/** The transports of the config file may belong to a group that is named. @param {string} [folder] */
async function bringConfigured(folder) {
  const named = (await transportsOfConfig(folder)).map(specifierOf);
  return await bringTransports(
    named.filter((one) => transportsOfGroup(one) === null),
    folder,
  );
}

/** The transport of this name in the config file. @param {string} name @param {string} [folder] */
async function ofConfig(name, folder) {
  for (const transport of await transportsOfConfig(folder)) {
    const guest = await loadGuest(specifierOf(transport), folder);
    if (guest?.name === name) return guest;
  }
  return null;
}

/** @param {Guest} guest @returns {Promise<Guest>} the transport with the name of its kind of broker */
async function bring(guest) {
  const kind = guest.bringBroker === null ? null : await loadKind(guest.bringBroker, guest);
  const whole = kind === null ? guest : {...guest, broker: kind.name};
  const isKnown = findTransport(guest.name)?.module?.url === guest.module.url;
  if (!isKnown) {
    if (kind !== null) refuseUnfitKind(kind, whole);
    refuseUnfit(whole, kind?.options ?? []);
  }
  addTransport(whole);
  if (kind !== null) addBrokerKind(kind);
  if (!isKnown) addOptions(guest.options, kind);
  return whole;
}

/** @param {BringBroker} bringBroker @param {Guest} guest */
async function loadKind(bringBroker, guest) {
  const where = `The kind of broker of ${whereIs(guest)}`;
  /** @type {{default?: BrokerKind}} */
  let loaded;
  try {
    loaded = await bringBroker();
  } catch (cause) {
    throw new UsageError(`${where} cannot be loaded: ${/** @type {Error} */ (cause).message}`, {cause});
  }
  if (typeof loaded?.default?.connectionFrom !== 'function')
    throw new UsageError(`${where} must be the default export of its module, made by defineBroker().`);
  return loaded.default;
}

/** @param {BrokerKind} kind @param {Guest} guest the transport that adds the kind */
function refuseUnfitKind({url, name, schemes}, guest) {
  const where = `The kind of broker ${quote(name)} of ${whereIs(guest)}`;
  // Several transports may share a kind, so a kind of the same module is no conflict.
  for (const other of brokerKinds.filter((one) => one.url === undefined || one.url !== url)) {
    if (other.name === name)
      throw new UsageError(`${where} has a name that another kind of broker has already.`);
    const scheme = schemes.find((one) => other.schemes.includes(one));
    if (scheme) throw new UsageError(`${where} has URLs with ${scheme}://, which belongs to ${other.label}.`);
  }
}

/** @param {Guest} guest @param {readonly Option[]} optionsOfKind options of the kind of broker that the transport adds */
function refuseUnfit(guest, optionsOfKind) {
  const {broker, bringBroker, options} = guest;
  const where = whereIs(guest);
  const kinds = brokerKinds.map((kind) => kind.name);
  if (broker !== null && bringBroker === null && !kinds.includes(broker))
    throw new UsageError(
      `${capital(where)} needs a broker ${quote(broker)}. The kinds are: ${kinds.join(', ')}. Another one can be brought: broker: () => import('./broker.js').`,
    );
  for (const option of [...options, ...optionsOfKind]) {
    const same = allOptions.find(
      (other) =>
        /** @type {object} */ (other) !== option &&
        (other.name === option.name ||
          other.key === option.key ||
          other.environmentName === option.environmentName),
    );
    if (same)
      throw new UsageError(
        `${capital(where)} has an option --${option.name}, whose name, key or variable is that of --${same.name}. Begin it with the name of the transport.`,
      );
  }
}

/** @param {Guest} guest */
function whereIs({name, module: {specifier}}) {
  return `the transport ${quote(name)} of ${quote(specifier)}`;
}

/** @param {string} sentence */
function capital(sentence) {
  return sentence[0].toUpperCase() + sentence.slice(1);
}

import {existsSync, statSync} from 'node:fs';
import {join, resolve} from 'node:path';
import {brokerKinds} from '../brokers/index.js';
import {UsageError} from '../errors.js';
import {withHome} from '../files/given-file.js';
import {maskPassword, quote} from '../files/quote.js';
import {readCommandLine} from '../options/command-line.js';
import {resolveOptions} from '../options/resolve.js';
import {allOptions, isOfVariant, optionsOfBattle} from '../settings/index.js';
import {transports} from '../transports/index.js';

/** @import {Program, Side} from '../settings/types.js' */

const libraries = [...new Set(transports.flatMap((transport) => transport.libraries))];

/**
 * Reads the sides of a comparison. Nothing is fetched or started.
 * @param {{a: string | null, b: string | null}} given @returns {Side[]} side a twice, and side b
 * @throws {UsageError} when a part of a side is unknown, or is a setting that both sides share
 */
export function readSides({a, b}) {
  if (b === null)
    throw new UsageError(
      "ab needs --b, and usually --a: --a '--rabbitmq-confirms off' --b '--rabbitmq-confirms on'.",
    );
  const [one, other] = withEqualBrokers(readSide('--a', a ?? ''), readSide('--b', b));
  return [
    {name: 'a', ...one},
    {name: 'a again', ...one},
    {name: 'b', ...other},
  ];
}

/**
 * If only one side names a version of a broker, its broker is private. Then the other side gets a private broker of the installed version, too,
 * instead of a service that runs on this host.
 * @param {Omit<Side, 'name'>} one @param {Omit<Side, 'name'>} other
 */
function withEqualBrokers(one, other) {
  const sides = [one, other];
  for (const {otherVersions} of brokerKinds) {
    if (otherVersions === undefined) continue;
    const {option, installed} = otherVersions;
    const named = sides.filter(({values}) => option.key in values);
    const bare = sides.find(({values}) => !(option.key in values));
    if (named.length !== 1 || bare === undefined) continue;
    bare.values = {...bare.values, [option.key]: option.list ? [installed] : installed};
    bare.origins = {...bare.origins, [option.key]: {kind: 'default', name: 'ab'}};
  }
  return sides;
}

/** @param {string} flag @param {string} text @returns {Omit<Side, 'name'>} */
function readSide(flag, text) {
  const {flags, words} = readCommandLine(optionsOfBattle, text.split(/\s+/).filter(Boolean));
  const {values, origins} = resolveOptions(allOptions, {scope: 'battle', mine: optionsOfBattle, flags});
  const given = optionsOfBattle.filter(({key}) => origins[key].kind === 'flag');
  const common = given.find((option) => !isOfVariant(option));
  if (common)
    throw new UsageError(`${flag} has --${common.name}, which both sides share. Give it outside of ${flag}.`);
  const several = given.find(({key}) => [values[key]].flat().length > 1);
  if (several) throw new UsageError(`${flag} has several values of --${several.name}. A side has one.`);
  const {broker, rest} = brokerOfSide(flag, words);
  const program = programOf(flag, rest);
  if (origins.runtime.kind === 'flag' && (program.node ?? program.packages?.node) !== undefined)
    throw new UsageError(`${flag} has --runtime and a program of Node.js. A side has one of them.`);
  if (broker !== null && given.some(({key}) => key === broker.key))
    throw new UsageError(
      `${flag} names a broker twice: by ${quote(broker.word)}, and by a setting. Use one of them.`,
    );
  return {
    values: {
      ...Object.fromEntries(given.map(({key}) => [key, values[key]])),
      ...(broker !== null && {[broker.key]: broker.value}),
    },
    origins: {
      ...Object.fromEntries(given.map(({key}) => [key, origins[key]])),
      ...(broker !== null && {[broker.key]: {kind: 'flag', name: flag}}),
    },
    program,
  };
}

/**
 * Reads the version of a broker in a side, as a value of the broker's option.
 * @param {string} flag @param {readonly string[]} words
 * @returns {{broker: {key: string, value: unknown, word: string} | null, rest: string[]}} rest: the other words
 */
function brokerOfSide(flag, words) {
  const [word, another] = words.filter((one) => one.startsWith('broker='));
  if (word === undefined) return {broker: null, rest: [...words]};
  if (another !== undefined)
    throw new UsageError(`${flag} has ${quote(word)} and ${quote(another)}. A side has one of each kind.`);
  const [, name, version] = /^broker=([^@]+)@(.+)$/.exec(word) ?? [];
  const versioned = brokerKinds.filter(({otherVersions}) => otherVersions !== undefined);
  const option = versioned.find((kind) => kind.name === name)?.otherVersions?.option;
  const value = option?.type.parse(version);
  if (option === undefined || value === undefined) {
    const forms = versioned.map((kind) => `broker=${kind.name}@VERSION`).join(' or ');
    throw new UsageError(`${flag} has ${quote(word)}. The version of a broker is ${forms}.`);
  }
  return {
    broker: {key: option.key, value: option.list ? [value] : value, word},
    rest: words.filter((one) => one !== word),
  };
}

/** @param {string} flag @param {readonly string[]} words */
function programOf(flag, words) {
  /** @type {Program} */
  const program = {given: [...words]};
  for (const word of words) {
    const [, what, given] = /^(node|folder|git|programs|programs-git)=(.+)$/s.exec(word) ?? [];
    const [, name, version] = /^((?:@[a-z\d-]+\/)?[a-z\d][\w.-]*)@([\w.^~<>=|-]+)$/i.exec(word) ?? [];
    if (what === 'node') program.node = pathOf(flag, word);
    else if (what === 'folder') program.folder = pathOf(flag, word, 'src');
    else if (what === 'git') program.ref = given;
    else if (what === 'programs') program.programsIn = folderOf(flag, word);
    else if (what === 'programs-git') program.programsRef = given;
    else if (word === 'only=client') program.only = 'client';
    else if (word === 'only=server') program.only = 'server';
    else if (name !== undefined) program.packages = {...program.packages, [name]: version};
    else
      throw new UsageError(
        `${flag} has ${quote(word)}, which is neither a setting, node=PATH, node@VERSION, folder=PATH, git=REF, PACKAGE@VERSION, broker=NAME@VERSION, programs=PATH, programs-git=REF, only=client nor only=server.`,
      );
  }
  refuseTwice(flag, words);
  refuseTwoFolders(flag, words);
  const {node, packages = {}, only} = program;
  if (node !== undefined && packages.node !== undefined)
    throw new UsageError(`${flag} has two programs of Node.js: node=${node} and node@${packages.node}.`);
  if (only !== undefined && Object.keys(program).every((key) => key === 'given' || key === 'only'))
    throw new UsageError(`${flag} has only=${only}, and no program, folder, commit or package for it.`);
  const own = Object.keys(packages).filter((name) => name !== 'node');
  const scripts = words.find((word) => /^(?:folder|git)=/.test(word));
  if (scripts !== undefined && own.length > 0)
    throw new UsageError(
      `${flag} has ${quote(scripts)}, which has its own packages, so ${own[0]} is not replaced.`,
    );
  const unused = own.find((name) => !libraries.includes(name));
  if (unused !== undefined)
    throw new UsageError(
      `${flag} has ${unused}, which no transport uses. The packages that they use are: ${libraries.join(', ')}.`,
    );
  return program;
}

/** Otherwise the second of two parts of the same kind would replace the first part. @param {string} flag @param {readonly string[]} words */
function refuseTwice(flag, words) {
  const kindOf = (/** @type {string} */ word) =>
    /^(node|git|folder|programs|programs-git|only)=|^(.+)@/.exec(word)?.[0] ?? word;
  const again = words.find((word, index) => words.findIndex((one) => kindOf(one) === kindOf(word)) < index);
  if (again === undefined) return;
  const first = words.find((word) => kindOf(word) === kindOf(again)) ?? '';
  throw new UsageError(`${flag} has ${quote(first)} and ${quote(again)}. A side has one of each kind.`);
}

/** @param {string} flag @param {readonly string[]} words */
function refuseTwoFolders(flag, words) {
  const kinds = [
    ['scripts', /^(?:folder|git)=/],
    ['programs', /^programs(?:-git)?=/],
  ];
  for (const [what, pattern] of /** @type {[string, RegExp][]} */ (kinds)) {
    const [one, another] = words.filter((word) => pattern.test(word));
    if (another !== undefined)
      throw new UsageError(`${flag} has two folders of ${what}: ${quote(one)} and ${quote(another)}.`);
  }
}

/** @param {string} flag @param {string} word */
function folderOf(flag, word) {
  const folder = pathOf(flag, word);
  if (!statSync(folder).isDirectory())
    throw new UsageError(`${flag} has ${quote(word)}, and ${maskPassword(folder)} is not a folder.`);
  return folder;
}

/** @param {string} flag @param {string} word @param {string} [file] must exist in the path */
function pathOf(flag, word, file = '') {
  const path = withHome(word.slice(word.indexOf('=') + 1));
  const needed = join(path, file);
  if (existsSync(needed)) return resolve(path);
  throw new UsageError(`${flag} has ${quote(word)}, and ${maskPassword(needed)} does not exist.`);
}

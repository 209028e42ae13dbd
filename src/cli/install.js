import {spawn} from 'node:child_process';
import {dirname} from 'node:path';
import {fileURLToPath} from 'node:url';
import {brokerKindNamed} from '../brokers/index.js';
import {findProgram, notInstalled} from '../brokers/programs.js';
import {RunError, UnavailableError, UsageError} from '../errors.js';
import {quote} from '../files/quote.js';
import {didYouMean} from '../options/show-option.js';
import {libraryMissing} from '../packages/import-library.js';
import {installPackage} from '../packages/install.js';
import {findPackage, packageAbove} from '../packages/load.js';
import {printJson} from '../report/for-programs.js';
import {printText} from '../report/terminal.js';
import {bringTransports} from '../settings/bring-transports.js';
import {optionsOfInstall} from '../settings/index.js';
import {transportGroups} from '../transports/groups.js';
import {transportsOfGroup} from '../transports/index.js';
import {installable} from './installable.js';
import {readFlagsAndWords} from './read-settings.js';

/**
 * @import {BrokerKind} from '../brokers/kind.js'
 * @import {Guest} from '../transports/transport.js'
 * @import {Needs} from './installable.js'
 */

/**
 * `perf-battle install NAME…`: installs the npm packages and the broker's program that a transport or a command needs. Without a name, lists
 * what can be installed.
 * @param {readonly string[]} commandLine @param {AbortSignal} signal
 */
export async function install(commandLine, signal) {
  const {values, words} = readFlagsAndWords(commandLine, optionsOfInstall);
  const all = installable();
  // Of a group, only the transports that need an installation.
  const named = words.flatMap(
    (word) => transportsOfGroup(word)?.filter((name) => Object.hasOwn(all, name)) ?? [word],
  );
  for (const word of named.filter((one) => !Object.hasOwn(all, one))) {
    const [guest] = await bringTransports([word]);
    if (guest) all[word] = {...(all[guest.broker ?? ''] ?? {packages: []}), broker: guest.broker, guest};
  }
  const unknown = named.find((word) => !Object.hasOwn(all, word));
  if (unknown !== undefined)
    throw new UsageError(
      `install takes the names of what can be installed: ${Object.keys(all).join(', ')}, or a group of transports: ${transportGroups.join(', ')}. It was given ${quote(unknown)}.${didYouMean(unknown, [...Object.keys(all), ...transportGroups])}`,
    );
  for (const name of named) await provide(all[name], signal);
  const names = words.length > 0 ? named : Object.keys(all);
  const states = await Promise.all(names.map((name) => stateOf(name, all[name])));
  if (values.json) printJson({install: states});
  else process.stdout.write(`${states.map(describe).join('\n')}\n`);
  return 0;
}

/**
 * @param {Needs} needs @param {AbortSignal} signal
 * @throws {UnavailableError} for what a transport of the user brings: the message says how a person installs it
 */
async function provide({packages, broker, version, guest}, signal) {
  const lacking = guest && librariesOf(guest).find(({folder}) => folder === null);
  if (lacking) throw libraryMissing(lacking.name, guest.label);
  for (const name of packages) await installPackage(name, {log: (line) => printText(line), signal});
  if (broker === null) return;
  const kind = brokerKindNamed(broker);
  if ((await programOf(kind, version)) !== null) return;
  if (kind.url !== undefined) throw notInstalled(kind);
  const script = new URL(`../../infra/${broker}/install.sh`, import.meta.url);
  await runScript(script, version === undefined ? [] : ['--beside'], signal);
}

/** The libraries of a transport of the user, which loads them from its own folder or a folder above. @param {Guest} guest */
function librariesOf({libraries, module}) {
  const from = dirname(fileURLToPath(module.url));
  return libraries.map((name) => ({name, folder: packageAbove(from, name)}));
}

/** @param {BrokerKind} kind @param {string | undefined} version @returns {Promise<string | null>} the path of the broker's program, or null */
async function programOf(kind, version) {
  if (version === undefined) return await findProgram(kind);
  return await findProgram(kind, {settings: kind.otherVersions?.setting(version)}).catch((error) => {
    if (error instanceof UnavailableError) return null;
    throw error;
  });
}

/** @param {URL} script @param {readonly string[]} flags @param {AbortSignal} signal */
async function runScript(script, flags, signal) {
  const needsSudo = process.platform === 'linux' && process.getuid?.() !== 0;
  const [file, ...words] = [...(needsSudo ? ['sudo'] : []), 'bash', fileURLToPath(script), ...flags];
  const child = spawn(file, words, {stdio: ['inherit', process.stderr, 'inherit'], signal});
  const code = await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code !== 0) throw new RunError(`${[file, ...words].join(' ')} ended with exit code ${code}.`);
}

/** @param {string} name @param {Needs} needs */
async function stateOf(name, {packages, broker, version, guest}) {
  const kind = broker === null ? null : brokerKindNamed(broker);
  return {
    name: guest?.name ?? name,
    packages: [
      ...(guest ? librariesOf(guest) : []),
      ...packages.map((one) => ({name: one, folder: findPackage(one)})),
    ],
    program: kind && {name: kind.program, path: await programOf(kind, version)},
  };
}

/** @param {Awaited<ReturnType<typeof stateOf>>} state */
function describe({name, packages, program}) {
  const parts = [
    ...packages.map(({name: one, folder}) => ({what: one, where: folder})),
    ...(program ? [{what: program.name, where: program.path}] : []),
  ];
  const lines = parts.map(({what, where}) => `  ${what}: ${where ?? 'not installed'}`);
  return [name, ...lines].join('\n');
}

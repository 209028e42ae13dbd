import {basename, dirname, join, relative} from 'node:path';
import {brokerKindNamed} from '../brokers/index.js';
import {UsageError} from '../errors.js';
import {quote} from '../files/quote.js';
import {readEnvFile, resolveOptions, unknownNames} from '../options/resolve.js';
import {canShow, formatMasked} from '../options/show-option.js';
import {drawSeed} from '../payload/random.js';
import {checkGivenFiles, withSettingsOfUrls} from '../settings/broker-settings.js';
import {meaningOf} from '../settings/describe-settings.js';
import {allOptions, optionsOfTransport} from '../settings/index.js';
import {helpWidth, wrapWords} from '../text/lines.js';
import {brokersOf} from '../transports/index.js';
import {workloadOptions, workloads} from '../workloads/index.js';

/**
 * @import {BrokerConnection} from '../brokers/kind.js'
 * @import {RoleName} from '../messages.js'
 * @import {ScriptOption, ScriptValues} from '../settings/index.js'
 * @import {Transport} from '../transports/transport.js'
 */

/** Number of round trips of a client by hand, if neither a number nor a duration is given. */
const defaultSamples = 5000;

/**
 * Reads the configuration of a script by hand from flags, the environment, .env in the working directory, and defaults.
 * @param {Transport} transport @param {readonly string[]} commandLine
 * @returns {Promise<{options: ScriptValues & {broker: BrokerConnection | null}, warnings: readonly string[]}>}
 * @throws {UsageError}
 */
export async function readConfiguration(transport, commandLine) {
  const mine = optionsOfTransport(transport);
  const envFile = readEnvFile('.env');
  const resolved = resolveOptions(allOptions, {
    scope: 'script',
    mine,
    flags: await readFlags(commandLine),
    environment: process.env,
    envFile,
    guestVariables: await guestVariablesIn(envFile),
  });
  const {values, origins, warnings} = withSettingsOfUrls(resolved);
  if (values.stdin === 'control') {
    throw new UsageError(
      `${origins.stdin.name} has no effect: standard input is a control channel only with PB_STDIN=control in the environment.`,
    );
  }
  checkGivenFiles(mine, {values, origins}, {hasBothEnds: false});
  const variant = /** @type {ScriptValues} */ (transport.complete?.(values) ?? values);
  const refused = transport.refuse?.(variant, workloads[variant.workload].needs);
  if (refused) throw new UsageError(refused);
  const ofWorkload = workloads[variant.workload].defaultSamples ?? null;
  const samples = values.samples ?? ofWorkload ?? (values.durationMs === null ? defaultSamples : null);
  const options = resolveWorkload(variant, transport);
  return {
    options: {...options, ...onBroker(transport, options), seed: options.seed ?? drawSeed(), samples},
    warnings,
  };
}

/** Loads what reads modules of the user only if .env needs it. @param {Record<string, string>} envFile */
async function guestVariablesIn(envFile) {
  if (unknownNames(allOptions, envFile).length === 0) return [];
  const {variablesOfGuests} = await import('../settings/bring-transports.js');
  return await variablesOfGuests(envFile);
}

/**
 * Returns the connection to the broker, and the prefix of the names that are created there.
 * @param {Transport} transport @param {ScriptValues} settings
 */
function onBroker({name}, settings) {
  const [kind] = brokersOf(name, settings).map(brokerKindNamed);
  if (!kind) return {broker: null};
  const {key = ''} = kind.nameOptions.at(-1) ?? {};
  const brokerPrefix = /** @type {string} */ (/** @type {Record<string, unknown>} */ (settings)[key]);
  return {broker: kind.connectionFrom(settings), brokerPrefix};
}

/**
 * Leaves out the settings of other workloads. A setting of this workload without a value gets the middle of the battle's values.
 * @param {ScriptValues} values @param {Transport} transport @returns {ScriptValues}
 */
function resolveWorkload(values, transport) {
  const workload = workloads[values.workload];
  const defaults = {...workload.dimensions(transport, values), ...workload.byHand};
  /** @type {Set<string>} */
  const others = new Set(workloadOptions.filter(({key, list}) => list && !defaults[key]).map(({key}) => key));
  const own = Object.entries(values)
    .filter(([key]) => !others.has(key))
    .map(([key, value]) => [key, value ?? defaults[key]?.[defaults[key].length >> 1] ?? null]);
  const asked = Object.fromEntries(own);
  return workload.complete?.(asked) ?? asked;
}

/** Loads the parser only if there are flags. Most scripts start without flags. @param {readonly string[]} commandLine */
async function readFlags(commandLine) {
  if (commandLine.length === 0) return {};
  const {readCommandLine} = await import('../options/command-line.js');
  const {flags, words} = readCommandLine(allOptions, commandLine);
  if (words.length > 0)
    throw new UsageError(
      `This script takes no words, only flags and PB_ variables, which --help lists. It was given ${quote(words[0])}.`,
    );
  return flags;
}

/**
 * Returns the text of `--help` for a half of a transport by hand.
 * @param {Transport} transport @param {RoleName} role @param {string} program path of the started script
 * @param {number} [width] columns
 */
export function helpOfRole(transport, role, program, width = helpWidth()) {
  const isClient = role === 'client';
  const [mine, other] = commandsFor(transport, role, program);
  const [what, example] = isClient
    ? ['Sends requests to the server and prints their round-trip times', `PB_SAMPLES=2000 ${mine}`]
    : ['Answers the requests of clients until it is stopped (Ctrl-C)', mine];
  const options = optionsOfTransport(transport);
  const groups = [...new Set(options.map(({group}) => group))];
  const wrap = (/** @type {string} */ text) => wrapWords(text, width).join('\n');
  const describeGroup = (/** @type {string} */ group) =>
    `${group}:\n${options.flatMap((option) => (option.group === group ? describe(option, width) : [])).join('\n')}`;
  return `${wrap(`${transport.label}: ${what}.`)}
${wrap(`The ${isClient ? 'server' : 'client'} is ${other}. npx perf-battle --transport ${transport.name} starts and measures both, and says how far to trust the figures.`)}

Example:
  ${example}

${wrap('Variables, also in a file .env in this folder. Each has a flag of its name: PB_SAMPLES is --samples (perf-battle help options).')}

${groups.map(describeGroup).join('\n\n')}
`;
}

/**
 * @param {Transport} transport @param {RoleName} role @param {string} program path of the started script
 * @returns {[mine: string, other: string]}
 */
function commandsFor({name}, role, program) {
  const isScript = basename(program) === `${name}-${role}.js`;
  const commandOf = (/** @type {RoleName} */ one) =>
    isScript
      ? `node ${relative('', join(dirname(program), `${name}-${one}.js`))}`
      : `npx perf-battle ${halves[one]} ${name}`;
  return [commandOf(role), commandOf(role === 'client' ? 'server' : 'client')];
}

const halves = {server: 'serve', client: 'call'};

/** @param {ScriptOption} option @param {number} width columns */
function describe(option, width) {
  const {environmentName} = option;
  const initial = option.default;
  const isShown = initial !== null && canShow(option);
  const shown = isShown ? ` (default ${formatMasked(option, initial, {several: false})})` : '';
  const indent = ' '.repeat(6);
  const lines = wrapWords(meaningOf(option), width - indent.length).map((line) => indent + line);
  return [`  ${environmentName}${shown}`, ...lines].join('\n');
}

import {access, constants} from 'node:fs/promises';
import {UsageError} from '../errors.js';
import {readCommandLine} from '../options/command-line.js';
import {readEnvFile} from '../options/env-file.js';
import {isAskedFor, resolveOptions} from '../options/resolve.js';
import {payloadFileSize} from '../payload/payload-file.js';
import {presets, refusePreset} from '../presets/index.js';
import {allOptions, optionsOfBattle} from '../settings/index.js';
import {tlsFiles} from '../transports/tls.js';
import {namingOrigin} from './broker-source.js';

/**
 * @import {Option} from '../options/option.js'
 * @import {Settings} from '../options/resolve.js'
 */

/** What --quick puts in the place of defaults. */
const quickly = {rounds: 3, durationMs: 300, warmUp: {kind: 'auto', maximumMs: 700}};

/**
 * The battle's settings from the command line, the environment, .env and defaults.
 * @param {readonly string[]} commandLine
 * @param {readonly Option[]} [mine] what may be given
 * @returns {Promise<Settings>}
 * @throws {UsageError}
 */
export async function readSettings(commandLine, mine = optionsOfBattle) {
  const {flags, words} = readCommandLine(mine, commandLine);
  if (words.length > 0)
    throw new UsageError(
      `A battle takes no arguments; it was given ${JSON.stringify(words[0])}. See --help.`,
    );
  const settings = resolveOptions(allOptions, {
    scope: 'battle',
    mine,
    flags,
    environment: process.env,
    envFile: readEnvFile('.env'),
  });
  if (settings.values.preset) takePreset(settings);
  if (settings.values.quick) takeQuickDefaults(settings);
  searchMaxRate(settings);
  settleLength(settings);
  settleHosts(settings);
  settleCluster(settings);
  if (settings.values.payloadFile) await takePayloadFile(settings);
  await checkFiles(settings);
  return settings;
}

/** @param {Settings} settings */
function takeQuickDefaults({values, origins}) {
  for (const [key, value] of Object.entries(quickly)) {
    if (origins[key].kind !== 'default') continue;
    values[key] = value;
    origins[key] = {kind: 'default', name: '--quick'};
  }
}

/**
 * What the preset says stands in the place of defaults.
 * @param {Settings} settings
 */
function takePreset({values, origins}) {
  const preset = presets[values.preset];
  refusePreset(preset, {transport: isAskedFor(origins.transport) ? values.transport : null});
  for (const [key, value] of Object.entries(preset.settings)) {
    if (isAskedFor(origins[key])) continue;
    values[key] = value;
    origins[key] = {kind: 'preset', name: `--preset ${values.preset}`};
  }
}

/**
 * The search is a workload; who gives its bound asks for it.
 * @param {Settings} settings
 */
function searchMaxRate({values, origins}) {
  if (values.maxP99Ms === null || values.workload.includes('max-rate')) return;
  if (isAskedFor(origins.workload) && values.workload.join() !== 'rtt') {
    throw new UsageError(
      `${origins.maxP99Ms.name} is for the workload max-rate; ${origins.workload.name} asks for ${values.workload.join()}.`,
    );
  }
  values.workload = ['max-rate'];
}

/**
 * A trial ends after its samples or its duration, whichever is first; the default duration gives way to a number of samples.
 * @param {Settings} settings
 */
function settleLength({values, origins}) {
  if (values.samples !== null && origins.durationMs.kind === 'default') values.durationMs = null;
  if (values.precision === null || !isAskedFor(origins.rounds)) return;
  throw new UsageError(
    `${origins.precision.name} and ${origins.rounds.name} exclude each other: with a precision, the intervals say how many rounds there are.`,
  );
}

/**
 * Who names several hosts wants all of them to take part.
 * @param {Settings} settings
 */
function settleHosts({values, origins}) {
  for (const [key, where] of [
    ['clients', 'clientOn'],
    ['servers', 'serverOn'],
    ['brokerNodes', 'brokerOn'],
  ]) {
    const count = values[where]?.length ?? 0;
    if (count < 2 || isAskedFor(origins[key])) continue;
    values[key] = Array.isArray(values[key]) ? [count] : count;
    origins[key] = {kind: 'preset', name: origins[where].name};
  }
  const {broker} = values;
  if (values.brokerOn === null || ['auto', 'private'].includes(broker)) return;
  throw new UsageError(
    `${origins.brokerOn.name} starts a private broker and ${origins.broker.name} names another: give one of them.`,
  );
}

/**
 * A cluster is there for what it replicates: its queues are quorum queues, which always persist, unless the person says otherwise.
 * @param {Settings} settings
 * @throws {UsageError} when its nodes cannot be had as asked for
 */
function settleCluster(settings) {
  const {values, origins} = settings;
  refuseCluster(settings);
  if (values.brokerNodes === 1) return;
  const take = (/** @type {string} */ key, /** @type {unknown} */ value) => {
    if (origins[key].kind !== 'default') return;
    values[key] = [value];
    origins[key] = {kind: 'default', name: '--broker-nodes'};
  };
  take('queueType', 'quorum');
  if (values.queueType.join() === 'quorum') take('deliveryMode', 2);
}

/** @param {Settings} settings */
function refuseCluster({values, origins}) {
  const {brokerNodes, brokerOn, brokerAddress, broker} = values;
  const hosts = brokerOn?.length ?? 1;
  if (hosts > brokerNodes) {
    throw new UsageError(
      `${origins.brokerOn.name} names ${hosts} hosts and ${origins.brokerNodes.name} asks for ${brokerNodes} node${brokerNodes === 1 ? '' : 's'}: name at most one host a node.`,
    );
  }
  if (brokerAddress !== null && brokerAddress.length !== hosts) {
    throw new UsageError(
      `${origins.brokerAddress.name} must name an address for each host of the private broker: there ${hosts === 1 ? 'is 1' : `are ${hosts}`}; it names ${brokerAddress.length}.`,
    );
  }
  const naming = broker === 'private' ? null : namingOrigin({values, origins});
  if (brokerNodes === 1 || naming === null) return;
  throw new UsageError(
    `${origins.brokerNodes.name} starts a private cluster and ${naming.name} names another broker: give one of them, or --broker private.`,
  );
}

/** @param {Settings} settings */
async function takePayloadFile({values, origins}) {
  if (isAskedFor(origins.payloadBytes)) {
    throw new UsageError(
      `${origins.payloadFile.name} and ${origins.payloadBytes.name} exclude each other: a file has the size it has.`,
    );
  }
  values.payloadBytes = [await payloadFileSize(values.payloadFile)];
  origins.payloadBytes = {kind: 'default', name: origins.payloadFile.name};
}

/**
 * Before anything starts: a broker is connected to when some cells have run already.
 * @param {Settings} settings
 */
async function checkFiles({values, origins}) {
  for (const key of ['rabbitmqCaFile', ...tlsFiles]) {
    if (values[key] === null) continue;
    await access(values[key], constants.R_OK).catch((error) => {
      throw new UsageError(
        `${origins[key].name} must be the path of a file that can be read: ${error.message}.`,
        {cause: error},
      );
    });
  }
  if ((values.tlsCertFile === null) !== (values.tlsKeyFile === null))
    throw new UsageError('--tls-cert-file and --tls-key-file belong together; only one of them was given.');
}

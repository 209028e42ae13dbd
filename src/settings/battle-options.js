import {brokerKindOfUrl, brokerKinds} from '../brokers/index.js';
import {UsageError} from '../errors.js';
import {parsePin} from '../measure/cores.js';
import {maskRefusedUrl, maskTokenUrl} from '../net/broker-url.js';
import {option} from '../options/option.js';
import {decimal, duration, file, hostName, integer, oneOf, onOff, share, text} from '../options/types.js';
import {faultPresetNames} from '../presets/faults.js';
import {allPresets, presetNames} from '../presets/index.js';
import {transportGroups} from '../transports/groups.js';
import {
  defaultTransportNames,
  transportAskedFor,
  transportNames,
  transportsOfGroup,
} from '../transports/index.js';
import {workloads} from '../workloads/index.js';
import {length, payload, samples, warmUp} from './common-options.js';
import {brokerOn, clientOn, hasRemoteRoles, serverOn, where} from './host-options.js';
import {outputOptions} from './output-options.js';

/**
 * @import {OptionType} from '../options/contract.js'
 * @import {TransportName} from '../transports/index.js'
 */

const what = /** @type {const} */ ({scope: 'battle', group: 'What is measured'});
const how = /** @type {const} */ ({scope: 'battle', group: 'Rounds and time'});
const onHosts = /** @type {const} */ ({scope: 'battle', group: where});

const urlNames = brokerKinds.map(({urlOption}) => urlOption.environmentName).join(', ');

/** @type {OptionType<string>} */
const brokerChoice = {
  // A getter, because a transport of the user may add a kind of broker.
  get allowed() {
    // Kinds of brokers may share their schemes.
    const urls = new Set(brokerKinds.map(({urlOption}) => urlOption.type.allowed));
    return `auto, private, ${[...urls].join(', or ')}`;
  },
  placeholder: 'auto|private|URL',
  parse: (value) =>
    ['auto', 'private'].includes(value) ? value : brokerKindOfUrl(value)?.urlOption.type.parse(value),
  format: String,
  mask: (value) => (brokerKindOfUrl(value)?.urlOption.type.mask ?? maskTokenUrl)(value),
  // A word such as `privat` is no secret, so it is not masked.
  maskRefused: (value) => (/^\w*$/.test(value) ? value : maskRefusedUrl(value, maskTokenUrl)),
};

/** @type {OptionType<string>} */
const placement = {
  placeholder: 'CORES',
  allowed: 'auto, main, none, or lists of cores <client>/<server>[/<broker>] such as 0/1 or 0,1/2/3-5',
  parse: (value) => (parsePin(value) ? value : undefined),
  format: String,
};

const scaleNumber = decimal({minimum: 0.000_001, maximum: 1});

/** @type {OptionType<number | 'auto'>} */
const presetScale = {
  ...scaleNumber,
  allowed: `auto, or ${scaleNumber.allowed}`,
  placeholder: 'auto|N',
  parse: (value) => (value === 'auto' ? value : scaleNumber.parse(value)),
  format: String,
};

const sharingPairs = Object.values(workloads)
  .filter(({sharesPair}) => sharesPair?.({rate: null}))
  .map(({name}) => name);

/** @param {readonly string[]} names @returns {OptionType<string>} */
export function presetType(names) {
  const type = oneOf(names);
  return {
    ...type,
    parse: (text) => {
      const name = type.parse(text);
      if (name === undefined) throw new UsageError('perf-battle --list-presets describes them.');
      return name;
    },
  };
}

const preset = option('preset', {
  ...what,
  type: presetType([...presetNames, ...faultPresetNames, allPresets]),
  help: 'Run the workload of a published benchmark and show its figures next to the measured ones. all: a battle for each preset, one after the other, within one --budget. perf-battle table --preset shows the figures again. See --list-presets.',
  helpFor: {
    table:
      'Show only the results of this preset, next to the published figures. all: the results of each preset.',
    faults: 'Run the faults of a published benchmark. The published outcome is shown below the measured one.',
  },
});

/** The limits for the number of rounds. `min` does not apply with --rounds. */
export const roundLimits = {min: 5, max: 1000};

export const defaultBudgetMs = 300_000;

const rounds = option('rounds', {
  ...how,
  type: integer({minimum: 1, maximum: roundLimits.max}),
  brief: `rounds of measurements; at least ${roundLimits.min} by default`,
  help: `Passes over all variants, each in a new random order. By default at least ${roundLimits.min}; --precision and --budget then determine how many more.`,
});

const precision = option('precision', {
  ...how,
  // A number of rounds unsets the precision.
  type: /** @type {OptionType<number | null>} */ (share({minimum: 0.0001, maximum: 0.5})),
  battleDefault: 0.05,
  help: `After ${roundLimits.min} rounds, add rounds of the variants with wider intervals, until the 95 % interval of every mean is within this share of the mean.`,
});

const budget = option('budget', {
  ...how,
  key: 'budgetMs',
  // A number of rounds unsets the budget.
  type: /** @type {OptionType<number | null>} */ (duration({minimumMs: 1000, maximumMs: 86_400_000})),
  battleDefault: defaultBudgetMs,
  resumable: 'override',
  brief: 'how long the battle may take',
  help: `The time that a battle may take: after ${roundLimits.min} rounds, no round begins that would end later. With --rounds there is no limit unless you set one. --resume starts a new budget.`,
});

export const brokerOption = option('broker', {
  ...onHosts,
  type: brokerChoice,
  battleDefault: 'auto',
  brief: 'the broker to use; auto: find or start one',
  help: `The broker to use. auto: the broker given by ${urlNames} or by the other settings of its kind; otherwise a broker that answers on this host; otherwise a private broker. private: a private broker, started for this battle only.`,
  needs: 'a transport that uses such a broker',
  appliesTo: ({broker}, {value}) =>
    broker !== null && [undefined, broker].includes(brokerKindOfUrl(value)?.name),
});

/** A transport of the user may be named by its module, which is loaded before the options are read. @type {OptionType<TransportName>} */
const transportType = {
  get allowed() {
    return `${oneOf(transportNames).allowed}, a group of them (${transportGroups.join(', ')}), or the module of a transport of your own`;
  },
  choices: [...transportNames, ...transportGroups],
  expand: (text) => transportsOfGroup(text) ?? [transportType.parse(text)],
  parse: (text) => /** @type {TransportName | undefined} */ (transportAskedFor(text)?.name),
  format: String,
};

export const battleOptions = [
  option('transport', {
    ...what,
    short: 't',
    type: transportType,
    list: true,
    battleDefault: defaultTransportNames,
    brief: 'the transports to compare, or one of your own',
    help: 'The transports to compare, or a group of them. Raw TCP, the floor, always runs too. With all, the defaults are those of --quick, with rtt and pipeline at 1 and 100 KB and a budget of 11.5 minutes. A path or the name of an npm package is a transport of your own (perf-battle help your-own-transport).',
    helpFor: {
      faults: 'The transports whose brokers and servers are hit.',
      completion: 'Transports of your own, whose options are completed, too.',
      doctor: 'The transports whose brokers must be there. A broker of your own is examined, too.',
    },
  }),
  preset,
  option('scenario', {
    ...what,
    type: text('the name of a scenario'),
    help: 'Use the settings of this name from perf-battle.config.js or .json in this folder. Flags and variables override them.',
  }),
  option('scale', {
    ...what,
    type: presetScale,
    battleDefault: 1,
    help: 'Multiply the message counts of a preset by this number: 0.01 makes a short run. auto: the largest scale estimated to fit the --budget, or 5 minutes without a budget.',
    needs: '--preset, without --samples and --duration',
    appliesTo: (_cell, {read, isAskedFor}) =>
      read(preset) !== null && !isAskedFor(samples) && !isAskedFor(length),
  }),
  rounds,
  precision,
  budget,
  option('pair-per', {
    ...how,
    key: 'pairPer',
    type: oneOf(['variant', 'cell']),
    battleDefault: 'variant',
    help: 'In each round, one pair of processes measures all payload sizes of a variant (variant), or each cell has its own pair (cell).',
    needs: `several payload sizes, no --rate, and a workload whose pairs may measure several sizes: ${sharingPairs.join(' or ')}`,
    appliesTo: ({sharesPair}, {read}) => sharesPair && read(payload).length > 1,
  }),
  option('slices', {
    ...how,
    type: onOff,
    battleDefault: true,
    help: 'Measure the cells of a round in turn, in short slices, so that a disturbance of the host affects all alike. off: measure one cell after the other, without slices.',
    needs: 'the workload rtt without --rate, or pipeline',
    appliesTo: ({isSliced}) => isSliced,
  }),
  option('quick', {
    ...how,
    type: onOff,
    battleDefault: false,
    brief: 'a first look: fewer and shorter rounds',
    help: 'A first look: at least 3 rounds of 200 ms for each size, until each mean is within ± 10 % or 23 s are over. The warm-up sends small requests for at most 3 s.',
    needs:
      'a battle without --preset whose rounds, length or warm-up the other options leave open; --scale shortens a preset',
    appliesTo: (_cell, {read, isAskedFor}) => {
      const parts = [[rounds, precision, budget], [length, samples], [warmUp]];
      return read(preset) === null && parts.some((options) => !options.some(isAskedFor));
    },
  }),
  brokerOption,
  clientOn,
  serverOn,
  brokerOn,
  option('broker-address', {
    ...onHosts,
    type: hostName,
    list: true,
    help: 'The address under which the roles reach the host of the private broker, if it differs from the address that ssh connects to. A cluster on several hosts needs an IPv4 address for each host. The nodes use these addresses too.',
    needs: 'a private broker, and --client-on, --server-on or --broker-on',
    appliesTo: ({mayStartBroker}, settings) => mayStartBroker && hasRemoteRoles(settings),
  }),
  option('ssh-config', {
    ...onHosts,
    type: file('the path of an ssh_config file', {maxBytes: 1024 ** 2}),
    help: 'The configuration file for ssh, instead of your own.',
    needs: '--client-on, --server-on or --broker-on',
    appliesTo: (_cell, settings) => hasRemoteRoles(settings),
  }),
  option('pin', {
    ...onHosts,
    type: placement,
    battleDefault: 'auto',
    help: 'The cores on which roles run: auto; main; none; or the cores of client, server and private broker, such as 0/1 or 0/1/2-3. main: the main thread of each client and server has its own core. The broker has the other cores, if there are two. auto: main on an idle host with enough cores; otherwise none.',
  }),
  option('environment', {
    ...onHosts,
    type: text('a word for the Environment column'),
    battleDefault: 'local',
    help: 'The text of the Environment column. By default cross-host if roles run on different hosts, or EC2 if all of these hosts are EC2 instances.',
  }),
  option('machine', {
    ...onHosts,
    type: text('a name for the RTT column'),
    help: 'The name of the RTT column. By default the instance type on EC2, and the CPU elsewhere.',
  }),
  ...outputOptions,
];

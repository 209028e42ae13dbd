import {brokerKindOfUrl, brokerKinds} from '../brokers/index.js';
import {expectationType} from '../expect/expectation.js';
import {exportFormats} from '../exports/index.js';
import {parsePin} from '../measure/cores.js';
import {option} from '../options/option.js';
import {
  decimal,
  duration,
  file,
  hostName,
  integer,
  maskUser,
  oneOf,
  onOff,
  share,
  text,
} from '../options/types.js';
import {allPresets, presetNames} from '../presets/index.js';
import {parseSshHost} from '../transports/address.js';
import {maskRefusedUrl, maskTokenUrl} from '../transports/broker-url.js';
import {defaultTransportNames, transportNames} from '../transports/index.js';
import {workloads} from '../workloads/index.js';
import {hasRemoteRoles} from './remote-roles.js';
import {defaultBudgetMs, roundLimits} from './rounds.js';

/** @import {OptionType} from '../options/types.js' */

const how = 'Rounds and time';
const where = 'Hosts and brokers';
const output = 'Output';

const urlNames = brokerKinds.map(({urlOption}) => urlOption.environmentName).join(', ');

/** @type {OptionType<string>} */
const brokerChoice = {
  allowed: `auto, private, ${brokerKinds.map(({urlOption}) => urlOption.type.allowed).join(', or ')}`,
  parse: (value) =>
    ['auto', 'private'].includes(value) ? value : brokerKindOfUrl(value)?.urlOption.type.parse(value),
  format: String,
  mask: (value) => (brokerKindOfUrl(value)?.urlOption.type.mask ?? maskTokenUrl)(value),
  // A word such as privat is no secret.
  maskRefused: (value) => (/^\w*$/.test(value) ? value : maskRefusedUrl(value, maskTokenUrl)),
};

/** @type {OptionType<string>} */
const placement = {
  allowed: 'auto, none, or lists of cores <client>/<server>[/<broker>] such as 0/1 or 0,1/2/3-5',
  parse: (value) => (parsePin(value) ? value : undefined),
  format: String,
};

const scaleNumber = decimal({minimum: 0.000_001, maximum: 1});

/** @type {OptionType<number | 'auto'>} */
const presetScale = {
  ...scaleNumber,
  allowed: `auto, or ${scaleNumber.allowed}`,
  parse: (value) => (value === 'auto' ? value : scaleNumber.parse(value)),
  format: String,
};

/** The journal has the same name with .ndjson, so a results file of that name would be both. @type {OptionType<string>} */
const resultsFile = {
  ...text('the path of a markdown file, which does not end in .ndjson as the journal does'),
  parse: (value) => (/\.ndjson$/i.test(value) ? undefined : text('').parse(value)),
};

/** @type {OptionType<string>} */
const sshHost = {
  allowed: 'a host such as [user@]host[:port]',
  parse: (value) => (value.length <= 300 && parseSshHost(value) ? value : undefined),
  format: String,
  maskRefused: maskUser,
};

/** It stands in files of which each line is split at spaces. @type {OptionType<string>} */
const configurationName = {
  allowed: 'a name of at most 200 characters without spaces, quotes, backslashes and #',
  parse: (value) => (/^[^\s\p{Cc}"'`\\#]{1,200}$/u.test(value) ? value : undefined),
  format: String,
};

const ofNamedBattle =
  'The results file in whose journal a battle is found by its id, latest or previous. The journal is next to it and ends in .ndjson.';
const findingsDocument = 'Print one JSON document on standard output: {findings}.';

const withConfiguration = exportFormats
  .filter(({hasConfiguration}) => hasConfiguration)
  .map(({name}) => name);

const sharingPairs = Object.values(workloads)
  .filter(({sharesPair}) => sharesPair?.({rate: null}))
  .map(({name}) => name);

const latenciesWith = Object.values(workloads).flatMap(({name, latenciesWith: own}) =>
  own ? [`${name} has them with ${own.flag}`] : [],
);
const needsOfLatencies = `a battle without --quiet, and latencies; ${latenciesWith.join(', ')}`;

/** The options that only the battle takes. */
export const battleOptions = [
  option('transport', {
    short: 't',
    type: oneOf(transportNames),
    list: true,
    battleDefault: defaultTransportNames,
    scope: 'battle',
    help: 'The transports to compare. Raw TCP, the floor, always runs too.',
    group: 'What is measured',
  }),
  option('preset', {
    type: oneOf([...presetNames, allPresets]),
    scope: 'battle',
    help: 'Run the workload of a published benchmark and show its figures next to the measured ones. all: a battle for each of them, one after the other, which share the --budget. perf-battle table --preset shows them again. See --list-presets.',
    helpFor: {
      table: 'Show only the results of this preset, beside the published figures. all: those of each preset.',
    },
    group: 'What is measured',
  }),
  option('scenario', {
    type: text('the name of a scenario'),
    scope: 'battle',
    help: 'Use the settings of this name from perf-battle.config.js or .json in this folder. Flags and variables override them.',
    group: 'What is measured',
  }),
  option('scale', {
    type: presetScale,
    battleDefault: 1,
    scope: 'battle',
    help: 'Multiply the message counts of a preset by this number: 0.01 makes a short run. auto: the largest scale estimated to fit the --budget; without one, 5 minutes.',
    needs: '--preset, without --samples and --duration',
    appliesTo: (_cell, {values, isAskedFor}) =>
      values.preset !== null && !isAskedFor('samples') && !isAskedFor('durationMs'),
    group: 'What is measured',
  }),
  option('rounds', {
    type: integer({minimum: 1, maximum: roundLimits.max}),
    scope: 'battle',
    help: `Passes over all variants, each in a new random order. By default at least ${roundLimits.min}; --precision and --budget then determine how many more.`,
    group: how,
  }),
  option('precision', {
    // A number of rounds unsets it.
    type: /** @type {OptionType<number | null>} */ (share({minimum: 0.0001, maximum: 0.5})),
    battleDefault: 0.05,
    scope: 'battle',
    help: `After ${roundLimits.min} rounds, add rounds of the variants with wider intervals, until the 95 % interval of every mean is within this share of the mean.`,
    group: how,
  }),
  option('budget', {
    key: 'budgetMs',
    // A number of rounds unsets it, too.
    type: /** @type {OptionType<number | null>} */ (duration({minimumMs: 1000, maximumMs: 86_400_000})),
    battleDefault: defaultBudgetMs,
    scope: 'battle',
    resumable: 'override',
    help: `The time that a battle may take: after ${roundLimits.min} rounds, none begins that would end later. With --rounds there is no limit unless you give one. --resume starts a new budget.`,
    group: how,
  }),
  option('pair-per', {
    key: 'pairPer',
    type: oneOf(['variant', 'cell']),
    battleDefault: 'variant',
    scope: 'battle',
    help: 'In each round, one pair of processes measures all payload sizes of a variant, or each cell has a pair of its own.',
    needs: `several payload sizes, no --rate, and a workload whose pairs may measure several: ${sharingPairs.join(' or ')}`,
    appliesTo: ({sharesPair}, {values}) => sharesPair && [values.payloadBytes].flat().length > 1,
    group: how,
  }),
  option('quick', {
    type: onOff,
    battleDefault: false,
    scope: 'battle',
    help: 'A first look: 3 rounds of 250 ms for each size, with a short warm-up.',
    needs:
      'a battle without --preset whose rounds, length or warm-up the other options leave open; --scale shortens a preset',
    appliesTo: (_cell, {values, isAskedFor}) =>
      values.preset === null &&
      [['rounds', 'precision', 'budgetMs'], ['durationMs', 'samples'], ['warmUp']].some(
        (keys) => !keys.some(isAskedFor),
      ),
    group: how,
  }),
  option('broker', {
    type: brokerChoice,
    battleDefault: 'auto',
    scope: 'battle',
    help: `The broker to use. auto: the broker given by ${urlNames} or by the other settings of its kind; otherwise one that answers on this host; otherwise a private one. private: a private broker, started for this battle only.`,
    needs: 'a transport that uses such a broker',
    appliesTo: ({broker}, {values}) =>
      broker !== null && [undefined, broker].includes(brokerKindOfUrl(String(values.broker))?.name),
    group: where,
  }),
  option('client-on', {
    type: sshHost,
    list: true,
    scope: 'battle',
    help: 'Run the clients on these hosts, over ssh. Several hosts take turns; --clients defaults to the number of hosts. By default clients run on this host.',
    group: where,
  }),
  option('server-on', {
    type: sshHost,
    list: true,
    scope: 'battle',
    help: 'Run the servers on these hosts, over ssh. Several hosts take turns; --servers defaults to the number of hosts. By default servers run on this host.',
    needs: 'a workload with a server, or a private broker',
    appliesTo: ({hasServer, broker}) => hasServer || broker !== null,
    group: where,
  }),
  option('broker-on', {
    type: sshHost,
    list: true,
    scope: 'battle',
    help: 'Start a private broker on these hosts, over ssh. Several hosts take turns with its nodes; --broker-nodes defaults to the number of hosts. By default the broker runs on the host of the first server.',
    needs: 'a private broker, and a transport that uses one',
    appliesTo: ({mayStartBroker}) => mayStartBroker,
    group: where,
  }),
  option('broker-address', {
    type: hostName,
    list: true,
    scope: 'battle',
    help: 'The address under which the roles reach the host of the private broker, if it differs from the address that ssh connects to. A cluster on several hosts needs an IPv4 address for each host, which its nodes use too.',
    needs: 'a private broker, and --client-on, --server-on or --broker-on',
    appliesTo: ({mayStartBroker}, settings) => mayStartBroker && hasRemoteRoles(settings),
    group: where,
  }),
  option('ssh-config', {
    type: file('the path of an ssh_config file', {maxBytes: 1024 ** 2}),
    scope: 'battle',
    help: 'The configuration file for ssh, instead of your own.',
    needs: '--client-on, --server-on or --broker-on',
    appliesTo: (_cell, settings) => hasRemoteRoles(settings),
    group: where,
  }),
  option('pin', {
    type: placement,
    battleDefault: 'auto',
    scope: 'battle',
    help: 'The cores on which roles run: auto; none; or the cores of client, server and private broker, such as 0/1 or 0/1/2-3. auto: on a host with at least two cores for each client, server and broker, each has its own; otherwise none is pinned.',
    group: where,
  }),
  option('environment', {
    type: text('a word for the Environment column'),
    battleDefault: 'local',
    scope: 'battle',
    help: 'The text of the Environment column. By default cross-host if roles run on different hosts, or EC2 if all of these are EC2 instances.',
    group: where,
  }),
  option('machine', {
    type: text('a name for the RTT column'),
    scope: 'battle',
    help: 'The name of the RTT column. By default the instance type on EC2, and the CPU elsewhere.',
    group: where,
  }),
  option('results', {
    resumable: 'anew',
    type: resultsFile,
    battleDefault: 'results.md',
    scope: 'battle',
    help: 'The file whose table gets the rows. The journal is next to it and ends in .ndjson.',
    helpFor: {
      table: 'The results file whose journal is read. The journal is next to it and ends in .ndjson.',
      compare: ofNamedBattle,
      report: ofNamedBattle,
      chart: ofNamedBattle,
    },
    group: output,
  }),
  option('resume', {
    resumable: 'anew',
    type: onOff,
    battleDefault: false,
    scope: 'battle',
    help: 'Continue the interrupted battle in the journal with its own configuration.',
    group: output,
  }),
  option('export', {
    key: 'exports',
    resumable: 'override',
    type: oneOf(exportFormats.map(({name}) => name)),
    list: true,
    scope: 'battle',
    help: `Also write: ${exportFormats.map(({name, summary}) => `${name}: ${summary}`).join('; ')}.`,
    group: output,
  }),
  option('export-configuration', {
    key: 'configuration',
    resumable: 'override',
    type: configurationName,
    scope: 'battle',
    help: 'The name of the configuration in exported data files, after that of the variant. By default environment and machine.',
    needs: `--export ${withConfiguration.join(' or ')}`,
    appliesTo: (_cell, {values}) =>
      withConfiguration.some((name) =>
        /** @type {readonly string[]} */ (values.exports ?? []).includes(name),
      ),
    group: output,
  }),
  option('detail', {
    type: onOff,
    battleDefault: false,
    scope: 'battle',
    resumable: 'override',
    help: 'Show all figures of each cell, both ends of the intervals, and the reasons for each verdict.',
    needs: 'a battle without --quiet',
    appliesTo: (_cell, {values}) => !values.quiet,
    group: output,
  }),
  option('bands', {
    type: onOff,
    battleDefault: false,
    scope: 'battle',
    resumable: 'override',
    help: 'Print percentile bands for each cell: the mean and the maximum of its fastest 75, 90, 99 … 99.999 percent.',
    needs: needsOfLatencies,
    appliesTo: ({hasLatencies}, {values}) => hasLatencies && !values.quiet,
    group: output,
  }),
  option('histogram', {
    type: onOff,
    battleDefault: false,
    scope: 'battle',
    resumable: 'override',
    help: 'Print a histogram of the latencies of each cell.',
    needs: needsOfLatencies,
    appliesTo: ({hasLatencies}, {values}) => hasLatencies && !values.quiet,
    group: output,
  }),
  option('expect', {
    type: expectationType,
    list: true,
    scope: 'battle',
    resumable: 'override',
    help: 'Bounds that the figures must meet: the exit code is 4 if an expectation fails, and 5 if none fails and one cannot be judged. docs/gates.md explains them.',
    group: output,
  }),
  option('metrics-port', {
    type: integer({minimum: 0, maximum: 65_535}),
    scope: 'battle',
    resumable: 'anew',
    help: 'While the battle runs, serve its figures to Prometheus at this port of 127.0.0.1, as of the last finished round. 0: any free port.',
    group: output,
  }),
  option('json', {
    type: onOff,
    battleDefault: false,
    scope: 'battle',
    resumable: 'anew',
    help: 'Print one JSON document on standard output: {battle, cells}, with expectations if there are any. A percentile with too few samples is null.',
    helpFor: {
      table:
        'Print the newest records as one JSON document: {cells}, with expectations if there are any. A percentile with too few samples is null.',
      compare: 'Print one JSON document: {old, new, cells}, with expectations if --fail-if-slower is given.',
      choose:
        'Print one JSON document on standard output: {battle, cells, choices}. A percentile with too few samples is null.',
      doctor: findingsDocument,
      'check-adapter': findingsDocument,
    },
    group: output,
  }),
  option('quiet', {
    type: onOff,
    battleDefault: false,
    scope: 'battle',
    resumable: 'anew',
    help: 'Print errors and warnings only: no progress, no table.',
    group: output,
  }),
  option('dry-run', {
    type: onOff,
    battleDefault: false,
    scope: 'battle',
    resumable: 'anew',
    help: 'Show the cells, the order of the trials and the estimated time. Run nothing.',
    group: output,
  }),
  option('print-config', {
    type: onOff,
    battleDefault: false,
    scope: 'battle',
    resumable: 'anew',
    help: 'Show every value and its origin, with secrets masked. Run nothing.',
    group: output,
  }),
  option('list-presets', {
    type: onOff,
    battleDefault: false,
    scope: 'battle',
    resumable: 'anew',
    help: 'Describe each preset: its source, its content and its estimated time. Run nothing.',
    group: output,
  }),
];

import {brokerKindOfUrl, brokerKinds} from '../brokers/index.js';
import {exportFormats} from '../exports/index.js';
import {option} from '../options/option.js';
import {decimal, integer, oneOf, onOff, share, text} from '../options/types.js';
import {presetNames} from '../presets/index.js';
import {parseSshHost} from '../transports/address.js';
import {maskUrl} from '../transports/broker-url.js';
import {defaultTransportNames, transportNames} from '../transports/index.js';
import {hasRemoteRoles} from './remote-roles.js';

/** @import {OptionType} from '../options/types.js' */

const how = 'How it is measured';
const where = 'Where';
const output = 'What comes out';

const urlNames = brokerKinds.map(({urlOption}) => urlOption.environmentName).join(', ');

/** @type {OptionType<string>} */
const brokerChoice = {
  allowed: ['auto', 'private', ...brokerKinds.map(({urlOption}) => urlOption.type.allowed)].join(' or '),
  parse: (value) =>
    ['auto', 'private'].includes(value) ? value : brokerKindOfUrl(value)?.urlOption.type.parse(value),
  format: String,
  mask: (value) => (brokerKindOfUrl(value)?.urlOption.type.mask ?? maskUrl)(value),
};

/** @type {OptionType<string>} */
const sshHost = {
  allowed: '[user@]host[:port]',
  parse: (value) => (parseSshHost(value) ? value : undefined),
  format: String,
};

/** The options that only the battle takes. */
export const battleOptions = [
  option('transport', {
    type: oneOf(transportNames),
    list: true,
    battleDefault: defaultTransportNames,
    scope: 'battle',
    help: 'The transports to compare; the raw TCP floor always runs beside them.',
    group: 'What is measured',
  }),
  option('preset', {
    type: oneOf(presetNames),
    scope: 'battle',
    help: 'The workload of a published benchmark, and its figures beside ours; see --list-presets.',
    group: 'What is measured',
  }),
  option('scale', {
    type: decimal({minimum: 0.000_001, maximum: 1}),
    battleDefault: 1,
    scope: 'battle',
    help: "A preset's numbers of messages times this: 0.01 for a short one.",
    needs: '--preset, without --samples and --duration',
    appliesTo: (_cell, {values, isAskedFor}) =>
      values.preset !== null && !isAskedFor('samples') && !isAskedFor('durationMs'),
    group: 'What is measured',
  }),
  option('rounds', {
    type: integer({minimum: 1, maximum: 1000}),
    battleDefault: 5,
    scope: 'battle',
    help: 'Passes over all cells, each in a new random order; a trial is one cell in fresh processes.',
    group: how,
  }),
  option('precision', {
    type: share({minimum: 0.0001, maximum: 0.5}),
    scope: 'battle',
    help: 'Go on, from 5 rounds up to 30, until the 95 % interval of every mean is within this share of it.',
    group: how,
  }),
  option('quick', {
    type: onOff,
    battleDefault: false,
    scope: 'battle',
    help: 'A first look: 3 rounds of 300 ms with a short warm-up.',
    needs: 'a battle without --preset (see --scale), in which --rounds, --duration or --warmup is not given',
    appliesTo: (_cell, {values, isAskedFor}) =>
      values.preset === null && ['rounds', 'durationMs', 'warmUp'].some((key) => !isAskedFor(key)),
    group: how,
  }),
  option('broker', {
    type: brokerChoice,
    battleDefault: 'auto',
    scope: 'battle',
    help: `auto: the one that ${urlNames} or the other settings of its kind name, else one that answers on this host, else a private one for this battle.`,
    needs: 'a transport that uses such a broker',
    appliesTo: ({broker}, {values}) =>
      broker !== null && [undefined, broker].includes(brokerKindOfUrl(String(values.broker))?.name),
    group: where,
  }),
  option('client-on', {
    type: sshHost,
    list: true,
    scope: 'battle',
    help: 'Where the clients run, over ssh; several hosts take turns, and there are as many clients unless --clients says. This host unless given.',
    group: where,
  }),
  option('server-on', {
    type: sshHost,
    list: true,
    scope: 'battle',
    help: 'Where the servers run, over ssh; several likewise. This host unless given.',
    needs: 'a workload with a server, or a private broker',
    appliesTo: ({hasServer, broker}) => hasServer || broker !== null,
    group: where,
  }),
  option('broker-on', {
    type: sshHost,
    list: true,
    scope: 'battle',
    help: 'Where a private broker is started, over ssh; several hosts take turns with its nodes, and there are as many nodes unless --broker-nodes says. With the first server unless given, when roles run on other hosts.',
    needs: 'a private broker, and a transport that uses one',
    appliesTo: ({mayStartBroker}) => mayStartBroker,
    group: where,
  }),
  option('broker-address', {
    type: text('a host name or an address'),
    list: true,
    scope: 'battle',
    help: 'What the roles call the host of the private broker, when that is not the address by which ssh arrived there; for a cluster on several hosts an IPv4 address of each, by which its nodes reach each other too.',
    needs: 'a private broker, and --client-on, --server-on or --broker-on',
    appliesTo: ({mayStartBroker}, settings) => mayStartBroker && hasRemoteRoles(settings),
    group: where,
  }),
  option('ssh-config', {
    type: text('the path of an ssh_config file'),
    scope: 'battle',
    help: "What ssh reads in place of the person's own configuration.",
    needs: '--client-on, --server-on or --broker-on',
    appliesTo: (_cell, settings) => hasRemoteRoles(settings),
    group: where,
  }),
  option('environment', {
    type: text('a word for the Environment column'),
    battleDefault: 'local',
    scope: 'battle',
    help: 'What the Environment column says; cross-host unless given, when roles run on different hosts; EC2 when all of them are instances of it.',
    group: where,
  }),
  option('machine', {
    type: text('a name for the RTT column'),
    scope: 'battle',
    help: 'What the RTT column is named for; the instance type on EC2, else the CPU, unless given.',
    group: where,
  }),
  option('results', {
    resumable: 'anew',
    type: text('the path of a markdown file'),
    battleDefault: 'results.md',
    scope: 'battle',
    help: 'The table that rows are appended to; the journal stands beside it, ending in .ndjson.',
    group: output,
  }),
  option('resume', {
    resumable: 'anew',
    type: onOff,
    battleDefault: false,
    scope: 'battle',
    help: 'Go on with the interrupted battle that the journal holds, with its own configuration.',
    group: output,
  }),
  option('export', {
    key: 'exports',
    resumable: 'override',
    type: oneOf(exportFormats.map(({name}) => name)),
    list: true,
    scope: 'battle',
    help: `Besides: ${exportFormats.map(({name, summary}) => `${name}, ${summary}`).join('; ')}.`,
    group: output,
  }),
  option('bands', {
    type: onOff,
    battleDefault: false,
    scope: 'battle',
    resumable: 'override',
    help: 'Percentile bands of each cell: mean and maximum of its fastest 75, 90, 99 … 99.999 per cent.',
    needs: 'a table to stand below: no --quiet',
    appliesTo: (_cell, {values}) => !values.quiet,
    group: output,
  }),
  option('json', {
    type: onOff,
    battleDefault: false,
    scope: 'battle',
    resumable: 'anew',
    help: 'One JSON document on standard output: {battle, cells}.',
    group: output,
  }),
  option('quiet', {
    type: onOff,
    battleDefault: false,
    scope: 'battle',
    resumable: 'anew',
    help: 'No progress and no table; errors and warnings only.',
    group: output,
  }),
  option('dry-run', {
    type: onOff,
    battleDefault: false,
    scope: 'battle',
    resumable: 'anew',
    help: 'Show the cells, the order of the trials and the time they would take; run nothing.',
    group: output,
  }),
  option('print-config', {
    type: onOff,
    battleDefault: false,
    scope: 'battle',
    resumable: 'anew',
    help: 'Show every value and where it comes from, secrets masked; run nothing.',
    group: output,
  }),
  option('list-presets', {
    type: onOff,
    battleDefault: false,
    scope: 'battle',
    resumable: 'anew',
    help: 'Say what each preset is, from which text, and by estimate how long it takes; run nothing.',
    group: output,
  }),
];

import {presetNames} from '../presets/index.js';
import {transports} from '../transports/index.js';
import {workloads} from '../workloads/index.js';
import {workloadOptions} from '../workloads/options.js';
import {battleOptions} from './battle-options.js';
import {commonOptions} from './common-options.js';
import {ec2Options} from './ec2-options.js';
import {tableOptions} from './table-options.js';

/** @import {Transport} from '../transports/index.js' */

const common = commonOptions(Object.values(workloads));

/** Every option there is, in the order in which help lists them. */
export const allOptions = [
  ...battleOptions(
    transports.map(({name}) => name),
    presetNames,
  ),
  ...common,
  ...workloadOptions,
  // Transports may share options, such as those of TLS.
  ...new Set(transports.flatMap(({options}) => options)),
  ...tableOptions,
  ...ec2Options,
];

/** What the script of a transport takes. @param {Transport} transport */
export function optionsOfTransport(transport) {
  return [...common, ...workloadOptions, ...transport.options].filter(({scope}) => scope !== 'battle');
}

/** What the battle takes. */
export const optionsOfBattle = allOptions.filter(({scope}) => scope === 'battle' || scope === 'both');

/** What `perf-battle table` takes. */
export const optionsOfTable = allOptions.filter(({name, scope}) => scope === 'table' || name === 'results');

/** What `perf-battle ec2` takes; its run takes what the battle does besides. */
export const optionsOfEc2 = allOptions.filter(({name, scope}) => scope === 'ec2' || name === 'ssh-config');

/** The settings that make the variants of a transport: its own, and those that all transports share. @param {Transport} transport */
export function variantOptions(transport) {
  return [...common, ...transport.options].filter(({label}) => label !== null);
}

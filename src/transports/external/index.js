import {option} from '../../options/option.js';

/**
 * @import {OptionType} from '../../options/types.js'
 * @import {Capability, Transport} from '../transport.js'
 */

/**
 * A pair of programs in any language.
 * @typedef {{name: string, server: string, client: string}} Programs name: in tables; server, client: a program and its parameters, in the words
 *   of a shell
 */

export const programsGroup = 'Programs of your own';

/** Names stand in markdown tables, so they hold no character that ends a cell. */
const pattern = /^([\p{L}\p{N}][\p{L}\p{N} ._+()/:#-]{0,39})=([^,;]{1,1000}),([^,;]{1,1000})$/u;

/** @type {OptionType<Programs>} */
export const programs = {
  allowed:
    'NAME=SERVER,CLIENT: a name for the tables, and the command of each program, without commas and semicolons',
  separator: ';',
  parse(text) {
    const [, name, server, client] = (pattern.exec(text) ?? []).map((part) => part.trim());
    return name && server && client ? {name, server, client} : undefined;
  },
  format: ({name, server, client}) => `${name}=${server},${client}`,
};

const options = [
  option('external', {
    type: programs,
    list: true,
    // A row shows the name in place of the transport's.
    label: () => null,
    help: 'Two programs of your own, in any language, as a transport: NAME=SERVER,CLIENT. They speak JSON lines as docs/adapters.md describes; perf-battle check-adapter checks them. Separate several with semicolons, or repeat the option.',
    group: programsGroup,
  }),
];

/** Below a table with programs. */
export const floorNote =
  'The floor is raw TCP in Node.js. Programs of --external in other languages may be faster than it.';

const label = 'External';

/** @typedef {{external: Programs | null}} ExternalSettings */

/**
 * Programs that are not part of perf-battle. Its scripts start them, pass the control line on, and measure what they use.
 * @satisfies {Transport<ExternalSettings>}
 */
const external = {
  name: /** @type {const} */ ('external'),
  label,
  labelOf: ({external: given}) => given?.name ?? label,
  options,
  capabilities: /** @type {Capability[]} */ (['request', 'send', 'store']),
  broker: null,
  isOptIn: true,
  impliedBy: 'external',
  runsPrograms: true,
  mayBeatFloor: true,
  libraries: [],
  ignores: () => ['retries', 'profile', 'cacheIn', 'delivery', 'rowsFrom'],
  notesOn: (variants) => (variants.length > 0 ? [floorNote] : []),
  refuse: ({external: given}) =>
    given === null ? '--transport external needs the programs: --external NAME=SERVER,CLIENT.' : null,
};

export default external;

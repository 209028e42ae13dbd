import {brokerKinds} from '../../brokers/index.js';
import {UsageError} from '../../errors.js';
import {quote} from '../../files/quote.js';
import {option} from '../../options/option.js';
import {oneOf} from '../../options/types.js';
import rabbitmq, {deliveryModeOption, shownDeliveryMode} from '../rabbitmq/index.js';

/**
 * @import {OptionType} from '../../options/contract.js'
 * @import {Capability, Transport} from '../transport.js'
 */

/**
 * A server and a client program in any language.
 * @typedef {{name: string, server: string, client: string, broker?: string}} Programs name: shown in tables; server, client: shell words of a program
 *   and its parameters; broker: the broker kind that connects them
 */

export const programsGroup = 'Programs of your own';

/** Names appear in Markdown tables, so they contain no character that ends a cell. */
const pattern = /^([\p{L}\p{N}][\p{L}\p{N} ._+()/:#-]{0,39})=([^,;]{1,1000}),([^,;]{1,1000})$/u;

/** @type {OptionType<Programs>} */
const programs = {
  allowed:
    'NAME=SERVER,CLIENT: a name for the tables, and the command of each program, without commas and semicolons',
  separator: ';',
  placeholder: 'NAME=SERVER,CLIENT',
  parse(text) {
    const [, name, server, client] = (pattern.exec(text) ?? []).map((part) => part.trim());
    return name && server && client ? {name, server, client} : undefined;
  },
  format: ({name, server, client}) => `${name}=${server},${client}`,
};

const noBroker = 'none';

/** @typedef {{of: string | null, kind: string}} KindOfPairs of: the name of a pair; null: all pairs that no other value names */

const kindNames = () => [noBroker, ...brokerKinds.map(({name}) => name)];

/** @type {OptionType<KindOfPairs>} */
const kindOfPairs = {
  // The user may add broker kinds at run time.
  get allowed() {
    return `${oneOf(kindNames()).allowed}, or NAME=KIND for one pair`;
  },
  placeholder: 'KIND',
  parse(text) {
    const [, name = null, word] = /^(?:(.*)=)?\s*(\S+)$/.exec(text) ?? [];
    const kind = kindNames().find((one) => one === word?.toLowerCase());
    return kind === undefined ? undefined : {of: name?.trim() ?? null, kind};
  },
  format: ({of, kind}) => (of === null ? kind : `${of}=${kind}`),
};

const options = [
  option('external', {
    type: programs,
    list: true,
    // A row shows the name of the pair instead of the transport's name.
    label: () => null,
    help: 'Two programs of your own, in any language, as a transport: NAME=SERVER,CLIENT. They speak the JSON lines of perf-battle help adapter-contract; perf-battle check-adapter checks them. Separate several pairs with semicolons, or repeat the option.',
    group: programsGroup,
  }),
  option('broker-kind', {
    type: kindOfPairs,
    list: true,
    default: {of: null, kind: noBroker},
    help: 'The kind of broker through which the programs of --external reach each other: for all pairs, or NAME=KIND for one pair. The battle gives the programs its broker and the names to use there. With RabbitMQ, each delivery mode has a row.',
    group: programsGroup,
  }),
  deliveryModeOption,
];

const floorNote =
  'The floor is raw TCP in Node.js. Programs of --external in other languages may be faster than it.';

const label = 'External';

/** @param {{external: Programs | null}} variant */
const isOverRabbitmq = ({external: given}) => given?.broker === rabbitmq.broker;

/**
 * Returns the pairs of programs of a battle, each with its broker kind.
 * @param {{external?: readonly Programs[] | null, brokerKind?: readonly KindOfPairs[] | null}} values
 * @throws {UsageError} when a kind names a pair that does not exist
 */
export function programsWithBrokers({external: given, brokerKind}) {
  const [pairs, kinds] = [given ?? [], brokerKind ?? []];
  const isOf = (/** @type {KindOfPairs} */ {of}, /** @type {Programs} */ {name}) =>
    of?.toLowerCase() === name.toLowerCase();
  const stray = kinds.find((kind) => kind.of !== null && !pairs.some((pair) => isOf(kind, pair)));
  if (stray)
    throw new UsageError(
      `--broker-kind has a kind for ${quote(String(stray.of))}, which no pair of --external is called. The pairs are: ${pairs.map(({name}) => quote(name)).join(', ')}.`,
    );
  refuseTwoKinds(kinds);
  const ofOthers = kinds.find(({of}) => of === null);
  return pairs.map((pair) => withBroker(pair, kinds.find((kind) => isOf(kind, pair)) ?? ofOthers));
}

/** @param {readonly KindOfPairs[]} kinds @throws {UsageError} */
function refuseTwoKinds(kinds) {
  for (const {of, kind} of kinds) {
    const other = kinds.find((one) => one.of?.toLowerCase() === of?.toLowerCase() && one.kind !== kind);
    if (other)
      throw new UsageError(
        `--broker-kind has two kinds for ${of === null ? 'all pairs' : quote(of)}: ${kind} and ${other.kind}. Give each pair a name and one kind: --broker-kind NAME=${kind}.`,
      );
  }
}

/** @param {Programs} pair @param {KindOfPairs} [kind] */
function withBroker(pair, {kind} = {of: null, kind: noBroker}) {
  return kind === noBroker ? pair : {...pair, broker: kind};
}

/**
 * Programs that are not part of perf-battle. Scripts of perf-battle start them, pass the control channel on, and measure their resource
 * use.
 * @satisfies {Transport}
 */
const external = {
  name: /** @type {const} */ ('external'),
  label,
  labelOf: ({external: given}) => given?.name ?? label,
  options,
  capabilities: /** @type {Capability[]} */ (['request', 'send', 'store']),
  broker: null,
  brokersOf: ({external: given, brokerKind}) =>
    (Array.isArray(given)
      ? programsWithBrokers({external: given, brokerKind})
      : [given ?? []].flat()
    ).flatMap(({broker}) => broker ?? []),
  isOptIn: true,
  impliedBy: 'external',
  runsPrograms: true,
  mayBeatFloor: true,
  libraries: [],
  together: ({external: given, brokerKind}) =>
    given === null
      ? [{external: null}]
      : programsWithBrokers({external: given, brokerKind}).map((one) => ({external: one})),
  // A script that is started by hand has one pair and one kind.
  complete: ({brokerKind, brokerNodes = 1, deliveryMode, ...variant}) => {
    const {external: given} = variant;
    const whole = given && brokerKind !== undefined ? withBroker(given, brokerKind) : given;
    const ofRabbitmq = {deliveryMode, ...(brokerNodes > 1 && {brokerNodes})};
    return {...variant, external: whole, ...(isOverRabbitmq({external: whole}) && ofRabbitmq)};
  },
  // The adapter contract has names of queues and subjects, and no exchange.
  ignores: (variant) => [
    ...['retries', 'profile', 'runtime', 'cacheIn', 'delivery', 'rowsFrom', 'exchange'],
    ...(isOverRabbitmq(variant) ? [] : ['deliveryMode']),
  ],
  qualifier: (variant) => (isOverRabbitmq(variant) ? shownDeliveryMode.qualifier(variant) : null),
  persistent: (variant) => (isOverRabbitmq(variant) ? shownDeliveryMode.persistent(variant) : null),
  notesOn: (variants) => (variants.length > 0 ? [floorNote] : []),
  refuse: ({external: given}) =>
    given === null ? '--transport external needs the programs: --external NAME=SERVER,CLIENT.' : null,
};

export default external;

import {option} from '../../options/option.js';
import external, {floorNote, programs, programsGroup} from '../external/index.js';
import rabbitmq, {deliveryModeOption, shownDeliveryMode} from '../rabbitmq/index.js';

/**
 * @import {Programs} from '../external/index.js'
 * @import {Transport} from '../transport.js'
 */

const options = [
  option('external-rabbitmq', {
    type: programs,
    list: true,
    label: () => null,
    help: 'The same for programs that use RabbitMQ: the battle gives them its broker, the delivery mode, and the name of a queue.',
    group: programsGroup,
  }),
  deliveryModeOption,
];

/** @typedef {{externalRabbitmq: Programs | null, deliveryMode: 1 | 2, queue?: string}} Settings */

/**
 * Programs that are not part of perf-battle, and that reach each other through RabbitMQ.
 * @satisfies {Transport<Settings>}
 */
const externalRabbitmq = {
  name: /** @type {const} */ ('external-rabbitmq'),
  label: `${external.label}, ${rabbitmq.label}`,
  labelOf: ({externalRabbitmq: given}) => given?.name ?? external.label,
  options,
  capabilities: external.capabilities,
  broker: rabbitmq.broker,
  isOptIn: true,
  impliedBy: 'externalRabbitmq',
  runsPrograms: true,
  mayBeatFloor: true,
  libraries: [],
  // The contract has a queue and no exchange.
  ignores: () => [...external.ignores(), 'exchange'],
  ...shownDeliveryMode,
  notesOn: (variants) => (variants.length > 0 ? [floorNote] : []),
  refuse: ({externalRabbitmq: given}) =>
    given === null
      ? '--transport external-rabbitmq needs the programs: --external-rabbitmq NAME=SERVER,CLIENT.'
      : null,
};

export default externalRabbitmq;

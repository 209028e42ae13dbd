import {requireOptional} from '../../packages/load.js';

/**
 * The libraries of JetStream and of NATS, which are no dependencies of perf-battle.
 * @import * as JetStream from '@nats-io/jetstream'
 * @import * as Nats from '@nats-io/transport-node'
 */

const need = {by: 'JetStream', install: 'jetstream'};

export const {jetstream, jetstreamManager, JetStreamApiError} = /** @type {typeof JetStream} */ (
  requireOptional('@nats-io/jetstream', need)
);

export const {createInbox, headers} = /** @type {typeof Nats} */ (
  requireOptional('@nats-io/transport-node', need)
);

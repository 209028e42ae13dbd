import {requireOptional} from '../../packages/load.js';

/**
 * The library of NATS, which is no dependency of perf-battle.
 * @import * as Library from '@nats-io/transport-node'
 * @import * as Transport from '@nats-io/transport-node/lib/node_transport.js'
 */

const need = {by: 'NATS', install: 'nats'};

export const {createInbox, NatsConnectionImpl, ProtocolHandler, setTransportFactory} =
  /** @type {typeof Library} */ (requireOptional('@nats-io/transport-node', need));

export const {NodeTransport, nodeResolveHost} = /** @type {typeof Transport} */ (
  requireOptional('@nats-io/transport-node/lib/node_transport.js', need)
);

import {brokerOf, transportNamed} from '../transports/index.js';
import {hasLatencies, workloads} from '../workloads/index.js';

/**
 * @import {CellFeatures} from '../options/option.js'
 * @import {Cell} from './cell.js'
 */

/**
 * What of a cell determines which options have an effect on it.
 * @param {Pick<Cell, 'transport' | 'workload' | 'variant'>} cell
 * @returns {Omit<CellFeatures, 'brokerUrl' | 'mayStartBroker'>}
 */
export function featuresOf({variant, ...cell}) {
  const {runsPrograms = false} = transportNamed(cell.transport);
  const broker = brokerOf({variant, ...cell});
  const workload = workloads[cell.workload];
  const {clients = 1, servers = 1} = variant;
  return {
    broker,
    hasServer: workload.hasServer,
    servers,
    // A client connects to one server, unless a broker is between them. The contract gives a program the addresses of all servers.
    usesAllServers: broker !== null || runsPrograms || servers <= clients,
    hasReplies: workload.hasReplies?.(variant) ?? workload.needs.includes('request'),
    hasLatencies: hasLatencies({workload: cell.workload, variant}),
    sendsOneWay: workload.needs.includes('send'),
    isSliced: workload.isSliced?.(variant, {samples: null}) ?? false,
    sharesPair: workload.sharesPair?.(variant) ?? false,
  };
}

import {option} from '../options/option.js';
import {integer} from '../options/types.js';

/** How many nodes a private broker has; the kinds that can be clusters take it. */
export const nodesOption = option('broker-nodes', {
  type: integer({minimum: 1, maximum: 15}),
  default: 1,
  scope: 'battle',
  label: (nodes) => (nodes > 1 ? `${nodes} nodes` : null),
  help: 'Nodes of the private broker. Several nodes form a cluster; with --broker-on they run on different hosts.',
  needs: 'a private broker, and a transport that uses one',
  appliesTo: ({mayStartBroker}) => mayStartBroker,
  group: 'Hosts and brokers',
});

import {greet, readAlarm} from './ask.js';
import {planHosts} from './cluster.js';
import {startHostNodes} from './host-nodes.js';
import {programFolders} from './installation.js';
import {removeLeft} from './remove-left.js';
import {beginsMessage} from './wire.js';

/**
 * @import {RabbitmqConnection} from './url.js'
 * @import {BrokerDriver} from '../kind.js'
 */

/** @type {BrokerDriver<RabbitmqConnection>} */
export const driver = {
  greet,
  readAlarm,
  removeLeft,
  beginsMessage,
  processName: /^beam/,
  programFolders,
  planHosts,
  startOnHost: startHostNodes,
};

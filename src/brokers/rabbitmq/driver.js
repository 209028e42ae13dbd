import {readAlarm} from './alarm.js';
import {planHosts} from './cluster.js';
import {greet} from './greet.js';
import {startHostNodes} from './host-nodes.js';
import {programFolders} from './installation.js';
import {removeLeft} from './remove-left.js';
import {beginsMessage} from './wire.js';

/**
 * @import {RabbitmqConnection} from '../../transports/rabbitmq/url.js'
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

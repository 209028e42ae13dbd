import {parseSshHost} from '../net/address.js';
import {option} from '../options/option.js';
import {maskUser} from '../options/types.js';
import {instanceType} from './ec2-options.js';

/**
 * @import {AskedSettings, Option} from '../options/option.js'
 * @import {OptionType} from '../options/types.js'
 */

export const where = 'Hosts and brokers';

/** @type {OptionType<string>} */
const sshHost = {
  allowed: 'a host such as [user@]host[:port]',
  placeholder: 'HOST',
  parse: (value) => (value.length <= 300 && parseSshHost(value) ? value : undefined),
  format: String,
  maskRefused: maskUser,
};

export const clientOn = option('client-on', {
  type: sshHost,
  list: true,
  scope: 'battle',
  help: 'Run the clients on these hosts, over ssh. Several hosts take turns; --clients defaults to the number of hosts. By default clients run on this host.',
  group: where,
});

export const serverOn = option('server-on', {
  type: sshHost,
  list: true,
  scope: 'battle',
  brief: 'run the servers on these hosts, over ssh',
  help: 'Run the servers on these hosts, over ssh. Several hosts take turns; --servers defaults to the number of hosts. By default servers run on this host.',
  needs: 'a server on each of these hosts, with a client of its own or a broker; or a private broker',
  appliesTo: ({hasServer, servers, usesAllServers, broker}, {value}) =>
    hasServer ? usesAllServers && servers >= value.length : broker !== null,
  group: where,
});

export const brokerOn = option('broker-on', {
  type: sshHost,
  list: true,
  scope: 'battle',
  help: 'Start a private broker on these hosts, over ssh. Several hosts take turns with its nodes; --broker-nodes defaults to the number of hosts. By default the broker runs on the host of the first server.',
  needs: 'a private broker, and a transport that uses one',
  appliesTo: ({mayStartBroker}) => mayStartBroker,
  group: where,
});

/** With `ec2 run` there is only an instance type at first. @type {readonly Option[]} */
const placesOfRoles = [clientOn, serverOn, brokerOn, instanceType];

/** Whether a role runs on another host. @param {AskedSettings} settings */
export function hasRemoteRoles({read}) {
  return placesOfRoles.some((option) => (read(option) ?? null) !== null);
}

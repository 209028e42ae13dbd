import {isIPv4} from 'node:net';
import {parseSshHost} from '../net/address.js';
import {option} from '../options/option.js';
import {duration, maskUser, oneOf, onOff, path, text} from '../options/types.js';

/** @import {AskedSettings, Option, OptionType} from '../options/contract.js' */

export const where = 'Hosts and brokers';

/** @type {OptionType<string>} */
const sshHost = {
  allowed: 'a host such as [user@]host[:port]',
  placeholder: 'HOST',
  parse: (value) => (value.length <= 300 && parseSshHost(value) ? value : undefined),
  format: String,
  maskRefused: maskUser,
};

const ofRoles = /** @type {const} */ ({type: sshHost, list: true, scope: 'battle', group: where});

export const clientOn = option('client-on', {
  ...ofRoles,
  help: 'Run the clients on these hosts, over ssh. Several hosts take turns; --clients defaults to the number of hosts. By default clients run on this host.',
});

export const serverOn = option('server-on', {
  ...ofRoles,
  brief: 'run the servers on these hosts, over ssh',
  help: 'Run the servers on these hosts, over ssh. Several hosts take turns; --servers defaults to the number of hosts. By default servers run on this host.',
  helpFor: {faults: 'Run the servers on another host, over ssh.'},
  needs: 'a server on each of these hosts, with a client of its own or a broker; or a private broker',
  appliesTo: ({hasServer, servers, usesAllServers, broker}, {value}) =>
    hasServer ? usesAllServers && servers >= value.length : broker !== null,
});

export const brokerOn = option('broker-on', {
  ...ofRoles,
  help: 'Start a private broker on these hosts, over ssh. Several hosts take turns with its nodes; --broker-nodes defaults to the number of hosts. By default the broker runs on the host of the first server.',
  helpFor: {
    faults:
      'Start the private broker on another host, over ssh. By default it runs on the host of the servers.',
  },
  needs: 'a private broker, and a transport that uses one',
  appliesTo: ({mayStartBroker}) => mayStartBroker,
});

const ofEc2 = /** @type {const} */ ({scope: 'ec2', group: 'EC2'});
const flag = /** @type {const} */ ({...ofEc2, type: onOff, battleDefault: false});

/** @type {OptionType<string>} */
const typeName = {
  allowed: 'an EC2 instance type, such as t2.micro',
  placeholder: 'TYPE',
  parse: (value) => (/^[a-z][a-z0-9-]*\.[a-z0-9-]+$/.test(value) ? value : undefined),
  format: String,
};

/** @type {OptionType<string>} */
const callers = {
  allowed: 'an IPv4 address, or a range of them such as 203.0.113.0/24',
  placeholder: 'ADDRESS',
  parse: (value) => {
    const [address, bits = '32', ...rest] = value.split('/');
    const isRange = rest.length === 0 && /^\d{1,2}$/.test(bits) && Number(bits) <= 32;
    return isIPv4(address) && isRange ? `${address}/${Number(bits)}` : undefined;
  },
  format: String,
};

const instanceType = option('instance-type', {
  ...ofEc2,
  type: typeName,
  list: true,
  brief: 'the instance types',
  help: 'The instance types. Each type gets its own hosts, its own battle and its own column in the table.',
});

export const hostOptions = [
  instanceType,
  option('region', {
    ...ofEc2,
    type: text('a region of AWS, such as us-east-1'),
    brief: 'the AWS region',
    help: 'The AWS region; by default AWS_REGION, or the region of the AWS profile.',
  }),
];

export const creationOptions = [
  option('zone', {
    ...ofEc2,
    type: text('an availability zone, such as us-east-1b'),
    brief: 'the availability zone',
    help: 'The availability zone; by default the first zone in the region that offers the type.',
  }),
  option('key', {
    ...ofEc2,
    type: path('the path of an ssh key, or the name of a key pair of EC2'),
    brief: 'the ssh key to log in with',
    help: 'The ssh key to log in with; by default ~/.ssh/id_ed25519 or id_rsa.',
  }),
  option('ssh-from', {
    ...ofEc2,
    type: callers,
    brief: 'the addresses from which ssh is allowed',
    help: 'The addresses from which ssh is allowed; by default the public address of this host.',
  }),
  option('ttl', {
    ...ofEc2,
    key: 'ttlMs',
    type: duration({minimumMs: 15 * 60_000, maximumMs: 24 * 3_600_000}),
    battleDefault: 2 * 3_600_000,
    brief: 'the hosts terminate themselves after this time',
    help: 'The hosts terminate themselves after this time, even if this command is killed.',
  }),
  option('credits', {
    ...ofEc2,
    type: oneOf(['standard', 'unlimited']),
    battleDefault: 'standard',
    brief: 'what a host without CPU credits does',
    help: 'What a burstable host (t2, t3 …) does without CPU credits: standard slows down, unlimited costs more.',
  }),
  option('broker-with-server', {
    ...flag,
    brief: 'two hosts per type instead of three',
    help: 'Use two hosts per type instead of three: the broker runs on the host of the server.',
  }),
  option('yes', {
    ...flag,
    brief: 'create the hosts without asking',
    help: 'Create the hosts, which cost money, without asking for confirmation.',
  }),
];

export const afterwardsOptions = [
  option('keep', {
    ...flag,
    brief: 'keep the hosts after the run',
    help: 'Keep the hosts after the run. They still terminate after --ttl.',
  }),
];

/** `ec2 run` has only an instance type until the hosts are created. @type {readonly Option[]} */
const placesOfRoles = [clientOn, serverOn, brokerOn, instanceType];

/** Whether a client, a server or a broker runs on another host. @param {AskedSettings} settings */
export function hasRemoteRoles({read}) {
  return placesOfRoles.some((option) => (read(option) ?? null) !== null);
}

/** Whether a client or a server runs on another host. @param {AskedSettings} settings */
export function hasRemotePair({read}) {
  return placesOfRoles.some((option) => option !== brokerOn && (read(option) ?? null) !== null);
}

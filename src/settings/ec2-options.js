import {isIPv4} from 'node:net';
import {option} from '../options/option.js';
import {duration, oneOf, onOff, path, text} from '../options/types.js';

/** @import {OptionType} from '../options/types.js' */

const group = 'EC2';

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

export const instanceType = option('instance-type', {
  type: typeName,
  list: true,
  brief: 'the instance types',
  help: 'The instance types. Each type gets its own hosts, its own battle and its own column in the table.',
  scope: 'ec2',
  group,
});

/** Which hosts are meant. */
export const hostOptions = [
  instanceType,
  option('region', {
    type: text('a region of AWS, such as us-east-1'),
    brief: 'the AWS region',
    help: 'The AWS region; by default that of AWS_REGION or of the AWS profile.',
    scope: 'ec2',
    group,
  }),
];

/** How hosts are created. */
export const creationOptions = [
  option('zone', {
    type: text('an availability zone, such as us-east-1b'),
    brief: 'the availability zone',
    help: 'The availability zone; by default the first zone in the region that offers the type.',
    scope: 'ec2',
    group,
  }),
  option('key', {
    type: path('the path of an ssh key, or the name of a key pair of EC2'),
    brief: 'the ssh key to log in with',
    help: 'The ssh key to log in with; by default ~/.ssh/id_ed25519 or id_rsa.',
    scope: 'ec2',
    group,
  }),
  option('ssh-from', {
    type: callers,
    brief: 'the addresses from which ssh is allowed',
    help: 'The addresses from which ssh is allowed; by default the public address of this host.',
    scope: 'ec2',
    group,
  }),
  option('ttl', {
    key: 'ttlMs',
    type: duration({minimumMs: 15 * 60_000, maximumMs: 24 * 3_600_000}),
    battleDefault: 2 * 3_600_000,
    brief: 'the hosts terminate themselves after this time',
    help: 'The hosts terminate themselves after this time, even if this command is killed.',
    scope: 'ec2',
    group,
  }),
  option('credits', {
    type: oneOf(['standard', 'unlimited']),
    battleDefault: 'standard',
    brief: 'what a host without CPU credits does',
    help: 'What a burstable host (t2, t3 …) does without CPU credits: standard slows down, unlimited costs more.',
    scope: 'ec2',
    group,
  }),
  option('broker-with-server', {
    type: onOff,
    battleDefault: false,
    brief: 'two hosts per type instead of three',
    help: 'Use two hosts per type instead of three: the broker runs on the host of the server.',
    scope: 'ec2',
    group,
  }),
  option('yes', {
    type: onOff,
    battleDefault: false,
    brief: 'create the hosts without asking',
    help: 'Create the hosts, which cost money, without asking for confirmation.',
    scope: 'ec2',
    group,
  }),
];

/** What happens to the hosts after a battle on them. */
export const afterwardsOptions = [
  option('keep', {
    type: onOff,
    battleDefault: false,
    brief: 'keep the hosts after the run',
    help: 'Keep the hosts after the run. They still terminate after --ttl.',
    scope: 'ec2',
    group,
  }),
];

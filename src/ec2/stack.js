import {createHash} from 'node:crypto';
import {readFile} from 'node:fs/promises';
import {hostname, userInfo} from 'node:os';
import {gzipSync} from 'node:zlib';
import {UnavailableError} from '../errors.js';
import {defaultBrokerKind} from '../transports/index.js';
import {loadSdk} from './cloudformation.js';

/**
 * @import {HostKey, HostRequest, Owner, Stack} from './types.js'
 * @import * as sts from '@aws-sdk/client-sts'
 */

const tag = {madeBy: 'perf-battle', endsAt: 'perf-battle-ends-at', owner: 'perf-battle-owner'};

/** @param {{madeBy: 'up' | 'run', endsAt: Date, owner: Owner}} stack @returns {Record<string, string>} */
export function tagsFor({madeBy, endsAt, owner}) {
  return {[tag.madeBy]: madeBy, [tag.endsAt]: endsAt.toISOString(), [tag.owner]: owner.tag};
}

/** Whether perf-battle has created a stack, for any owner. @param {Stack} stack */
export function isOfPerfBattle({tags}) {
  return tags[tag.madeBy] !== undefined;
}

/** @param {Stack} stack @param {Owner} owner */
export function belongsTo({tags}, owner) {
  return tags[tag.owner] === owner.tag;
}

/** @param {Stack} stack @returns {string} the identity of the owner */
export function ownerTagOf({tags}) {
  return tags[tag.owner] ?? 'unknown';
}

/** The time when the hosts of a stack terminate themselves. @param {Stack} stack @returns {Date | null} null if the stack has no tag with the time */
export function expiryOf({tags}) {
  const text = tags[tag.endsAt];
  return text === undefined ? null : new Date(text);
}

/** Whether the hosts of a stack are running. @param {Stack} stack */
export function isUsable(stack) {
  const expiry = expiryOf(stack);
  return stack.status === 'CREATE_COMPLETE' && expiry !== null && expiry.getTime() > Date.now();
}

/** Whether `ec2 run` has created a stack, and therefore deletes it. @param {Stack} stack */
export function isMadeByRun({tags}) {
  return tags[tag.madeBy] !== 'up';
}

/** @param {boolean} brokerWithServer */
export function hostCount(brokerWithServer) {
  return brokerWithServer ? 2 : 3;
}

/** @param {Stack} stack */
export function sizeOf(stack) {
  const {InstanceType, BrokerOn} = stack.parameters;
  return {type: InstanceType, hosts: hostCount(BrokerOn === 'server'), endsAt: expiryOf(stack)};
}

/** @param {Stack} stack @returns {{client: string, server: string, broker: string}} the public addresses of the hosts */
export function addressesOf({outputs}) {
  return {client: outputs.Client, server: outputs.Server, broker: outputs.Broker};
}

/** @param {Date | null} time */
export function atTime(time) {
  return time === null ? 'at an unknown time' : `at ${time.toISOString().slice(0, 16)}Z`;
}

/** Session names that AWS's tools generate. They differ from process to process. */
const generatedSession = /\/(botocore-session|aws-(sdk-)?[a-z]+(-sdk)?(-session)?)-\d{6,}$/;
/** The characters that AWS allows in every tag. */
const notInTags = /[^\p{L}\p{N} _.:/=+@-]/gu;
const maxTagLength = 256;

/**
 * The owner of the stacks that these credentials create: the identity that AWS reports. Two users of an account are different
 * owners, even if they have the same user name on their hosts. The request needs no permission.
 * @param {string} region @returns {Promise<Owner>} @throws {UnavailableError} when AWS does not answer, or the credentials are not valid
 */
export async function findOwner(region) {
  /** @type {typeof sts} */
  const {STS} = loadSdk('@aws-sdk/client-sts');
  try {
    const {Arn = ''} = await new STS({region, maxAttempts: 5}).getCallerIdentity({});
    return ownerOf(Arn, `${userInfo().username}@${hostname()}`);
  } catch (error) {
    const {name, message} = /** @type {Error} */ (error);
    throw new UnavailableError(
      `AWS in ${region} did not say to whom the credentials belong: ${message.split('\n')[0]} (${name})`,
      {code: 'PB_AWS', cause: error},
    );
  }
}

/**
 * @param {string} arn such as arn:aws:iam::123456789012:user/ann @param {string} here user and host, which replace a generated session name
 * @returns {Owner}
 */
export function ownerOf(arn, here) {
  const identity = arn.replace(generatedSession, `/${here}`);
  const last = identity.split(/[/:]/).at(-1) ?? '';
  const readable = last
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 32)
    .replace(/^-+|-+$/g, '');
  const code = createHash('sha256').update(identity).digest('hex').slice(0, 8);
  return {
    tag: identity.replace(notInTags, '_').slice(0, maxTagLength),
    name: [readable, code].filter(Boolean).join('-'),
  };
}

/** @param {string} type @param {HostRequest} request */
export async function parametersFor(type, {zone, sshFrom, ttlMs, credits, brokerWithServer, key, hostKey}) {
  return {
    InstanceType: type,
    ImageId: imageParameterFor(type),
    KeyName: key.pairName,
    PublicKey: key.publicKey,
    HostKey: hostKey.publicKey,
    SshFrom: sshFrom,
    Zone: zone,
    PlacementGroup: allowsCluster(type) ? 'cluster' : 'none',
    Credits: isBurstable(type) ? credits : 'none',
    BrokerOn: brokerWithServer ? 'server' : 'own',
    ...packUserData(await makeUserData({ttlMs, hostKey})),
  };
}

const script = new URL('../../infra/ec2/user-data.sh', import.meta.url);
const sharedScript = new URL('../../infra/packages.sh', import.meta.url);
const installScript = new URL(`../../infra/${defaultBrokerKind.name}/install.sh`, import.meta.url);

const placeholders = {
  ttl: 'TTL_MINUTES=120',
  shared: '# perf-battle replaces this line with what install scripts share.',
  install: "# perf-battle replaces this line with the broker's install script.",
};
const boundary = 'perf-battle-part';
/** CloudFormation's limit for the value of a parameter. */
const maxParameterLength = 4096;

/**
 * The user data for cloud-init at the first boot of a host: a configuration, which applies early, and a script, which runs late.
 * @param {{ttlMs: number, hostKey: HostKey}} settings ttlMs: the time after which the host terminates itself
 * @returns {Promise<string>} a MIME multipart text
 */
export async function makeUserData({ttlMs, hostKey}) {
  const parts = [
    {
      type: 'text/cloud-config',
      text: `#cloud-config\n${JSON.stringify(makeCloudConfig({ttlMs, hostKey}))}\n`,
    },
    {type: 'text/x-shellscript', text: await makeScript({ttlMs})},
  ];
  const sections = parts.map(
    ({type, text}) => `--${boundary}\nContent-Type: ${type}; charset="us-ascii"\n\n${text}\n`,
  );
  const head = `Content-Type: multipart/mixed; boundary="${boundary}"\nMIME-Version: 1.0\n\n`;
  return `${head}${sections.join('')}--${boundary}--\n`;
}

/**
 * Sets the end of the host and its ssh host key, before any step that may fail, and before sshd starts. The end is a systemd
 * timer, because `shutdown` needs logind, which does not run yet; without logind it shuts down at once.
 * @param {{ttlMs: number, hostKey: HostKey}} settings
 */
function makeCloudConfig({ttlMs, hostKey: {privateKey, publicKey}}) {
  const timer = ['--no-block', '--unit=perf-battle-end', `--on-active=${minutesOf(ttlMs)}min`];
  return {
    bootcmd: [['systemd-run', ...timer, 'systemctl', 'poweroff']],
    ssh_deletekeys: true,
    ssh_keys: {ed25519_private: privateKey, ed25519_public: publicKey},
  };
}

/** The script that installs the programs for a host, and sets the end of the host once more. @param {{ttlMs: number}} settings */
export async function makeScript({ttlMs}) {
  const files = [script, sharedScript, installScript];
  const [text, shared, install] = await Promise.all(files.map((file) => readFile(file, 'utf8')));
  for (const placeholder of Object.values(placeholders)) {
    if (text.split(placeholder).length !== 2)
      throw new Error(`${script.pathname} must contain this exactly once: ${placeholder}`);
  }
  return text
    .replace(placeholders.ttl, `TTL_MINUTES=${minutesOf(ttlMs)}`)
    .replace(placeholders.shared, () => shared.trimEnd())
    .replace(placeholders.install, () => install.trimEnd());
}

/** @param {number} ms */
function minutesOf(ms) {
  return Math.ceil(ms / 60_000);
}

/**
 * Packs user data into two parameters of the stack, compressed and in base64. cloud-init decompresses the data.
 * @param {string} userData @throws {Error} when the packed data is too long
 */
export function packUserData(userData) {
  const packed = gzipSync(userData, {level: 9}).toString('base64');
  if (packed.length > 2 * maxParameterLength)
    throw new Error(
      `User data has ${packed.length} characters; the stack's parameters hold ${2 * maxParameterLength}.`,
    );
  return {UserData1: packed.slice(0, maxParameterLength), UserData2: packed.slice(maxParameterLength)};
}

// Source of the facts about instance types: EC2 user guide, "Instance type naming conventions", "Placement groups" and
// "Burstable performance instances".

/** USD per hour for the types of the published table: on demand, us-east-1, 2026. */
const pricesPerHour = /** @type {Record<string, number>} */ ({'t2.micro': 0.0116, 'm4.xlarge': 0.2});
/** USD per hour of every host for a public IPv4 address, and 8 GiB of gp3 at 0.08 per GiB and month. */
const addressAndDiskPerHour = 0.005 + (8 * 0.08) / 730;

/** Families that AWS does not support in a cluster placement group: burstable, previous generation, Mac and flex types. */
const notInClusters = /^(t\d|m1|m2|m3|c1|mac|[a-z]\d+[a-z]*-flex)/;

/** @param {string} type such as t2.micro */
export function isBurstable(type) {
  return /^t\d/.test(type);
}

/** @param {string} type */
export function allowsCluster(type) {
  return !notInClusters.test(type);
}

/**
 * The public parameter that names the image of Amazon Linux 2023. The arm64 types are a1, and types with a g after the generation.
 * @param {string} type
 */
export function imageParameterFor(type) {
  const isArm = /^(a1|[a-z]+\d+g)/.test(type);
  return `/aws/service/ami-amazon-linux-latest/al2023-ami-kernel-default-${isArm ? 'arm64' : 'x86_64'}`;
}

/**
 * The cost of hosts with their public addresses and disks.
 * @param {string} type @param {number} hosts @returns {number | null} USD per hour in us-east-1; null if the price of the type is unknown
 */
export function costPerHour(type, hosts) {
  const price = pricesPerHour[type];
  return price === undefined ? null : hosts * (price + addressAndDiskPerHour);
}

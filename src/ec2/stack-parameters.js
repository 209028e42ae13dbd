import {readFile} from 'node:fs/promises';
import {gzipSync} from 'node:zlib';
import {defaultBrokerKind} from '../transports/index.js';

/** @import {HostKey, SshKey} from './ssh.js' */

/**
 * What a user requests of the hosts.
 * @typedef {object} HostRequest
 * @property {string} zone the availability zone; empty: the first of the region
 * @property {string} sshFrom a CIDR block
 * @property {number} ttlMs
 * @property {'standard' | 'unlimited'} credits
 * @property {boolean} brokerWithServer
 * @property {SshKey} key the user's
 * @property {HostKey} hostKey for new hosts
 * @property {string | null} sshConfig
 */

/** The parameters of the stack's template. @param {string} type @param {HostRequest} request */
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

/** The placeholders in the script, which makeUserData replaces. */
const placeholders = {
  ttl: 'TTL_MINUTES=120',
  shared: '# perf-battle replaces this line with what install scripts share.',
  install: "# perf-battle replaces this line with the broker's install script.",
};
const boundary = 'perf-battle-part';
/** CloudFormation's limit for the value of a parameter. */
const maxParameterLength = 4096;

/**
 * What cloud-init gets when a host boots for the first time: its configuration, which applies early, and a script, which runs late.
 * @param {{ttlMs: number, hostKey: HostKey}} settings ttlMs: the time after which the host terminates itself
 * @returns {Promise<string>} in MIME's format, as cloud-init reads several parts
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
 * The end of the host and its ssh host key. Both are in effect before anything that may fail, and before sshd starts.
 * The end is a timer of systemd: `shutdown` needs logind, which does not run this early; without logind it shuts down at once.
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

/**
 * The script that installs what a host needs, and that sets the host's end once more.
 * @param {{ttlMs: number}} settings @returns {Promise<string>}
 */
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
 * Packs user data into the stack's parameters: compressed (cloud-init decompresses it), in base64, split in two.
 * @param {string} userData @returns {{UserData1: string, UserData2: string}}
 * @throws {Error} when it is too long
 */
export function packUserData(userData) {
  const packed = gzipSync(userData, {level: 9}).toString('base64');
  if (packed.length > 2 * maxParameterLength)
    throw new Error(
      `User data has ${packed.length} characters; the stack's parameters hold ${2 * maxParameterLength}.`,
    );
  return {UserData1: packed.slice(0, maxParameterLength), UserData2: packed.slice(maxParameterLength)};
}

/**
 * What perf-battle must know about an instance type before it creates hosts. Source: EC2 user guide, "Instance type naming
 * conventions", "Placement groups" and "Burstable performance instances".
 */

/** USD per hour of the types of the published table: on demand, us-east-1, 2026. */
const pricesPerHour = /** @type {Record<string, number>} */ ({'t2.micro': 0.0116, 'm4.xlarge': 0.2});
/** USD per hour for what every host needs in addition: a public IPv4 address, and 8 GiB of gp3 at 0.08 per GiB and month. */
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
 * The public parameter that names the image of Amazon Linux 2023. The arm64 types are a1 and those with a g after the generation.
 * @param {string} type
 */
export function imageParameterFor(type) {
  const isArm = /^(a1|[a-z]+\d+g)/.test(type);
  return `/aws/service/ami-amazon-linux-latest/al2023-ami-kernel-default-${isArm ? 'arm64' : 'x86_64'}`;
}

/**
 * What hosts cost, with their public addresses and disks.
 * @param {string} type @param {number} hosts
 * @returns {number | null} USD per hour in us-east-1; null when the type's price is unknown
 */
export function costPerHour(type, hosts) {
  const price = pricesPerHour[type];
  return price === undefined ? null : hosts * (price + addressAndDiskPerHour);
}

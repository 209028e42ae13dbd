import {createHash} from 'node:crypto';
import {hostname, userInfo} from 'node:os';
import {UnavailableError} from '../errors.js';
import {loadSdk} from './cloudformation.js';

/** @import {Stack} from './cloudformation.js' */

/** What perf-battle knows of a stack: by its tags and its parameters. */

const tag = {madeBy: 'perf-battle', endsAt: 'perf-battle-ends-at', owner: 'perf-battle-owner'};

/**
 * The tags of a new stack.
 * @param {{madeBy: 'up' | 'run', endsAt: Date, owner: Owner}} stack @returns {Record<string, string>}
 */
export function tagsFor({madeBy, endsAt, owner}) {
  return {[tag.madeBy]: madeBy, [tag.endsAt]: endsAt.toISOString(), [tag.owner]: owner.tag};
}

/** Whether perf-battle created a stack, for any owner. @param {Stack} stack */
export function isOfPerfBattle({tags}) {
  return tags[tag.madeBy] !== undefined;
}

/** @param {Stack} stack @param {Owner} owner */
export function belongsTo({tags}, owner) {
  return tags[tag.owner] === owner.tag;
}

/** @param {Stack} stack @returns {string} the identity to which it belongs */
export function ownerTagOf({tags}) {
  return tags[tag.owner] ?? 'unknown';
}

/**
 * The time at which the hosts of a stack terminate themselves.
 * @param {Stack} stack
 * @returns {Date | null} null when the stack has no such tag
 */
export function expiryOf({tags}) {
  const text = tags[tag.endsAt];
  return text === undefined ? null : new Date(text);
}

/** Whether the hosts of a stack are running. @param {Stack} stack */
export function isUsable(stack) {
  const expiry = expiryOf(stack);
  return stack.status === 'CREATE_COMPLETE' && expiry !== null && expiry.getTime() > Date.now();
}

/** Whether `ec2 run` created a stack, and so deletes it. @param {Stack} stack */
export function isMadeByRun({tags}) {
  return tags[tag.madeBy] !== 'up';
}

/** How many hosts it has. @param {boolean} brokerWithServer */
export function hostCount(brokerWithServer) {
  return brokerWithServer ? 2 : 3;
}

/** @param {Stack} stack @returns {{type: string, hosts: number, endsAt: Date | null}} */
export function sizeOf(stack) {
  const {InstanceType, BrokerOn} = stack.parameters;
  return {type: InstanceType, hosts: hostCount(BrokerOn === 'server'), endsAt: expiryOf(stack)};
}

/** @param {Stack} stack @returns {{client: string, server: string, broker: string}} the public addresses of its hosts */
export function addressesOf({outputs}) {
  return {client: outputs.Client, server: outputs.Server, broker: outputs.Broker};
}

/** @param {Date | null} time */
export function atTime(time) {
  return time === null ? 'at an unknown time' : `at ${time.toISOString().slice(0, 16)}Z`;
}

/** @import * as sts from '@aws-sdk/client-sts' */

/** Names that AWS's tools make up for a session. They differ from process to process. */
const generatedSession = /\/(botocore-session|aws-(sdk-)?[a-z]+(-sdk)?(-session)?)-\d{6,}$/;
/** The characters that AWS allows in every tag. */
const notInTags = /[^\p{L}\p{N} _.:/=+@-]/gu;
const maxTagLength = 256;

/**
 * To whom a stack belongs.
 * @typedef {object} Owner
 * @property {string} tag its identity, as the value of a tag
 * @property {string} name for the names of stacks: readable, and different for each identity
 */

/**
 * The owner of what these credentials create: the identity that AWS sees. Two people of one account have two, even if they have the same name
 * on their hosts. This request needs no permission.
 * @param {string} region @returns {Promise<Owner>}
 * @throws {UnavailableError} when AWS does not answer, or the credentials are not valid
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
 * @param {string} arn such as arn:aws:iam::123456789012:user/ann
 * @param {string} here the user and the host, which stand in for a session without a name of its own
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

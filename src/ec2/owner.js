import {createHash} from 'node:crypto';
import {hostname, userInfo} from 'node:os';
import {UnavailableError} from '../errors.js';
import {loadSdk} from './load-sdk.js';

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
 * @param {string} region
 * @returns {Promise<Owner>}
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

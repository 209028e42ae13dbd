import {readFile} from 'node:fs/promises';
import {gzipSync} from 'node:zlib';
import {defaultBrokerKind} from '../brokers/index.js';

const script = new URL('../../infra/ec2/user-data.sh', import.meta.url);
const installScript = new URL(`../../infra/${defaultBrokerKind.name}/install.sh`, import.meta.url);

/** The placeholders in the script, which makeUserData replaces. */
const placeholders = {
  ttl: 'TTL_MINUTES=120',
  install: "# perf-battle replaces this line with the broker's install script.",
};
/** CloudFormation's limit for the value of a parameter. */
const maxParameterLength = 4096;

/**
 * The script that a host runs when it boots.
 * @param {{ttlMs: number}} settings ttlMs: the time after which the host terminates itself
 * @returns {Promise<string>}
 */
export async function makeUserData({ttlMs}) {
  const [text, install] = await Promise.all([script, installScript].map((file) => readFile(file, 'utf8')));
  for (const placeholder of Object.values(placeholders)) {
    if (text.split(placeholder).length !== 2)
      throw new Error(`${script.pathname} must contain this exactly once: ${placeholder}`);
  }
  return text
    .replace(placeholders.ttl, `TTL_MINUTES=${Math.ceil(ttlMs / 60_000)}`)
    .replace(placeholders.install, () => install.trimEnd());
}

/**
 * Packs user data into the stack's parameters: compressed (cloud-init decompresses it), in base64, split in two.
 * @param {string} userData
 * @returns {{UserData1: string, UserData2: string}}
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

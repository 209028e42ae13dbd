import {readFile} from 'node:fs/promises';
import {gzipSync} from 'node:zlib';

const script = new URL('../../infra/ec2/user-data.sh', import.meta.url);
const installScript = new URL('../../infra/rabbitmq/install.sh', import.meta.url);

/** What the script holds, as it stands in the repository, in the place of what a run puts there. */
const places = {
  ttl: 'TTL_MINUTES=120',
  install: '# perf-battle writes infra/rabbitmq/install.sh in the place of this line.',
};
/** CloudFormation's bound for the value of a parameter. */
const longestParameter = 4096;

/**
 * The script that a host runs as it boots.
 * @param {{ttlMs: number}} settings ttlMs: after which the host ends
 * @returns {Promise<string>}
 */
export async function makeUserData({ttlMs}) {
  const [text, install] = await Promise.all([script, installScript].map((file) => readFile(file, 'utf8')));
  for (const place of Object.values(places)) {
    if (text.split(place).length !== 2) throw new Error(`${script.pathname} must hold this once: ${place}`);
  }
  return text
    .replace(places.ttl, `TTL_MINUTES=${Math.ceil(ttlMs / 60_000)}`)
    .replace(places.install, () => install.trimEnd());
}

/**
 * User data as the stack's parameters take it: compressed, which cloud-init reads, in base64, and cut.
 * @param {string} userData
 * @returns {{UserData1: string, UserData2: string}}
 * @throws when it is too long for them
 */
export function packUserData(userData) {
  const packed = gzipSync(userData, {level: 9}).toString('base64');
  if (packed.length > 2 * longestParameter)
    throw new Error(
      `User data takes ${packed.length} characters; the stack's parameters hold ${2 * longestParameter}.`,
    );
  return {UserData1: packed.slice(0, longestParameter), UserData2: packed.slice(longestParameter)};
}

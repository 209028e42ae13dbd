/** Selects the RabbitMQ of this host that a private broker runs: the installed one, or another version in its own folder. */
import {readdirSync} from 'node:fs';
import {readdir} from 'node:fs/promises';
import {join, resolve} from 'node:path';
import {UnavailableError} from '../../errors.js';
import {withHome} from '../../files/given-file.js';
import {option} from '../../options/option.js';
import {findExecutable} from '../programs.js';

/** @import {OptionType} from '../../options/contract.js' */

export const installed = 'installed';
const version = /^\d+(?:\.\d+)*$/;
/** The parents of the folders that Debian's package and `infra/rabbitmq/beside.sh` create for each version. */
const places = [
  {folder: '/usr/lib/rabbitmq/lib', prefix: 'rabbitmq_server-'},
  {folder: '/opt/perf-battle', prefix: 'rabbitmq-'},
];

/** @type {OptionType<string>} */
const home = {
  allowed: `${installed}, a version that is here, such as 4, or a folder that contains sbin/rabbitmq-server`,
  placeholder: 'FOLDER',
  parse: (text) => {
    if (text === installed || version.test(text)) return text;
    return text.includes('/') || text.startsWith('.') ? resolve(withHome(text)) : undefined;
  },
  format: String,
};

export const homeOption = option('rabbitmq-home', {
  type: home,
  list: true,
  label: (value) => labelOf(value),
  help: 'The RabbitMQ that a private broker runs: installed, a version that is here, or a folder that contains sbin/rabbitmq-server. Several values compare versions. If the folder contains Erlang in the folder erlang, the broker uses that.',
  needs: 'a private broker, and a transport that uses RabbitMQ',
  appliesTo: ({mayStartBroker}) => mayStartBroker,
  group: 'RabbitMQ',
});

/** @param {string | undefined} value undefined: the option is not set */
function labelOf(value) {
  if (value === undefined) return null;
  return value === installed ? 'installed version' : `version ${versionOf(value)}`;
}

/** @param {{rabbitmqHome?: string | null}} variant @returns {{home?: string}} */
export function homeSetting({rabbitmqHome = null}) {
  return rabbitmqHome === null ? {} : {home: rabbitmqHome};
}

/**
 * Drops the option from a variant that does not set it: the variant then equals those of records from before the option existed.
 * @template {{rabbitmqHome?: string | null | undefined}} Variant @param {Variant} variant
 */
export function withHomeAsked(variant) {
  const {rabbitmqHome = null, ...others} = variant;
  return /** @type {Variant} */ (rabbitmqHome === null ? others : variant);
}

/**
 * Whether a RabbitMQ speaks MQTT 5, as 3.13 and later do (https://www.rabbitmq.com/blog/2023/07/21/mqtt5).
 * @param {string} value a value of the option, or a version
 * @returns {boolean} true also if the version is not known
 */
export function speaksMqtt5(value) {
  const [major, minor = Number.POSITIVE_INFINITY] = versionOf(value).split('.').map(Number);
  return !(major < 3 || (major === 3 && minor < 13));
}

/** @param {string} value a version, or a folder, which may be on another host */
function versionOf(value) {
  if (version.test(value)) return value;
  try {
    const found = readdirSync(join(value, 'plugins')).find((name) => /^rabbit-\d/.test(name));
    return found?.slice('rabbit-'.length) ?? value;
  } catch {
    return value;
  }
}

/**
 * @param {string} value the value of the option
 * @returns {Promise<string | null>} the folder of RabbitMQ; null: the installed version
 * @throws {UnavailableError} PB_BROKER_UNAVAILABLE when this host does not have the version
 */
export async function homeFolder(value) {
  if (value === installed) return null;
  const folder = version.test(value) ? await folderOfVersion(value) : value;
  if ((await findExecutable('rabbitmq-server', [join(folder, 'sbin')])) === null)
    throw unavailable(`the folder ${folder} of --rabbitmq-home has no sbin/rabbitmq-server.`);
  return folder;
}

/** Finds the newest version that begins with `value`: 4 finds 4.0.5. @param {string} value */
async function folderOfVersion(value) {
  const found = (await Promise.all(places.map(versionsIn))).flat();
  const matching = found.filter((one) => one.version === value || one.version.startsWith(`${value}.`));
  const newest = matching.toSorted((one, other) =>
    other.version.localeCompare(one.version, 'en', {numeric: true}),
  )[0];
  if (newest) return newest.folder;
  const here = found.length === 0 ? 'none' : found.map((one) => one.version).join(', ');
  const advice = value === '4' ? ' Get it with: npx perf-battle install rabbitmq@4' : '';
  throw unavailable(
    `--rabbitmq-home ${value} is a version that is not on this host, which has ${here}.${advice}`,
  );
}

/** @param {typeof places[number]} place */
async function versionsIn({folder, prefix}) {
  const names = await readdir(folder).catch(() => []);
  return names
    .filter((name) => name.startsWith(prefix) && version.test(name.slice(prefix.length)))
    .map((name) => ({version: name.slice(prefix.length), folder: join(folder, name)}));
}

/** @param {string} what */
function unavailable(what) {
  return new UnavailableError(`There is no such RabbitMQ: ${what}`, {code: 'PB_BROKER_UNAVAILABLE'});
}

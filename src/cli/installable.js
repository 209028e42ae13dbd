import {brokerKinds} from '../brokers/index.js';
import {isOptional} from '../packages/load.js';
import {transports} from '../transports/index.js';

/**
 * What a transport, an option or a command needs beside perf-battle.
 * @typedef {object} Needs
 * @property {readonly string[]} packages of npm
 * @property {string | null} broker a kind whose program a private one needs
 * @property {string} [version] of that program, beside the installed one
 */

/** What is no transport. @type {Readonly<Record<string, Needs>>} */
const others = {
  ec2: {packages: ['@aws-sdk/client-cloudformation', '@aws-sdk/client-sts'], broker: null},
  koffi: {packages: ['koffi'], broker: null},
  lmdb: {packages: ['lmdb'], broker: null},
};

/** @returns {Record<string, Needs>} all that can be installed, by what follows `perf-battle install` */
export function installable() {
  const ofTransports = transports
    .filter(({module}) => module === undefined)
    .map(({name, libraries, broker, brokers = broker === null ? [] : [broker]}) => ({
      name,
      needs: {packages: libraries.filter(isOptional), broker},
      brokers,
    }))
    .filter(({needs: {packages, broker}}) => packages.length > 0 || broker !== null);
  // A broker that was not found is named by its kind.
  const ofKinds = ofTransports.flatMap(({needs, brokers}) =>
    brokers.map((broker) => [broker, {...needs, broker}]),
  );
  const ofVersions = brokerKinds.flatMap(({name, otherVersions}) =>
    (otherVersions?.offered ?? []).map(
      (version) => /** @type {const} */ ([`${name}@${version}`, {packages: [], broker: name, version}]),
    ),
  );
  return {
    ...Object.fromEntries([...ofKinds, ...ofTransports.map(({name, needs}) => [name, needs])]),
    ...others,
    ...Object.fromEntries(ofVersions),
  };
}

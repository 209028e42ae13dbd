import {brokerKinds} from '../brokers/index.js';
import {isOptional} from '../packages/load.js';
import {transports} from '../transports/index.js';

/** @import {Guest} from '../transports/transport.js' */

/**
 * What a transport, an option or a command needs in addition to perf-battle.
 * @typedef {{packages: readonly string[], broker: string | null, version?: string, guest?: Guest}} Needs packages: npm packages; broker: the kind of
 *   broker whose program is needed for a private broker; version: a version of the broker's program, installed in addition to the default version;
 *   guest: the transport of the user that has these needs, in addition to its own libraries
 */

/** The needs of options and commands. @type {Readonly<Record<string, Needs>>} */
const others = {
  ec2: {packages: ['@aws-sdk/client-cloudformation', '@aws-sdk/client-sts'], broker: null},
  koffi: {packages: ['koffi'], broker: null},
  lmdb: {packages: ['lmdb'], broker: null},
};

/** @returns {Record<string, Needs>} by the name that follows `perf-battle install` */
export function installable() {
  const ofTransports = transports
    .filter(({module}) => module === undefined)
    .map(({name, libraries, broker, brokers = broker === null ? [] : [broker]}) => ({
      name,
      needs: {packages: libraries.filter(isOptional), broker},
      brokers,
    }))
    .filter(({needs: {packages, broker}}) => packages.length > 0 || broker !== null);
  // The message about a missing broker names the kind of broker.
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

import {allowsCluster, imageParameterFor, isBurstable} from './instance-types.js';
import {makeUserData, packUserData} from './user-data.js';

/**
 * @import {HostKey} from './host-key.js'
 * @import {SshKey} from './ssh-key.js'
 */

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

/**
 * The parameters of the stack's template.
 * @param {string} type
 * @param {HostRequest} request
 */
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

import {isIP} from 'node:net';
import {checkServerIdentity, createSecureContext} from 'node:tls';
import {RunError} from '../../errors.js';
import {joinAddress} from '../../net/address.js';
import {NoAnswerError} from '../../net/bounded.js';
import {library, messageLimits} from './library.js';

/**
 * @import {ClientTls} from '../../net/tls.js'
 * @import {Client as GrpcClient, ServiceError} from '@grpc/grpc-js'
 */

const {ChannelCredentials, Client, connectivityState, status} = library;

/** Channels never become idle. By default, the library ends a channel after 30 idle minutes. */
const idleMs = 2 ** 31 - 1;

/**
 * @typedef {object} ChannelTarget
 * @property {string} host
 * @property {number} port
 * @property {ClientTls | null} trust null without TLS
 * @property {number} count number of channels, each with its own connection
 * @property {number} windowBytes of each call and of the connection
 * @property {number} greetingMs how long a connection may take, in milliseconds
 */

/**
 * @param {ChannelTarget} target
 * @returns {Promise<{clients: GrpcClient[], lost: Promise<Error>, close: () => void}>} lost: resolves when a connection ends
 */
export async function openChannels({host, port, trust, count, windowBytes, greetingMs}) {
  const options = {
    ...messageLimits,
    'grpc-node.flow_control_window': windowBytes,
    'grpc.use_local_subchannel_pool': 1,
    'grpc.client_idle_timeout_ms': idleMs,
    // By default, the library asks the name server for settings, and uses the proxy that http_proxy names.
    'grpc.service_config_disable_resolution': 1,
    'grpc.enable_http_proxy': 0,
    // An IP address is not a valid server name (RFC 6066, section 3). `verifying` checks the certificate against the address.
    ...(trust && isIP(host) !== 0 && {'grpc.ssl_target_name_override': 'localhost'}),
  };
  const credentials = trust ? verifying(trust, host) : ChannelCredentials.createInsecure();
  const clients = Array.from(
    {length: count},
    () => new Client(joinAddress(host, port), credentials, options),
  );
  const close = () => {
    for (const client of clients) client.close();
  };
  try {
    await Promise.all(clients.map((client) => ready(client, greetingMs)));
  } catch (error) {
    close();
    throw error;
  }
  return {clients, lost: Promise.race(clients.map(lost)), close};
}

/** @param {ClientTls} trust @param {string} host */
function verifying({checkServerIdentity: check, rejectUnauthorized, ...context}, host) {
  return ChannelCredentials.createFromSecureContext(createSecureContext(context), {
    rejectUnauthorized: rejectUnauthorized ?? true,
    checkServerIdentity: check ?? ((_name, certificate) => checkServerIdentity(host, certificate)),
  });
}

/** @param {GrpcClient} client @param {number} timeoutMs @returns {Promise<void>} */
function ready(client, timeoutMs) {
  return new Promise((resolve, reject) => {
    client.waitForReady(Date.now() + timeoutMs, (error) =>
      // The library retries until the deadline, and reports no reason.
      error ? reject(new NoAnswerError(timeoutMs)) : resolve(),
    );
  });
}

/**
 * Resolves when a channel loses its connection. The channel would reconnect, possibly to a new server.
 * @param {GrpcClient} client @returns {Promise<Error>}
 */
function lost(client) {
  return new Promise((resolve) => {
    client.getChannel().watchConnectivityState(connectivityState.READY, Number.POSITIVE_INFINITY, () => {
      resolve(connectionLost('the server ended it'));
    });
  });
}

/** @param {ServiceError} error of a call @returns {RunError} */
export function callFailed(error) {
  if (error.code === status.UNAVAILABLE || error.code === status.CANCELLED)
    return connectionLost(error.details, error);
  return new RunError(`The gRPC server answered ${status[error.code]}: ${error.details}.`, {
    code: 'PB_GRPC_STATUS',
    cause: error,
  });
}

/** @param {string} why @param {Error} [cause] */
function connectionLost(why, cause) {
  return new RunError(`The gRPC connection was lost (${why}).`, {code: 'PB_CONNECTION_LOST', cause});
}

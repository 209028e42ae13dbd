import {connect} from 'amqplib';
import {UnavailableError} from '../../errors.js';
import {safeText} from '../../safe-text.js';
import {joinAddress} from '../address.js';
import {bounded, NoAnswerError} from '../bounded.js';
import {refusedCertificate} from '../tls.js';
import {clientCredentials} from '../tls-files.js';

/**
 * @import {RabbitmqConnection} from './url.js'
 * @import {ChannelModel} from 'amqplib'
 */

/**
 * Opens an AMQP connection within a bound.
 * @param {RabbitmqConnection} connection
 * @param {object} [options]
 * @param {number | undefined} [options.timeoutMs] for all of it: name look-up, TCP, TLS and AMQP handshakes; default 10,000
 * @param {number} [options.heartbeatSeconds] default 10
 * @param {boolean} [options.noDelay] TCP_NODELAY, which amqplib leaves off by default; default true
 * @param {AbortSignal} [options.signal] gives up; the promise rejects with its reason
 * @param {Readonly<Record<string, string>> | undefined} [options.files] contents of certificates and keys, by path
 * @returns {Promise<ChannelModel>} the caller closes it, and listens to its 'error'
 * @throws {UnavailableError} which names host, port, user and reason, and never the password
 * @throws {UsageError} when the file of a certificate or a key cannot be read
 */
export async function connectBroker(
  connection,
  {timeoutMs = 10_000, heartbeatSeconds = 10, noDelay = true, signal, files} = {},
) {
  const {protocol, hostname, port, username, password, vhost} = connection;
  const url = {
    protocol,
    hostname,
    port,
    username,
    password,
    vhost: encodeURIComponent(vhost),
    heartbeat: heartbeatSeconds,
  };
  const credentials = protocol === 'amqps' ? clientCredentials(connection, files) : {};
  signal?.throwIfAborted();
  const socket = new AbortController();
  const options = {noDelay, timeout: timeoutMs, signal: socket.signal, ...credentials};
  const opening = connect(url, options);
  try {
    return await bounded(opening, timeoutMs, signal);
  } catch (error) {
    abandon(opening, socket);
    if (signal?.aborted) throw signal.reason;
    // amqplib's own timeout may expire a moment before ours.
    const isSilent = /** @type {Error} */ (error).message === 'connect ETIMEDOUT';
    throw unavailable(connection, isSilent ? new NoAnswerError(timeoutMs) : error);
  }
}

/**
 * The versions that a broker reports when a client connects.
 * @param {ChannelModel} model
 * @returns {{product: string | null, rabbitmq: string | null, erlang: string | null}}
 */
export function readVersions(model) {
  const {product, version, platform} = model.connection.serverProperties;
  const erlang = /^Erlang\/OTP\s+(\S+)/.exec(String(platform ?? ''))?.[1] ?? null;
  const shown = (/** @type {unknown} */ text) => (text ? safeText(String(text)) : null);
  return {product: shown(product), rabbitmq: shown(version), erlang};
}

/**
 * Ends an attempt to connect that was given up. A socket of `tls` does not support a signal: its own timeout ends it. If
 * the connection opens nevertheless, it is closed.
 * @param {Promise<ChannelModel>} opening @param {AbortController} socket
 */
function abandon(opening, socket) {
  opening
    .then((model) => {
      model.on('error', () => {});
      return model.close();
    })
    .catch(() => {});
  socket.abort();
}

/** @param {RabbitmqConnection} connection @param {unknown} cause */
function unavailable(connection, cause) {
  const where = `The broker at ${joinAddress(connection.hostname, connection.port)}`;
  const who = `user "${connection.username}"`;
  return new UnavailableError(`${where} ${explain(connection, who, reasonOf(cause))}`, {
    code: 'PB_BROKER_UNAVAILABLE',
    cause,
  });
}

/** @param {unknown} cause @returns {{code: string, message: string}} */
function reasonOf(cause) {
  const errors = cause instanceof AggregateError ? cause.errors : [cause];
  const {code = '', message = String(cause)} = errors[0] ?? {};
  return {code: String(code), message: String(message).replace(/\.+$/, '')};
}

/**
 * @param {RabbitmqConnection} connection @param {string} who
 * @param {{code: string, message: string}} reason
 */
function explain({protocol, vhost}, who, {code, message}) {
  if (/ACCESS[-_]REFUSED/.test(message)) {
    return `refused ${who}: ${brokerText(message)}. Check the user name and the password, and whether this user may connect from this host.`;
  }
  const refused = refusedCertificate({code});
  if (refused !== null)
    return `cannot be reached (${who}): ${refused}. Check --rabbitmq-cert-file and --rabbitmq-key-file.`;
  // RabbitMQ answers this for a virtual host that does not exist, and for one that the user may not use. amqplib does
  // not pass its text on.
  if (/Expected ConnectionOpenOk/.test(message)) {
    return `refused ${who} access to the virtual host "${vhost}": it does not exist, or the user has no permissions for it.`;
  }
  if (/CERT|SIGNATURE|ALTNAME/.test(code)) {
    return `has a certificate that cannot be verified (${who}): ${message}. Give the file of its CA's certificate, or the host name that the certificate has.`;
  }
  if (protocol === 'amqps' && /WRONG_VERSION_NUMBER|EPROTO/.test(code)) {
    return `does not speak TLS there (${who}). Use amqp://, or the port for TLS, usually 5671.`;
  }
  if (/frame|handshake|protocol/i.test(message)) {
    return `does not speak AMQP there (${who}): ${message}. Check the host, the port, and amqp:// or amqps://.`;
  }
  return `cannot be reached (${who}): ${message}. Check that the broker is running, and check the host and the port.`;
}

/** @param {string} message the broker's own text, without what amqplib adds */
function brokerText(message) {
  return (/with message "(.*)"/s.exec(message)?.[1] ?? message).replace(/\.+$/, '');
}

import {UsageError} from '../../errors.js';
import {shorten} from '../../files/quote.js';
import {joinAddress} from '../../net/address.js';
import {maskTokenUrl, readUrl, splitUrls} from '../../net/broker-url.js';
import {connectionOf, localConnection} from '../address.js';

/**
 * @import {ServerAddress} from '../first-available.js'
 * @import {AddressSettings, SecureConnection} from '../kind.js'
 */

/**
 * @typedef {object} Access
 * @property {readonly ServerAddress[]} others servers to try if the first server cannot be reached
 * @property {string | null} token replaces user and password
 *
 * @typedef {SecureConnection & Access} NatsConnection without `tls`, the client follows a server that requires encryption
 */

const format = {example: 'nats://user:password@host:4222', mask: maskNatsUrls};

/** @type {NatsConnection} */
export const localServer = {...localConnection(4222), others: [], token: null};

/**
 * Reads the URLs of one or several servers in the same way as NATS's own tools. A user name without a password is a token.
 * A server without a scheme has the scheme and the credentials of the server before it.
 * @param {string} text such as `nats://user:p%40ss@host:4222`, `tls://token@host` or `nats://one:4222,two:4222`
 * @returns {NatsConnection}
 * @throws {UsageError} when the text is malformed; the message shows it without its password
 */
export function parseNatsUrl(text) {
  const servers = splitUrls(text).map((url) => parseOne(url, text));
  const [{hostname, port, tls, ...first}] = servers;
  if (servers.some((server) => server.tls !== tls))
    refuseUrls(text, 'all servers must have tls://, or none of them');
  const known = servers.filter(({username, token}) => username !== null || token !== null);
  const {username, password, token} = known[0] ?? first;
  if (known.some((one) => one.username !== username || one.password !== password || one.token !== token))
    refuseUrls(text, 'it has different credentials: one user, or one token, is used for all servers');
  const others = servers.slice(1).map((other) => ({hostname: other.hostname, port: other.port}));
  return {...localServer, hostname, port, others, tls, username, password, token};
}

/** @param {string} url @param {string} whole */
function parseOne(url, whole) {
  const {url: parsed, hostname, port, decode, refuse} = readUrl(url, {...format, whole});
  if (!['nats:', 'tls:'].includes(parsed.protocol)) refuse('it must begin with nats:// or tls://');
  if (parsed.search !== '' || !['', '/'].includes(parsed.pathname)) refuse('nothing may follow the port');
  const [username, password] = [decode(parsed.username), decode(parsed.password)];
  if (username === '' && password !== '') refuse('it has a password and no user name');
  const isToken = username !== '' && password === '';
  return {
    hostname,
    port: port ?? localServer.port,
    tls: parsed.protocol === 'tls:',
    username: isToken ? null : username || null,
    password: password || null,
    token: isToken ? username : null,
  };
}

/** @param {string} text @param {string} reason @returns {never} */
function refuseUrls(text, reason) {
  throw new UsageError(
    `NATS servers must be like nats://user:password@one:4222,two:4222; got "${shorten(maskNatsUrls(text))}": ${reason}.`,
  );
}

/** The URLs with *** in place of passwords and tokens. @param {string} text */
export function maskNatsUrls(text) {
  const urls = splitUrls(text).map(maskTokenUrl);
  return urls.length === 1 ? maskTokenUrl(text) : urls.join(',');
}

/**
 * @param {AddressSettings<'nats'> & {natsToken: string | null}} values
 * @returns {NatsConnection}
 * @throws {UsageError} when the settings have a password without a user, or a token together with a user or a password
 */
export function connectionFrom(values) {
  const {natsUrl, natsUsername, natsPassword, natsToken} = values;
  if (!natsUrl && natsToken !== null && (natsUsername !== null || natsPassword !== null))
    throw new UsageError(
      '--nats-token (PB_NATS_TOKEN) excludes --nats-username and --nats-password: a server checks either. Remove one of them.',
    );
  if (!natsUrl && natsPassword !== null && natsUsername === null)
    throw new UsageError(
      '--nats-password (PB_NATS_PASSWORD) needs --nats-username: without a user, no password is sent.',
    );
  return connectionOf('nats', values, {...localServer, token: natsToken}, parseNatsUrl);
}

/** The connection as a URL for people, with password and token masked. @param {NatsConnection} connection */
export function maskConnection({hostname, port, others, tls, username, token}) {
  const user = username === null ? '' : `${encodeURIComponent(username)}:***@`;
  const servers = [{hostname, port}, ...others].map((server) => joinAddress(server.hostname, server.port));
  return `${tls ? 'tls' : 'nats'}://${token === null ? user : '***@'}${servers.join(',')}`;
}

import {RunError} from '../../errors.js';
import {readSentFile} from '../../net/tls-files.js';
import {loadTransport} from '../load.js';
import {promised} from '../pending-replies.js';
import {hasBody, parseHeaders, placeOf} from './request.js';

/**
 * @import {Client, ConnectGivenSettings, ConnectSettings} from '../transport.js'
 * @import {GivenServer, GivenSettings} from './index.js'
 */

/**
 * Connects to a server of `--url` through the transport that its kind names.
 * @param {ConnectSettings & GivenSettings & {url: GivenServer, answer?: string}} options
 * @returns {Promise<Client>}
 */
export async function connect(options) {
  const {url: server, urlMethod, urlMessage, urlHeaders, urlCaFile, urlRequests, answer, files} = options;
  const {given} = await loadTransport(server.kind);
  const {connectToGiven} = await /** @type {NonNullable<typeof given>} */ (given).client();
  /** @type {ConnectGivenSettings} */
  const how = {
    ...options,
    url: new URL(server.url),
    ...placeOf(server.url),
    method: urlMethod,
    hasBody: hasBody(urlMethod),
    headers: urlHeaders === null ? {} : parseHeaders(readSentFile(urlHeaders, files)),
    ca: urlCaFile === null ? null : readSentFile(urlCaFile, files),
    takesAnyStatus: answer === 'any',
    isWholeMessage: urlMessage === 'whole',
  };
  return bounded(await connectToGiven(how), urlRequests, server.url);
}

/** Limits the number of requests that a client sends. @param {Client} client @param {number} most @param {string} url */
function bounded(client, most, url) {
  let left = most;
  /** @type {Client['ask']} */
  const ask = (payload, waiting) => {
    if (left === 0) {
      waiting.reject(
        new RunError(`${url} got ${most} requests, the most that --url-requests allows.`, {
          code: 'PB_TOO_MANY_REQUESTS',
        }),
      );
      return;
    }
    left -= 1;
    client.ask(payload, waiting);
  };
  return {...client, ask, request: promised(ask)};
}

/** @import {Client} from './transport.js' */

/**
 * Makes a client's `request` from its `ask`.
 * @param {Client['ask']} ask
 * @returns {Client['request']}
 */
export function promised(ask) {
  return (payload, parts) =>
    new Promise((resolve, reject) => ask(payload, {resolve, reject, onChunk: parts?.onChunk ?? null}));
}

/** @type {Client['ask']} */
const refuse = (_, waiting) => waiting.reject(new TypeError('This client is connected without a server.'));

/** What a client has that only stores messages. */
export const withoutServer = {ask: refuse, request: promised(refuse)};

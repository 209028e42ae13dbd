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

import {RunError} from '../errors.js';

/** @import {Client, Server} from '../transports/transport.js' */

/**
 * A client that has `request` alone gets `ask`.
 * @param {Omit<Client, 'ask'> & {ask?: Client['ask']}} client
 * @param {string} transport its name
 * @returns {Client}
 * @throws {RunError} when a part is missing
 */
export function wholeClient(client, transport) {
  refuseIncomplete(client, {of: `The client of ${transport}`, methods: ['request', 'close']});
  /** @type {Client['ask']} */
  const ask = (payload, {resolve, reject, onChunk}) => {
    client.request(payload, ...(onChunk ? [{onChunk}] : [])).then(resolve, reject);
  };
  return client.ask ? /** @type {Client} */ (client) : Object.assign(client, {ask});
}

/** @param {Server} server @param {string} transport its name @returns {Server} @throws {RunError} */
export function wholeServer(server, transport) {
  refuseIncomplete(server, {of: `The server of ${transport}`, methods: ['close']});
  return server;
}

/** @param {any} half what `serve` or `connect` resolved with @param {{of: string, methods: string[]}} what */
function refuseIncomplete(half, {of, methods}) {
  const missing = methods.find((name) => typeof half?.[name] !== 'function');
  if (missing !== undefined)
    throw new RunError(`${of} has no method ${missing}.`, {code: 'PB_BAD_TRANSPORT'});
  if (typeof half.closed?.then !== 'function')
    throw new RunError(`${of} has no promise closed, which rejects when the connection ends.`, {
      code: 'PB_BAD_TRANSPORT',
    });
  // Its rejection is awaited later.
  half.closed.then(undefined, () => {});
}

import {http} from './http.js';
import {rabbitmq} from './rabbitmq.js';
import {tcp} from './tcp.js';
import {websocket} from './websocket.js';

/**
 * A transport: a pair of scripts and this entry. To add one, write `src/<name>-server.js` and `src/<name>-client.js`, a file
 * here that describes them, and list it below.
 *
 * @typedef {object} Transport
 * @property {string} name
 * @property {string} label how the tables call it
 * @property {readonly import('../options/option.js').Option[]} options its own; those with a label make its variants
 * @property {readonly ('request' | 'send' | 'store')[]} capabilities
 * @property {boolean} needsBroker
 * @property {(variant: Variant) => Variant} [complete] fills in the settings that follow from others
 * @property {(variant: Variant) => string | null} [refuse] why this combination of settings cannot be
 * @property {(variant: Variant) => string[]} [details] what a row must name besides the options that are not the default
 * @property {(variant: Variant) => string} [qualifier] what tells its usual variants apart where there is no column for it
 * @property {(variant: Variant) => string} [persistent] what the Persistent column says; *N/A* unless given
 * @property {URL} server the server's script
 * @property {URL} client the client's script
 *
 * @typedef {Record<string, any>} Variant every setting in force, by the option's key
 *
 * @typedef {object} Reply how a server's script answers one request
 * @property {(chunk?: Buffer) => void} end without a chunk: no reply
 *
 * @typedef {(request: Buffer, reply: Reply) => void} OnRequest
 *
 * @typedef {object} Server
 * @property {string | null} address host:port that clients connect to; null when they go through a broker
 * @property {Promise<void>} closed rejects on an unasked death
 * @property {Record<string, unknown>} [details] settings that only the running process knows
 * @property {() => Promise<void>} close
 *
 * @typedef {object} Client
 * @property {(payload: Buffer) => Promise<Buffer>} request rejects when the connection dies
 * @property {Promise<void>} closed rejects on an unasked death
 * @property {Record<string, unknown>} [details] settings that only the running process knows
 * @property {() => Promise<void>} close
 *
 * @typedef {Record<string, any> & {servers: string[], concurrency: number}} ClientOptions
 */

/** All transports, the floor first. @type {readonly Transport[]} */
export const transports = [tcp, http, websocket, rabbitmq];

/** @param {string} name @returns {Transport} */
export function transportNamed(name) {
  const transport = transports.find((candidate) => candidate.name === name);
  if (!transport) throw new TypeError(`There is no transport named ${name}.`);
  return transport;
}

import {promised} from './pending-replies.js';

/**
 * @import {Taker} from './taker.js'
 * @import {Client, ConnectSettings, Store} from './transport.js'
 */

/**
 * The connection of a client or of a server to a broker.
 * @typedef {object} Opened
 * @property {Promise<void>} closed rejects when the connection is lost
 * @property {() => Promise<unknown>} close
 * @property {<Result>(work: Promise<Result>) => Promise<Result>} [prepared] bounds the duration of the requests to the broker at the start; default:
 *   only the end of the connection ends them
 */

/**
 * Prepares a client or a server over an open connection, and closes the connection if the preparation fails.
 * @template Half
 * @param {Opened} opened
 * @param {() => Promise<Half>} prepare
 * @returns {Promise<Half>}
 */
export async function prepareOver(opened, prepare) {
  try {
    const half = prepare();
    return await (opened.prepared?.(half) ?? Promise.race([half, opened.closed.then(() => half)]));
  } catch (error) {
    await opened.close();
    throw error;
  }
}

/**
 * Connects a client to a server, to all subscribers or to a store, as its workload needs.
 * @template {Opened} Open
 * @template {Pick<ConnectSettings, 'broadcasts' | 'hasServer'>} Settings
 * @param {Open} opened
 * @param {Settings} options
 * @param {Record<'toServer' | 'toAll' | 'toStore', (opened: Open, options: Settings) => Promise<Client>>} ways
 */
export async function connectOver(opened, options, {toServer, toAll, toStore}) {
  const connect = options.broadcasts ? toAll : options.hasServer ? toServer : toStore;
  return await prepareOver(opened, () => connect(opened, options));
}

/**
 * Makes the client of a server that reads requests and one-way messages from a broker.
 * @param {Pick<Client, 'ask'>} calls
 * @param {Required<Pick<Client, 'drained' | 'flushed'>> & {publish: NonNullable<Client['send']>}} publisher of the one-way messages
 * @param {Pick<Client, 'closed' | 'details' | 'close'>} connection
 * @returns {Client}
 */
export function clientOf(calls, publisher, connection) {
  /** @type {Client['ask']} */
  const ask = (payload, waiting) => calls.ask(payload, waiting);
  return {
    ask,
    request: promised(ask),
    send: (payload) => publisher.publish(payload),
    drained: () => publisher.drained(),
    flushed: () => publisher.flushed(),
    ...connection,
  };
}

/**
 * Makes a store from a publisher, which puts messages, and a taker.
 * @param {Required<Pick<Client, 'drained' | 'flushed'>> & {publish: Store['put']}} publisher
 * @param {Taker} taker
 * @param {Pick<Store, 'awaitsConfirms' | 'consume'>} other
 * @returns {Store}
 */
export function storeOf(publisher, taker, other) {
  return {
    put: (payload, outcome) => publisher.publish(payload, outcome),
    drained: () => publisher.drained(),
    flushed: () => publisher.flushed(),
    take: (count, onMessage, how) => taker.take(count, onMessage, how),
    ...other,
  };
}

/** @type {Client['ask']} */
const refuse = (_, waiting) => waiting.reject(new TypeError('This client is connected without a server.'));

/** The request functions of a client that only stores or broadcasts messages. They reject. */
export const withoutServer = {ask: refuse, request: promised(refuse)};

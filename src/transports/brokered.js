import {promised} from './pending-replies.js';

/**
 * @import {Taker} from './taker.js'
 * @import {Client, ConnectSettings, Server, Store} from './transport.js'
 */

/**
 * The connection of a client or of a server to a broker.
 * @template CleanUp
 * @typedef {object} Opened
 * @property {Promise<void>} closed rejects when the connection is lost
 * @property {Record<string, unknown>} details
 * @property {(cleanUp?: CleanUp) => Promise<void>} close runs the clean-up first
 * @property {<Result>(work: Promise<Result>) => Promise<Result>} [prepared] bounds the duration of the requests to the broker at the start; default:
 *   only the end of the connection ends them
 */

/**
 * What a client has in addition to its connection.
 * @template CleanUp
 * @typedef {Partial<Client> & {cleanUp?: CleanUp | undefined}} Part
 */

/**
 * Prepares a client or a server over an open connection, and closes the connection if the preparation fails.
 * @template Half, CleanUp @param {Opened<CleanUp>} opened @param {() => Promise<Half>} prepare
 * @param {CleanUp} [cleanUp] after a failure
 */
async function prepareOver(opened, prepare, cleanUp) {
  try {
    const half = prepare();
    return await (opened.prepared?.(half) ?? Promise.race([half, opened.closed.then(() => half)]));
  } catch (error) {
    await opened.close(cleanUp);
    throw error;
  }
}

/**
 * Makes a client over an open connection.
 * @template CleanUp @param {Opened<CleanUp>} opened @param {() => Promise<Part<CleanUp>>} prepare @param {CleanUp} [cleanUpAfterFailure]
 * @returns {Promise<Client>}
 */
export async function clientOver(opened, prepare, cleanUpAfterFailure) {
  const {cleanUp, ...part} = await prepareOver(opened, prepare, cleanUpAfterFailure);
  const {closed, details} = opened;
  return {
    ask: refuse,
    request: promised(refuse),
    closed,
    details,
    close: () => opened.close(cleanUp),
    ...part,
  };
}

/**
 * Connects a client to a server, to all subscribers or to a store, as its workload needs.
 * @template CleanUp @template {Opened<CleanUp>} Open @template {Pick<ConnectSettings, 'broadcasts' | 'hasServer'>} Settings
 * @param {Open & Opened<CleanUp>} opened @param {Settings} options
 * @param {Record<'toServer' | 'toAll' | 'toStore', (opened: Open, options: Settings) => Promise<Part<CleanUp>>>} ways
 */
export async function connectOver(opened, options, {toServer, toAll, toStore}) {
  const connect = options.broadcasts ? toAll : options.hasServer ? toServer : toStore;
  return await clientOver(opened, () => connect(opened, options));
}

/**
 * Makes a server over an open connection. A server that fails deletes nothing: queues that it could not declare may belong to others, and
 * declared queues expire.
 * @template CleanUp @param {Opened<CleanUp>} opened
 * @param {() => Promise<CleanUp | void>} prepare resolves with the clean-up, if there is one
 * @returns {Promise<Server>}
 */
export async function serveOver(opened, prepare) {
  const cleanUp = await prepareOver(opened, prepare);
  const {closed, details} = opened;
  return {address: null, closed, details, close: () => opened.close(cleanUp ?? undefined)};
}

/**
 * The functions of a client of a server that reads requests and one-way messages from a broker.
 * @param {Pick<Client, 'ask'>} calls
 * @param {Required<Pick<Client, 'drained' | 'flushed'>>} publisher of the one-way messages
 * @param {NonNullable<Client['send']>} send publishes a one-way message
 */
export function partOf(calls, publisher, send) {
  /** @type {Client['ask']} */
  const ask = (payload, waiting) => calls.ask(payload, waiting);
  return {
    ask,
    request: promised(ask),
    send,
    drained: () => publisher.drained(),
    flushed: () => publisher.flushed(),
  };
}

/**
 * Makes a store from a publisher, which puts messages, and a taker.
 * @param {Required<Pick<Client, 'drained' | 'flushed'>> & {publish: Store['put']}} publisher @param {Taker} taker
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

/** A client that only stores or broadcasts messages has no requests. @type {Client['ask']} */
const refuse = (_, waiting) => waiting.reject(new TypeError('This client is connected without a server.'));

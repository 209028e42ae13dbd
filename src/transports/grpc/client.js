import {splitAddress} from '../../net/address.js';
import {probe, probeTls} from '../../net/probe.js';
import {clientTrust} from '../../net/tls.js';
import {PendingReplies, promised} from '../pending-replies.js';
import {callFailed, openChannels} from './channels.js';
import {library} from './library.js';
import {asEncoded, decodePayload, encodePayload, paths} from './messages.js';
import {OneWayMessages} from './one-way-messages.js';

/**
 * @import {ClientTls} from '../../net/tls.js'
 * @import {Client, ConnectGivenSettings, ConnectSettings, Correlation, Waiting} from '../transport.js'
 * @import {ChannelTarget} from './channels.js'
 * @import {GrpcSettings} from './index.js'
 * @import {Client as GrpcClient, ClientDuplexStream, ClientUnaryCall, ServiceError} from '@grpc/grpc-js'
 */

const {Metadata} = library;

const nothing = Buffer.alloc(0);

/** @param {ConnectSettings & GrpcSettings} options @returns {Promise<Client>} */
export async function connect(options) {
  const {host, port} = splitAddress(options.servers[0]);
  const {greetingMs, grpcWindowBytes: windowBytes, grpcChannels: count} = options;
  const trust = await clientTrust(options);
  // The library retries without a reason if it cannot connect, so the server is probed first.
  const details = await reach(host, port, trust);
  const {clients, lost, close} = await openChannels({host, port, trust, count, windowBytes, greetingMs});
  const calls =
    options.grpcCall === 'unary' ? new UnaryCalls(clients) : new Conversations(clients, options.correlation);
  const messages = new OneWayMessages(clients);
  let isClosing = false;
  lost.then((error) => {
    if (isClosing) return;
    calls.fail(error);
    messages.fail(error);
  });
  /** @type {Client['ask']} */
  const ask = (payload, waiting) => calls.ask(payload, waiting);
  return {
    ask,
    request: promised(ask),
    ...(calls instanceof UnaryCalls && {
      abandon: ({exchange}) => exchange?.abandon(),
    }),
    send: (payload) => messages.send(payload),
    drained: () => messages.drained(),
    flushed: () => messages.flushed(),
    closed: messages.closed,
    details,
    async close() {
      isClosing = true;
      calls.finish();
      close();
    },
  };
}

const defaultWindowBytes = 1024 ** 2;
/** The bound leaves time to find out why a connection failed. */
const maxGreetingMs = 3000;

/**
 * Connects to a server that the user names, and calls one of its unary methods.
 * @param {ConnectGivenSettings} options
 * @returns {Promise<Client>}
 */
export async function connectToGiven({
  url,
  host,
  port,
  headers,
  ca,
  takesAnyStatus,
  isWholeMessage,
  greetingMs,
}) {
  const trust = url.protocol === 'grpcs:' ? {...(ca !== null && {ca: [ca]})} : null;
  const target = {
    host,
    port,
    trust,
    count: 1,
    windowBytes: defaultWindowBytes,
    greetingMs: Math.min(greetingMs, maxGreetingMs),
  };
  const {clients, lost, close} = await openChannels(target).catch((error) => explain(error, target));
  const calls = new UnaryCalls(clients, {
    path: url.pathname,
    encode: isWholeMessage ? asEncoded : encodePayload,
    decode: isWholeMessage ? asEncoded : decodePayload,
    metadata: metadataOf(headers),
    takesAnyStatus,
  });
  /** @type {Promise<never>} */
  const closed = lost.then((error) => {
    calls.fail(error);
    throw error;
  });
  closed.catch(() => {});
  /** @type {Client['ask']} */
  const ask = (payload, waiting) => calls.ask(payload, waiting);
  return {
    ask,
    request: promised(ask),
    abandon: ({exchange}) => exchange?.abandon(),
    closed,
    close: async () => close(),
  };
}

/**
 * Opens a plain connection to find out why the library could not connect: the library reports no reason.
 * @param {Error} error @param {Pick<ChannelTarget, 'host' | 'port' | 'trust'>} target
 * @returns {Promise<never>}
 */
async function explain(error, {host, port, trust}) {
  await reach(host, port, trust);
  throw error;
}

/** Opens a connection and closes it. @param {string} host @param {number} port @param {ClientTls | null} trust */
function reach(host, port, trust) {
  return trust ? probeTls(host, port, {...trust, ALPNProtocols: ['h2']}) : probe({host, port});
}

/**
 * Makes metadata from headers. A name that ends with -bin has bytes as its value, which are base64 in a file.
 * @param {Readonly<Record<string, string>>} headers
 */
function metadataOf(headers) {
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(headers))
    metadata.set(name, name.endsWith('-bin') ? Buffer.from(value, 'base64') : value);
  return metadata;
}

/**
 * The method that unary calls use.
 * @typedef {object} UnaryMethod
 * @property {string} path
 * @property {(payload: Buffer) => Buffer} encode
 * @property {(message: Buffer) => Buffer} decode
 * @property {InstanceType<typeof Metadata>} metadata
 * @property {boolean} takesAnyStatus whether a call counts that the server answers with an error
 */

/** @type {UnaryMethod} */
const exchange = {
  path: paths.exchange,
  encode: encodePayload,
  decode: decodePayload,
  metadata: new Metadata(),
  takesAnyStatus: false,
};

class UnaryCalls {
  /** @param {readonly GrpcClient[]} clients @param {UnaryMethod} [method] */
  constructor(clients, method = exchange) {
    this.clients = clients;
    this.method = method;
    this.next = 0;
    /** @type {Error | null} */
    this.failure = null;
  }

  /** @param {Buffer} payload @param {Waiting} waiting */
  ask(payload, waiting) {
    if (this.failure) return waiting.reject(this.failure);
    const client = this.clients[this.next];
    this.next = (this.next + 1) % this.clients.length;
    if (waiting.onChunk) askForParts(client, payload, waiting);
    else waiting.exchange = new UnaryCall(client, payload, waiting, this.method);
  }

  /** @param {Error} error */
  fail(error) {
    this.failure ??= error;
  }

  finish() {}
}

class UnaryCall {
  /** @param {GrpcClient} client @param {Buffer} payload @param {Waiting} waiting @param {UnaryMethod} method */
  constructor(client, payload, waiting, {path, encode, decode, metadata, takesAnyStatus}) {
    this.isAbandoned = false;
    /** @type {ClientUnaryCall} */
    this.call = client.makeUnaryRequest(path, encode, decode, payload, metadata, (error, reply) => {
      if (this.isAbandoned) return;
      waiting.exchange = null;
      if (!error) return waiting.resolve(/** @type {Buffer} */ (reply));
      const failure = callFailed(error);
      if (takesAnyStatus && failure.code === 'PB_GRPC_STATUS') waiting.resolve(nothing);
      else waiting.reject(failure);
    });
  }

  abandon() {
    this.isAbandoned = true;
    this.call.cancel();
  }
}

/** @param {GrpcClient} client @param {Buffer} payload @param {Waiting} waiting with `onChunk` */
function askForParts(client, payload, waiting) {
  let isAbandoned = false;
  const call = client.makeServerStreamRequest(paths.exchangeParts, encodePayload, decodePayload, payload);
  waiting.exchange = {
    abandon() {
      isAbandoned = true;
      call.cancel();
    },
  };
  call.on('data', (part) => {
    if (!isAbandoned) waiting.onChunk?.(part);
  });
  call.on('error', (/** @type {ServiceError} */ error) => {
    if (!isAbandoned) waiting.reject(callFailed(error));
  });
  call.on('status', ({code}) => {
    if (code === 0 && !isAbandoned) waiting.resolve(nothing);
  });
}

/** Requests over one bidirectional stream for each channel. */
class Conversations {
  /** @param {readonly GrpcClient[]} clients @param {Correlation | null} correlation */
  constructor(clients, correlation) {
    this.conversations = clients.map((client) => new Conversation(client, correlation));
    this.next = 0;
  }

  /** @param {Buffer} payload @param {Waiting} waiting */
  ask(payload, waiting) {
    const {conversations} = this;
    const {call, pending} = conversations[this.next];
    this.next = (this.next + 1) % conversations.length;
    if (pending.failure === null) call.write(encodePayload(payload));
    pending.add(payload, waiting);
  }

  /** @param {Error} error */
  fail(error) {
    for (const {pending} of this.conversations) pending.fail(error);
  }

  finish() {
    for (const {call, pending} of this.conversations) {
      pending.finish();
      call.cancel();
    }
  }
}

class Conversation {
  /** @param {GrpcClient} client @param {Correlation | null} correlation */
  constructor(client, correlation) {
    this.pending = new PendingReplies('The gRPC server ended the stream.', correlation);
    /** @type {ClientDuplexStream<Buffer, Buffer>} */
    this.call = client.makeBidiStreamRequest(paths.converse, asEncoded, decodePayload);
    this.call.on('data', (reply) => this.pending.take(reply));
    this.call.on('error', (/** @type {ServiceError} */ error) => this.pending.fail(callFailed(error)));
    this.call.on('end', () => this.pending.fail());
  }
}

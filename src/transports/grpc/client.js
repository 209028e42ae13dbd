import {splitAddress} from '../../net/address.js';
import {probe, probeTls} from '../../net/probe.js';
import {clientTrust} from '../../net/tls.js';
import {drained} from '../backpressure.js';
import {PendingReplies, promised} from '../pending-replies.js';
import {callFailed, openChannels} from './channels.js';
import {paths} from './library.js';
import {decodePayload, decodeReceived, encodePayload} from './messages.js';

/**
 * @import {Client as GrpcClient, ClientDuplexStream, ClientUnaryCall, ClientWritableStream, ServiceError} from '@grpc/grpc-js'
 * @import {GrpcSettings} from './index.js'
 * @import {Client, ConnectSettings, Correlation, Waiting} from '../transport.js'
 */

/**
 * @param {ConnectSettings & GrpcSettings} options
 * @returns {Promise<Client>}
 */
export async function connect(options) {
  const {host, port} = splitAddress(options.servers[0]);
  const {greetingMs, grpcWindowBytes: windowBytes, grpcChannels: count} = options;
  const trust = await clientTrust(options);
  // The library would try again and again to connect, and does not say why it cannot.
  const details = trust
    ? await probeTls(host, port, {...trust, ALPNProtocols: ['h2']})
    : await probe(host, port);
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
  const ask = (/** @type {Buffer} */ payload, /** @type {Waiting} */ waiting) => calls.ask(payload, waiting);
  return {
    ask,
    request: promised(ask),
    ...(calls instanceof UnaryCalls && {
      abandon: (/** @type {Waiting} */ {exchange}) => exchange?.abandon(),
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

/** A call for each request. */
class UnaryCalls {
  /** @param {readonly GrpcClient[]} clients */
  constructor(clients) {
    this.clients = clients;
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
    else waiting.exchange = new UnaryCall(client, payload, waiting);
  }

  /** @param {Error} error */
  fail(error) {
    this.failure ??= error;
  }

  finish() {}
}

class UnaryCall {
  /** @param {GrpcClient} client @param {Buffer} payload @param {Waiting} waiting */
  constructor(client, payload, waiting) {
    this.isAbandoned = false;
    /** @type {ClientUnaryCall} */
    this.call = client.makeUnaryRequest(
      paths.exchange,
      encodePayload,
      decodePayload,
      payload,
      (error, reply) => {
        if (this.isAbandoned) return;
        waiting.exchange = null;
        if (error) waiting.reject(callFailed(error));
        else waiting.resolve(/** @type {Buffer} */ (reply));
      },
    );
  }

  abandon() {
    this.isAbandoned = true;
    this.call.cancel();
  }
}

/**
 * For messages of a stream. The library would encode one only when those before it were sent, and its payload may be used again before that.
 * @param {Buffer} message
 */
const asEncoded = (message) => message;

const nothing = Buffer.alloc(0);

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

/** A bidirectional stream for each channel. */
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

/** One-way messages: a client stream for each channel, which ends when its messages are to be confirmed. The next message begins another. */
class OneWayMessages {
  /** @param {readonly GrpcClient[]} clients */
  constructor(clients) {
    this.streams = clients.map((client) => new OneWayStream(client, (error) => this.fail(error)));
    this.next = 0;
    /** @type {Promise<never>} */
    this.closed = new Promise((_, reject) => {
      this.rejectClosed = reject;
    });
    this.closed.catch(() => {});
  }

  /** @param {Buffer} payload @returns {boolean} */
  send(payload) {
    const stream = this.streams[this.next];
    this.next = (this.next + 1) % this.streams.length;
    return stream.send(payload);
  }

  async drained() {
    for (const {call} of this.streams) if (call) await drained(call);
  }

  async flushed() {
    const counts = await Promise.all(this.streams.map((stream) => stream.flushed()));
    return {confirmed: counts.reduce((sum, count) => sum + count, 0)};
  }

  /** @param {Error} error */
  fail(error) {
    this.rejectClosed?.(error);
  }
}

class OneWayStream {
  /** @param {GrpcClient} client @param {(error: Error) => void} onFailure */
  constructor(client, onFailure) {
    this.client = client;
    this.onFailure = onFailure;
    this.confirmed = 0;
    /** @type {ClientWritableStream<Buffer> | null} */
    this.call = null;
    /** Resolves when the server has answered. @type {Promise<void>} */
    this.answered = Promise.resolve();
  }

  /** @param {Buffer} payload @returns {boolean} */
  send(payload) {
    return (this.call ?? this.#open()).write(encodePayload(payload));
  }

  /** @returns {Promise<number>} how many messages the server has confirmed so far */
  async flushed() {
    this.call?.end();
    this.call = null;
    await this.answered;
    return this.confirmed;
  }

  #open() {
    const {promise, resolve} = deferred();
    this.answered = promise;
    this.call = this.client.makeClientStreamRequest(paths.send, asEncoded, decodeReceived, (error, count) => {
      if (error) this.onFailure(callFailed(error));
      else this.confirmed += Number(count);
      resolve();
    });
    // The same error comes to the callback.
    this.call.on('error', () => {});
    return this.call;
  }
}

function deferred() {
  /** @type {() => void} */
  let resolve = () => {};
  /** @type {Promise<void>} */
  const promise = new Promise((done) => {
    resolve = done;
  });
  return {promise, resolve};
}

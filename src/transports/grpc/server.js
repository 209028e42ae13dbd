import {joinAddress} from '../../net/address.js';
import {cannotListen} from '../../net/listen.js';
import {serverCredentials} from '../../net/tls.js';
import {drained} from '../backpressure.js';
import {SerializedRequests} from '../serialized-requests.js';
import {library, messageLimits} from './library.js';
import {decodePayload, encodePayload, encodeReceived, paths} from './messages.js';

/**
 * @import {OnRequest, Reply, ServeSettings, Server} from '../transport.js'
 * @import {GrpcSettings} from './index.js'
 * @import {Server as GrpcServer, ServerCredentials, ServerWritableStream, handleBidiStreamingCall, handleClientStreamingCall, handleServerStreamingCall, handleUnaryCall, sendUnaryData} from '@grpc/grpc-js'
 */

/** @param {ServeSettings & GrpcSettings} options @param {OnRequest} onRequest @returns {Promise<Server>} */
export async function serve(options, onRequest) {
  const credentials = await serverCredentials(options);
  const server = new library.Server(messageLimits);
  server.addService(definition, {
    exchange: answerUnary(onRequest),
    exchangeParts: answerInParts(onRequest),
    converse: answerStream(onRequest),
    send: takeMessages(onRequest),
  });
  const address = await bind(server, options, credentials);
  return {
    address,
    certificate: credentials?.cert ?? null,
    closed: new Promise(() => {}),
    async close() {
      server.forceShutdown();
    },
  };
}

const payloads = {requestDeserialize: decodePayload, requestSerialize: encodePayload};
const replies = {responseSerialize: encodePayload, responseDeserialize: decodePayload};
const shared = {...payloads, ...replies};

/** The service of battle.proto. */
export const definition = {
  exchange: {path: paths.exchange, requestStream: false, responseStream: false, ...shared},
  exchangeParts: {path: paths.exchangeParts, requestStream: false, responseStream: true, ...shared},
  converse: {path: paths.converse, requestStream: true, responseStream: true, ...shared},
  send: {
    path: paths.send,
    requestStream: true,
    responseStream: false,
    ...payloads,
    responseSerialize: encodeReceived,
    responseDeserialize: Number,
  },
};

/** The error codes of binding to all IPv6 addresses on a host without IPv6. */
const withoutIpv6 = ['EAFNOSUPPORT', 'EADDRNOTAVAIL'];

/**
 * @param {GrpcServer} server @param {ServeSettings} options @param {Awaited<ReturnType<typeof serverCredentials>>} credentials
 * @returns {Promise<string>} host:port
 */
async function bind(server, {listenAddress, serverPort}, credentials) {
  const secured = credentials
    ? library.ServerCredentials.createSsl(
        credentials.ca ? Buffer.from(credentials.ca.join('\n')) : null,
        [{private_key: Buffer.from(credentials.key), cert_chain: Buffer.from(credentials.cert)}],
        credentials.requestCert,
      )
    : library.ServerCredentials.createInsecure();
  const bindTo = (/** @type {string} */ host) => bindToHost(server, {host, port: serverPort, secured});
  try {
    return await bindTo(listenAddress ?? '::').catch((error) => {
      if (listenAddress !== null || !withoutIpv6.includes(error.code)) throw error;
      return bindTo('0.0.0.0');
    });
  } catch (error) {
    throw cannotListen(/** @type {Error} */ (error), listenAddress ?? undefined, serverPort);
  }
}

/**
 * @param {GrpcServer} server @param {{host: string, port: number, secured: ServerCredentials}} where
 * @returns {Promise<string>} host:port
 */
function bindToHost(server, {host, port, secured}) {
  return new Promise((resolve, reject) => {
    server.bindAsync(joinAddress(host, port), secured, (error, bound) => {
      // The library has the system's error code only in the message.
      if (error) reject(Object.assign(error, {code: /\bE[A-Z\d]{4,}\b/.exec(error.message)?.[0]}));
      else resolve(joinAddress(host, bound));
    });
  });
}

/** @param {OnRequest} onRequest @returns {handleUnaryCall<Buffer, Buffer>} */
function answerUnary(onRequest) {
  return (call, callback) => onRequest(call.request, new UnaryReply(callback));
}

const nothing = Buffer.alloc(0);

/** @implements {Reply} */
class UnaryReply {
  /** @param {sendUnaryData<Buffer>} callback */
  constructor(callback) {
    this.callback = callback;
    /** A unary call has one reply message, so parts are joined. @type {Buffer[] | null} */
    this.parts = null;
  }

  /** @param {Buffer} part */
  write(part) {
    this.parts ??= [];
    this.parts.push(part);
    return true;
  }

  async drained() {}

  /** @param {Buffer} [last] */
  end(last = nothing) {
    this.callback(null, this.parts ? Buffer.concat([...this.parts, last]) : last);
  }
}

/** @param {OnRequest} onRequest @returns {handleServerStreamingCall<Buffer, Buffer>} */
function answerInParts(onRequest) {
  return (call) => {
    call.on('error', () => {});
    onRequest(call.request, replyIn(call));
  };
}

/** @param {ServerWritableStream<Buffer, Buffer>} call @returns {Reply} */
function replyIn(call) {
  return {
    write: (part) => call.write(part),
    drained: () => drained(call),
    end(last) {
      if (last) call.write(last);
      call.end();
    },
  };
}

/** @param {OnRequest} onRequest @returns {handleBidiStreamingCall<Buffer, Buffer>} */
function answerStream(onRequest) {
  return (call) => {
    let latestBytes = 0;
    const connection = {
      send(/** @type {Buffer} */ message) {
        latestBytes = message.length;
        return call.write(message);
      },
      drained: () => drained(call),
      // writableLength of the stream counts messages, not bytes.
      unreadBytes: () => call.writableLength * latestBytes,
      pause: () => void call.pause(),
      resume: () => void call.resume(),
    };
    const requests = new SerializedRequests(connection, onRequest);
    call.on('error', () => {});
    call.on('data', (request) => requests.take(request));
    call.on('end', () => call.end());
  };
}

/** @param {OnRequest} onRequest @returns {handleClientStreamingCall<Buffer, number>} */
function takeMessages(onRequest) {
  return (call, callback) => {
    let received = 0;
    let handled = 0;
    let hasEnded = false;
    const answerIfDone = () => {
      if (hasEnded && handled === received) callback(null, handled);
    };
    /** @type {Reply} shared by all messages of the stream */
    const reply = {
      write: () => true,
      drained: async () => {},
      end() {
        handled += 1;
        answerIfDone();
      },
    };
    call.on('error', () => {});
    call.on('data', (message) => {
      received += 1;
      onRequest(message, reply);
    });
    call.on('end', () => {
      hasEnded = true;
      answerIfDone();
    });
  };
}

import {createConnection} from 'node:net';
import {requireOptional} from '../../packages/load.js';

/**
 * @import {Socket} from 'node:net'
 * @import * as Library from '@nats-io/transport-node'
 * @import * as NodeLibrary from '@nats-io/transport-node/lib/node_transport.js'
 * @import {ConnectionOptions, NatsConnection, Parser} from '@nats-io/transport-node'
 */

const need = {by: 'NATS', install: 'nats'};

/** @type {typeof Library} */
const library = requireOptional('@nats-io/transport-node', need);
const {NatsConnectionImpl, ProtocolHandler, setTransportFactory} = library;
export const {createInbox} = library;

const {NodeTransport, nodeResolveHost} = /** @type {typeof NodeLibrary} */ (
  requireOptional('@nats-io/transport-node/lib/node_transport.js', need)
);

/**
 * The library trusts its server: it buffers an announced message of any size, answers pings into a buffer without a limit, prints bytes that
 * it cannot parse to standard output, continues to read into a queue, and leaves the socket of a failed attempt open. The classes of this
 * file prevent all of this.
 */

/**
 * The members that the types of the library hide. `prepare` begins an attempt with a new parser.
 * @typedef {{
 *   parser: Parser, transport: Transport | undefined, heartbeats: {cancel(): void},
 *   prepare(): unknown, dial(server: unknown): Promise<void>, dialLoop(): Promise<void>, processPing(): void, close(error: Error): Promise<void>,
 * }} Dialling
 */

/** @type {new (options: unknown, nats: unknown) => Dialling} */
const LibraryHandler = /** @type {any} */ (ProtocolHandler);
/** @type {new (options: ConnectionOptions) => NatsConnection & {options: unknown, protocol: unknown}} */
const LibraryConnection = /** @type {any} */ (NatsConnectionImpl);

/** INFO is a long line: it names all servers of a cluster. */
const maxLineBytes = 1024 ** 2;
/** The largest max_payload that a server allows, plus headers. */
const maxMessageBytes = 65 * 1024 ** 2;
/** A server pings every two minutes by default. */
const maxPings = 10_000;
/** The length of the excerpt of unparseable bytes in an error message. */
const maxShownCharacters = 200;

/** The server has violated the protocol. */
export class NatsProtocolError extends Error {}

/**
 * @param {ConnectionOptions} options
 * @returns {{opening: Promise<NatsConnection>, abandon: () => void}} abandon: destroys the socket, whether it has connected or not
 */
export function openGuarded(options) {
  setTransportFactory({factory: () => new Transport(), dnsResolveFn: nodeResolveHost});
  const nats = new LibraryConnection(options);
  const handler = new Handler(nats.options, nats);
  nats.protocol = handler;
  return {opening: handler.dialLoop().then(() => nats), abandon: () => handler.abandon()};
}

class Transport extends NodeTransport {
  /**
   * Dials as the library does, but sets `socket` before it has connected.
   * @param {{port: number, hostname: string}} server
   * @returns {Promise<Socket>}
   */
  dial({port, hostname}) {
    return new Promise((resolve, reject) => {
      /** @type {Error | undefined} */
      let failure;
      const socket = createConnection(port, hostname, () => {
        socket.removeAllListeners();
        resolve(socket);
      });
      this.socket = socket.setNoDelay(true);
      socket.on('error', (error) => {
        failure = error;
      });
      socket.on('close', () => reject(failure));
    });
  }

  /** @param {{port: number, hostname: string, tlsName: string}} server */
  async tlsFirst(server) {
    this.socket = await this.dial(server);
    return await super.tlsFirst(server);
  }

  peekInfo() {
    const info = super.peekInfo();
    let bytes = 0;
    this.socket.on('data', (chunk) => {
      bytes += chunk.length;
      if (bytes > maxLineBytes) this.socket.destroy(tooLong());
    });
    return info;
  }

  abandon() {
    this.done = true;
    this.socket?.on('error', () => {});
    this.socket?.destroy();
  }
}

class Handler extends LibraryHandler {
  /** Why the connection was closed. @type {Error | null} */
  #refusal = null;
  #pings = 0;
  #isAbandoned = false;

  prepare() {
    const pong = super.prepare();
    bound(this.parser, (error) => this.#refuse(error));
    return pong;
  }

  /** @param {unknown} server */
  async dial(server) {
    if (this.#isAbandoned) throw new Error('It was given up.');
    await super.dial(server);
  }

  processPing() {
    this.#pings += 1;
    if (this.#pings > maxPings) throw new NatsProtocolError(`it sent ${this.#pings} pings`);
    super.processPing();
  }

  abandon() {
    this.#isAbandoned = true;
    this.heartbeats.cancel();
    this.transport?.abandon();
  }

  /** @param {Error} error */
  #refuse(error) {
    if (this.#refusal) return;
    this.#refusal = error;
    this.close(error).catch(() => {});
  }
}

/**
 * Makes a parser report violations of the protocol and limits. The parser ignores all bytes after the first violation.
 * @param {Parser} parser @param {(error: Error) => void} refuse
 */
function bound(parser, refuse) {
  let isBroken = false;
  const own = {parse: parser.parse};
  for (const name of /** @type {const} */ (['processMsgArgs', 'processHeaderMsgArgs'])) {
    const process = parser[name];
    parser[name] = (line) => {
      process.call(parser, line);
      if (parser.ma.size > maxMessageBytes)
        throw new NatsProtocolError(
          `it announced a message of ${parser.ma.size} bytes; at most ${maxMessageBytes} are allowed`,
        );
    };
  }
  parser.parse = (chunk) => {
    if (isBroken) return;
    try {
      own.parse.call(parser, chunk);
      if ((parser.argBuf?.length ?? 0) > maxLineBytes) throw tooLong();
    } catch (error) {
      isBroken = true;
      refuse(asProtocolError(/** @type {Error} */ (error)));
    }
  };
}

function tooLong() {
  return new NatsProtocolError(`it sent a line of more than ${maxLineBytes} bytes`);
}

/** Shortens the error of the library, whose message contains all unparseable bytes. @param {Error} error */
function asProtocolError(error) {
  if (error instanceof NatsProtocolError) return error;
  return new NatsProtocolError(
    error.message
      .replace(/[^ -~]+/g, ' ')
      .slice(0, maxShownCharacters)
      .trim(),
  );
}

import {Life} from '../../net/life.js';
import {drained} from '../backpressure.js';
import {callFailed} from './channels.js';
import {asEncoded, decodeReceived, encodePayload, paths} from './messages.js';

/** @import {Client as GrpcClient, ClientWritableStream} from '@grpc/grpc-js' */

/**
 * One-way messages over a client stream for each channel. A flush ends the stream, and the server confirms its messages. The next message
 * begins a new stream.
 */
export class OneWayMessages {
  /** @param {readonly GrpcClient[]} clients */
  constructor(clients) {
    const {lost, fail} = new Life();
    this.closed = lost;
    this.fail = fail;
    this.streams = clients.map((client) => new OneWayStream(client, fail));
    this.next = 0;
  }

  /** @param {Buffer} payload */
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

  /** @param {Buffer} payload */
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
    // The callback receives the same error.
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

import {createServer} from 'node:net';
import {setTimeout as sleep} from 'node:timers/promises';
import {defineTransport} from '../../../src/transports/define.js';

/**
 * @import {Server} from 'node:net'
 * @import {OnRequest, Reply} from '../../../src/transports/transport.js'
 *
 * @typedef {'none' | 'garbling' | 'swapping' | 'reversing' | 'losing' | 'repeating' | 'unbounded' | 'mixing' | 'fragile' | 'silent' | 'rude' | 'leaving' | 'doubling' | 'forgetting' |
 *   'shortening' | 'deaf' | 'dropping' | 'stacking'} Fault
 */

/** What the fault `leaving` leaves open. @type {Server[]} */
export const left = [];

/** How much is sent before a sender is held back. */
const maxHeldBytes = 1024 * 1024;

/**
 * A transport within this process, with a fault that a check must find.
 * @param {Fault} fault
 */
export function faultyTransport(fault) {
  /** @type {Set<FakeClient>} */
  const clients = new Set();
  const state = {isOpen: false, onRequest: /** @type {OnRequest} */ (() => {}), messages: 0};

  const server = async () => ({
    serve: async (/** @type {object} */ _options, /** @type {OnRequest} */ onRequest) => {
      Object.assign(state, {isOpen: true, onRequest});
      let closes = 0;
      return {
        address: 'here:1',
        closed: new Promise(() => {}),
        close: async () => {
          closes += 1;
          if (fault === 'rude' && closes > 1) throw new Error('It is closed already.');
          state.isOpen = false;
          if (fault !== 'silent') for (const client of clients) client.fail();
        },
      };
    },
  });
  const client = async () => ({connect: async () => new FakeClient(fault, state, clients)});
  return defineTransport(
    /** @type {any} */ ({
      apiVersion: 1,
      name: 'fake',
      label: 'Fake',
      capabilities: ['request', 'send', 'store', 'broadcast'],
      server,
      client,
    }),
  );
}

class FakeClient {
  /** @type {Set<(error: Error) => void>} */
  pending = new Set();
  heldBytes = 0;
  #lose = (/** @type {Error} */ _error) => {};
  closed = new Promise((_, reject) => {
    this.#lose = reject;
  });
  /** @type {Buffer[]} */
  #stored = [];
  store = {
    awaitsConfirms: true,
    put: (/** @type {Buffer} */ payload) => {
      if (this.fault === 'stacking') this.#stored.unshift(payload);
      else if (this.fault !== 'dropping' || payload.length > 4) this.#stored.push(payload);
      return true;
    },
    drained: async () => {},
    flushed: async () => ({confirmed: null}),
    take: async (/** @type {number} */ count, /** @type {(payload: Buffer) => void} */ onMessage) => {
      for (const payload of this.#stored.splice(0, count)) onMessage(payload);
    },
  };
  /** @type {((chunk: Buffer) => void)[]} */
  subscribed = [];
  broadcast = {
    subscribe: async (/** @type {(chunk: Buffer) => void} */ onChunk) => void this.subscribed.push(onChunk),
    publish: (/** @type {Buffer} */ payload) => void setImmediate(() => this.#publish(payload)),
  };

  /** @param {Fault} fault @param {{isOpen: boolean, onRequest: OnRequest, messages: number}} state @param {Set<FakeClient>} clients */
  constructor(fault, state, clients) {
    this.fault = fault;
    this.state = state;
    this.clients = clients;
    clients.add(this);
    if (fault === 'leaving') left.push(createServer().listen(0, '127.0.0.1'));
  }

  /** @param {Buffer} payload @param {{onChunk?: (chunk: Buffer) => void}} [parts] @returns {Promise<Buffer>} */
  request(payload, {onChunk} = {}) {
    return new Promise((resolve, reject) => {
      this.pending.add(reject);
      /** @type {Buffer[]} */
      const written = [];
      const reply = {
        write: (/** @type {Buffer} */ chunk) => written.push(Buffer.from(chunk)) > 0,
        drained: async () => {},
        end: (/** @type {Buffer} */ chunk = Buffer.alloc(0)) => {
          this.pending.delete(reject);
          const order = this.fault === 'reversing' ? written.toReversed() : written;
          for (const part of order) onChunk?.(part);
          resolve(this.#spoilt(chunk));
        },
      };
      setImmediate(
        () =>
          this.state.isOpen && this.state.onRequest(this.#received(payload), /** @type {Reply} */ (reply)),
      );
    });
  }

  /** @param {Buffer} payload */
  #received(payload) {
    return this.fault === 'shortening' ? payload.subarray(0, 2) : payload;
  }

  /** @param {Buffer} reply */
  #spoilt(reply) {
    const copy = Buffer.from(reply);
    if (this.fault === 'garbling' && copy.length > 1000) copy[500] ^= 1;
    if (this.fault === 'swapping' && this.pending.size > 4) copy.writeUInt32BE(copy.readUInt32BE(0) ^ 1);
    if (this.fault === 'mixing' && this.clients.size > 1 && copy.length === 256) copy[3] ^= 1;
    return copy;
  }

  /** @param {Buffer} payload */
  send(payload) {
    this.heldBytes += payload.length;
    this.state.messages += 1;
    const isLost = this.fault === 'losing' && this.state.messages === 77;
    const times = isLost ? 0 : this.fault === 'repeating' && this.state.messages === 77 ? 2 : 1;
    const reply = /** @type {Reply} */ ({write: () => true, drained: async () => {}, end: () => {}});
    setImmediate(() => {
      this.heldBytes -= payload.length;
      for (let time = 0; time < times; time += 1) this.state.onRequest(this.#received(payload), reply);
    });
    return this.fault === 'unbounded' || this.heldBytes < maxHeldBytes;
  }

  /** @param {Buffer} payload */
  #publish(payload) {
    const deliver = [...this.clients].flatMap(({subscribed}) => subscribed);
    for (const [index, onChunk] of deliver.entries()) {
      if (this.fault === 'forgetting' && index === 2 && payload.length === 1) continue;
      onChunk(payload);
      if (this.fault === 'doubling' && index === 1) onChunk(payload);
    }
  }

  async drained() {
    while (this.heldBytes >= maxHeldBytes) await sleep(1);
  }

  async flushed() {
    while (this.heldBytes > 0) await sleep(1);
    return {confirmed: null};
  }

  fail() {
    for (const reject of this.pending) reject(new Error('The server has ended.'));
    this.pending.clear();
    if (this.fault !== 'deaf') this.#lose(new Error('The server has ended.'));
  }

  async close() {
    this.clients.delete(this);
    if (this.fault === 'fragile') this.state.isOpen = false;
  }
}

/**
 * @import {Transport} from '../transport.js'
 * @import {End} from './end.js'
 * @import {Libc} from './libc.js'
 */

/** The common part of the declarations of transports within one host. */
export const withinOneHost = {
  options: /** @type {readonly never[]} */ ([]),
  capabilities: /** @type {('request' | 'send')[]} */ (['request', 'send']),
  broker: null,
  isOptIn: true,
  needsOneHost: true,
  mayBeatFloor: true,
  libraries: ['koffi'],
  ignores: () => ['noDelay'],
};

/**
 * Makes a `notesOn` that returns a note if a table has variants of the transport.
 * @param {string} note
 * @returns {(variants: readonly unknown[]) => string[]}
 */
export function noteIfAny(note) {
  return (variants) => (variants.length > 0 ? [note] : []);
}

/**
 * Makes the loaders of client and server for a transport within one host. These transports differ only in their `End`.
 * @param {string} label @param {() => Promise<new (libc: Libc) => End>} loadEnd
 * @returns {Required<Pick<Transport, 'client' | 'server'>>}
 */
export function halvesOnHost(label, loadEnd) {
  const makeEnd = async () => {
    const [{loadLibc}, End] = await Promise.all([import('./libc.js'), loadEnd()]);
    return new End(await loadLibc(label));
  };
  return {
    client: async () => {
      const {connectOnHost} = await import('./client.js');
      return {connect: async (options) => connectOnHost(options, label, await makeEnd())};
    },
    server: async () => {
      const {serveOnHost} = await import('./server.js');
      return {serve: async (options, onRequest) => serveOnHost(options, onRequest, label, await makeEnd())};
    },
  };
}

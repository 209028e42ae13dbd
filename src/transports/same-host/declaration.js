/** What the declarations of transports within one host have in common. */
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
 * A note below tables that have such a transport.
 * @param {string} note
 * @returns {(variants: readonly unknown[]) => string[]}
 */
export function noteIfAny(note) {
  return (variants) => (variants.length > 0 ? [note] : []);
}

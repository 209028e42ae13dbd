/**
 * The names of what both ends of the AMQP 1.0 pair use on Artemis. A queue has the name of its address.
 * @param {{artemisPrefix: string, pair?: string}} settings pair: of a battle, in which others may have the same prefix
 */
export function queuesOf({artemisPrefix: prefix, pair}) {
  return {
    /** All servers take from it: each request goes to one of them. */
    requests: `${prefix}-requests`,
    /** An address whose messages go to all subscribers. */
    broadcast: [prefix, 'broadcast', pair].filter(Boolean).join('-'),
    /** @param {string} clientId */
    repliesTo: (clientId) => `${prefix}-replies-${clientId}`,
    /** @param {string} clientId */
    store: (clientId) => `${prefix}-store-${clientId}`,
  };
}

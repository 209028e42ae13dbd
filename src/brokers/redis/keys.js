/** How long keys stay on a server whose roles were all killed. */
export const expiresSeconds = 60;
/** Longer, because a queue may be read by a later process. */
export const queueExpiresSeconds = 3600;

/**
 * The names of the keys and channels that both ends of the Redis pair use.
 * @param {{redisPrefix: string, pair?: string}} settings pair: in a battle, the name of this pair of processes
 */
export function keysOf({redisPrefix: prefix, pair}) {
  return {
    /** The requests of all clients: a list, a stream, or what their channels begin with. */
    requests: `${prefix}:requests`,
    /** The requests that one server takes from a channel. @param {string} serverId */
    requestsTo: (serverId) => `${prefix}:requests:${serverId}`,
    /** @param {string} clientId */
    repliesTo: (clientId) => `${prefix}:replies:${clientId}`,
    /** Every server subscribes to a channel that begins so: a client asks whether there is one. */
    presence: `${prefix}:servers:`,
    /** Pairs that run side by side have subscribers of their own. */
    broadcast: [prefix, 'broadcast', pair].filter(Boolean).join(':'),
    /** @param {string} clientId */
    queue: (clientId) => `${prefix}:queue:${clientId}`,
    /** Of all keys of this prefix. */
    pattern: `${prefix}:*`,
  };
}

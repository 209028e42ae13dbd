/**
 * The names of what both ends of the Kafka pair use on a broker.
 * @param {{kafkaPrefix: string, pair?: string}} settings pair: of a battle, in which others may have the same prefix
 */
export function topicsOf({kafkaPrefix: prefix, pair}) {
  return {
    /** The requests of all clients; it has a partition for each server. */
    requests: `${prefix}-requests`,
    /** The group of the servers, which share the partitions. */
    servers: `${prefix}-servers`,
    /** What is sent to all subscribers. */
    broadcast: [prefix, 'broadcast', pair].filter(Boolean).join('-'),
    /** @param {string} clientId */
    repliesTo: (clientId) => `${prefix}-replies-${clientId}`,
    /** Also the name of the group that keeps how far it was read. @param {string} clientId */
    store: (clientId) => `${prefix}-store-${clientId}`,
  };
}

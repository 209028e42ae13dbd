/**
 * What both ends of the JetStream pair use on a NATS server, made from the subject that the user can set: a stream of requests that all servers
 * share, for each client that stores messages a stream of its own, and one for all subscribers. Core NATS uses other subjects: a stream would take its messages too.
 * @param {{subject: string, pair?: string, jetstreamStorage?: 'memory' | 'file'}} options pair: of a battle, in which others may have the same subject;
 *   jetstreamStorage: of the stream of requests, default file
 */
export function streamsOf({subject, pair, jetstreamStorage = 'file'}) {
  const own = `${subject}.jetstream`;
  // A stream's name has no dots.
  const name = own.replaceAll('.', '_');
  return {
    requests: `${own}.${jetstreamStorage}.requests`,
    requestStream: `${name}_${jetstreamStorage}_requests`,
    /** Every server answers here: a client asks whether there is one. */
    presence: `${own}.${jetstreamStorage}.presence`,
    broadcast: [own, 'broadcast', pair].filter(Boolean).join('.'),
    broadcastStream: [name, 'broadcast', pair].filter(Boolean).join('_'),
    /** @param {string} clientId */
    store: (clientId) => `${own}.store.${clientId}`,
    /** @param {string} clientId */
    storeStream: (clientId) => `${name}_store_${clientId}`,
  };
}

/**
 * What both ends of the JetStream pair use on a NATS server, made from the subject that the user can set: a stream of requests that all servers
 * share, and for each client that stores messages a stream of its own. Core NATS uses other subjects: a stream would take its messages too.
 * @param {{subject: string}} options
 */
export function streamsOf({subject}) {
  const own = `${subject}.jetstream`;
  // A stream's name has no dots.
  const name = own.replaceAll('.', '_');
  return {
    requests: `${own}.requests`,
    requestStream: `${name}_requests`,
    /** Every server answers here: a client asks whether there is one. */
    presence: `${own}.presence`,
    /** @param {string} clientId */
    store: (clientId) => `${own}.store.${clientId}`,
    /** @param {string} clientId */
    storeStream: (clientId) => `${name}_store_${clientId}`,
  };
}

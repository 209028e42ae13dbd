/**
 * What both ends of the MQTT pair use on a broker, made from the prefix that the user can set. Names of clients begin with it, too: a broker ends the
 * connection of a client when another one has its name.
 * @param {{topic: string, pair?: string}} options pair: in a battle, the name of this pair of processes
 */
export function topicsOf({topic, pair}) {
  return {
    requests: `${topic}/requests`,
    /** All servers share one subscription: each request goes to one of them. */
    sharedRequests: `$share/servers/${topic}/requests`,
    /** Every server answers here: a client asks whether there is one. */
    presence: `${topic}/presence`,
    /** Nobody subscribes to it: the broker acknowledges what came before. */
    marks: `${topic}/marks`,
    /** Pairs that run side by side have subscribers of their own. */
    broadcast: [topic, 'broadcast', pair].filter(Boolean).join('/'),
    /** @param {string} clientId */
    replies: (clientId) => `${topic}/replies/${clientId}`,
    /** @param {string} clientId */
    store: (clientId) => `${topic}/store/${clientId}`,
    /** The name of a client. @param {'server' | 'client' | 'taker'} role @param {string} clientId */
    clientName: (role, clientId) => `${topic}-${role}-${clientId}`,
  };
}

/**
 * The topics and client names that both ends of the MQTT pair use. Client names also begin with the prefix of the topics,
 * because a broker disconnects a client when another client uses its name.
 * @param {{topic: string, pair?: string}} options pair: the name of this pair of processes in a battle
 */
export function topicsOf({topic, pair}) {
  return {
    requests: `${topic}/requests`,
    /** All servers share one subscription: the broker sends each request to one server. */
    sharedRequests: `$share/servers/${topic}/requests`,
    /** Every server answers here, so that clients can find out whether a server is there. */
    presence: `${topic}/presence`,
    /** Nobody subscribes to this topic. The acknowledgement of a mark shows that the broker has handled earlier messages. */
    marks: `${topic}/marks`,
    /** Pairs that run at the same time have separate subscribers. */
    broadcast: [topic, 'broadcast', pair].filter(Boolean).join('/'),
    /** @param {string} clientId */
    replies: (clientId) => `${topic}/replies/${clientId}`,
    /** @param {string} clientId */
    store: (clientId) => `${topic}/store/${clientId}`,
    /** @param {'server' | 'client' | 'taker'} role @param {string} clientId */
    clientName: (role, clientId) => `${topic}-${role}-${clientId}`,
  };
}

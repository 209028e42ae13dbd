/** What a parent says to the proxy of connections that it has started, as JSON lines. Route: the connections of a port lead there; cut: all are reset. */
export type ProxyCommand =
  | {command: 'route'; index: number; to: {host: string; port: number}}
  | {command: 'cut'};

/** What the proxy answers. Listening: it has opened its ports; cut: so many connections were reset. */
export type ProxyEvent = {event: 'listening'; ports: number[]} | {event: 'cut'; connections: number};

/** Splits `host:port`; an IPv6 host is in brackets. @param {string} address @returns {{host: string, port: number}} */
export function splitAddress(address) {
  const colon = address.lastIndexOf(':');
  return {host: address.slice(0, colon).replace(/^\[|\]$/g, ''), port: Number(address.slice(colon + 1))};
}

/** @param {string} host a name or an address; IPv6 with or without brackets @param {number} port */
export function joinAddress(host, port) {
  return `${host.includes(':') && !host.startsWith('[') ? `[${host}]` : host}:${port}`;
}

/**
 * Parses ssh's notation `[user@]host[:port]`; an IPv6 host is in brackets.
 * @param {string} text
 * @returns {{destination: string, port: number | null} | null} destination: the argument for ssh; null: the text does not parse
 */
export function parseSshHost(text) {
  // ssh would take a destination that begins with a dash as an option.
  const match = /^(?:([\w.][\w.+-]*)@)?(?:\[([\da-fA-F:.%\w]+)\]|([\w.][\w.-]*))(?::(\d{1,5}))?$/.exec(text);
  if (!match) return null;
  const [, user, address, name, port] = match;
  if (port !== undefined && !(Number(port) >= 1 && Number(port) <= 65_535)) return null;
  return {
    destination: `${user === undefined ? '' : `${user}@`}${address ?? name}`,
    port: port === undefined ? null : Number(port),
  };
}

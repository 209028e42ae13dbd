/**
 * Splits `host:port`, where an IPv6 host stands in brackets.
 * @param {string} address
 * @returns {{host: string, port: number}}
 */
export function splitAddress(address) {
  const colon = address.lastIndexOf(':');
  return {host: address.slice(0, colon).replace(/^\[|\]$/g, ''), port: Number(address.slice(colon + 1))};
}

/**
 * @param {string} host a name or an address, an IPv6 one with or without brackets
 * @param {number} port
 */
export function joinAddress(host, port) {
  return `${host.includes(':') && !host.startsWith('[') ? `[${host}]` : host}:${port}`;
}

/**
 * Reads `[user@]host[:port]`, as ssh's users write it; an IPv6 host stands in brackets.
 * @param {string} text
 * @returns {{destination: string, port: number | null} | null} destination: for ssh; null when it is no such thing
 */
export function parseSshHost(text) {
  // What begins with a dash would be an option of ssh.
  const match = /^(?:([\w.][\w.+-]*)@)?(?:\[([\da-fA-F:.%\w]+)\]|([\w.][\w.-]*))(?::(\d{1,5}))?$/.exec(text);
  if (!match) return null;
  const [, user, address, name, port] = match;
  if (port !== undefined && !(Number(port) >= 1 && Number(port) <= 65_535)) return null;
  return {
    destination: `${user === undefined ? '' : `${user}@`}${address ?? name}`,
    port: port === undefined ? null : Number(port),
  };
}

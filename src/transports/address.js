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

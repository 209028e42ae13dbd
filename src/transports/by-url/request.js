/** Headers that the client library itself sets. */
const ownHeaders = new Set([
  'content-length',
  'transfer-encoding',
  'connection',
  'host',
  'upgrade',
  'expect',
  'keep-alive',
]);

/** @param {string} text of a file */
function linesOf(text) {
  return text.split(/\r?\n/).filter((line) => line.trim() !== '' && !line.startsWith('#'));
}

/**
 * @param {string} text a header on each line; empty lines and lines that begin with # are ignored
 * @returns {string | null} why the text is not allowed, worded to follow the path; null: it is allowed. The reason contains no value, because values
 *   may be secret
 */
export function mistakeInHeaders(text) {
  for (const [index, line] of linesOf(text).entries()) {
    const [, name] = /^([!#$%&'*+.^_`|~\w-]+):[ \t]*[\t\x20-\x7e\x80-\uffff]*$/.exec(line) ?? [];
    if (name === undefined) return `has a line that is no header (NAME: VALUE): header ${index + 1}`;
    if (ownHeaders.has(name.toLowerCase())) return `has the header ${name}, which the client sets itself`;
  }
  return null;
}

/** @param {string} text that `mistakeInHeaders` allows @returns {Record<string, string>} values by name, in lower case */
export function parseHeaders(text) {
  return Object.fromEntries(
    linesOf(text).map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
}

const withoutBody = ['GET', 'HEAD'];

/** Returns whether requests of a method have a payload. @param {string} method */
export function hasBody(method) {
  return !withoutBody.includes(method);
}

const defaultPorts = new Map([
  ['http:', 80],
  ['ws:', 80],
  ['grpc:', 80],
  ['https:', 443],
  ['wss:', 443],
  ['grpcs:', 443],
]);

/**
 * Returns the address of a URL's server.
 * @param {string} url @returns {{host: string, port: number}} host: without the brackets of an IPv6 address
 */
export function placeOf(url) {
  const {hostname, port, protocol} = new URL(url);
  return {
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: Number(port) || (defaultPorts.get(protocol) ?? 0),
  };
}

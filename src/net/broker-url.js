import {UsageError} from '../errors.js';
import {shorten} from '../files/quote.js';

/**
 * @typedef {object} UrlReader
 * @property {URL} url
 * @property {string} hostname IPv6 without brackets
 * @property {number | null} port null: the URL has none
 * @property {(part: string) => string} decode undoes percent-encoding
 * @property {(reason: string) => never} refuse throws a UsageError with the URL, with its password masked
 */

/**
 * @param {string} text
 * @param {{example: string, mask: (text: string) => string, whole?: string}} format mask: hides secrets in messages; whole: the text that
 *   contains the URL, which messages show instead
 * @returns {UrlReader}
 * @throws {UsageError} when the URL is malformed; the message shows it without its password
 */
export function readUrl(text, {example, mask, whole = text}) {
  /** @type {UrlReader['refuse']} */
  const refuse = (reason) => {
    throw new UsageError(
      `A broker's URL must be like ${example}; got "${shorten(maskRefusedUrl(whole, mask))}": ${reason}.`,
    );
  };
  const url = parseOrNull(text) ?? refuse('it is not a URL');
  // An @ after the host comes from a / ? or # in a password without percent-encoding: the apparent host is then a part of
  // the user name and password.
  if (isAmbiguous(url))
    refuse('it has an @ after the host: write / ? # and @ in a password as %2F %3F %23 %40');
  if (url.hash !== '') refuse('a # must be written as %23');
  const decode = (/** @type {string} */ part) => {
    try {
      return decodeURIComponent(part);
    } catch {
      return refuse(
        'a % must be followed by two hexadecimal digits that make UTF-8; a bare % is written as %25',
      );
    }
  };
  return {
    url,
    get hostname() {
      return decode(url.hostname).replace(/^\[|\]$/g, '') || refuse('it names no host');
    },
    get port() {
      if (url.port === '') return null;
      return Number(url.port) || refuse('its port must be from 1 to 65535');
    },
    decode,
    refuse,
  };
}

/**
 * Separates the URLs of several servers. A server without a scheme has the scheme and the credentials of the server before it. A comma separates servers only after the last @ or before a scheme: elsewhere it may belong to a password.
 * @param {string} text
 * @returns {string[]} a whole URL for each server
 */
export function splitUrls(text) {
  return text.split(/,\s*(?=[a-z][a-z\d+.-]*:\/\/)/i).flatMap((group) => {
    const scheme = /^[a-z][a-z\d+.-]*:\/\//i.exec(group)?.[0] ?? '';
    const start = Math.max(scheme.length, group.lastIndexOf('@') + 1);
    const hosts = group.slice(start).split(',');
    return hosts.map((host) => `${group.slice(0, start)}${host.trim()}`);
  });
}

/**
 * The URL with *** in place of its password. If the URL does not parse, or its parts are ambiguous, *** replaces everything
 * that may belong to a password.
 * @param {string} text
 * @param {readonly string[]} [plainParameters] query parameters that contain no secret
 */
export function maskUrl(text, plainParameters = []) {
  const url = parseOrNull(text);
  if (url?.host && !isAmbiguous(url)) return maskParsed(url, text, plainParameters);
  const scheme = /^[a-z][a-z0-9+.-]*:\/\//i.exec(text)?.[0] ?? '';
  const at = text.lastIndexOf('@');
  if (at !== -1) return `${scheme}***${text.slice(at)}`;
  return scheme === '' ? text : `${scheme}***`;
}

/** Also masks a user name without a password, for servers that accept a token. @param {string} text */
export function maskTokenUrl(text) {
  return maskUrl(text).replace(/^([a-z][a-z\d+.-]*:\/\/)[^:@/]*@/i, '$1***@');
}

/**
 * Masks a text that an option has refused: a text that is no URL may be a password.
 * @param {string} text @param {(text: string) => string} mask
 */
export function maskRefusedUrl(text, mask) {
  return text.includes('://') ? mask(text) : '***';
}

/** @param {string} text */
function parseOrNull(text) {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}

/** @param {URL} url */
function isAmbiguous(url) {
  return `${url.pathname}${url.search}${url.hash}`.includes('@');
}

/** @param {URL} url @param {string} text @param {readonly string[]} plainParameters */
function maskParsed(url, text, plainParameters) {
  if (url.password === '' && url.search === '') return text;
  if (url.password !== '') url.password = '***';
  for (const name of new Set(url.searchParams.keys())) {
    if (!plainParameters.includes(name)) url.searchParams.set(name, '***');
  }
  return url.href;
}

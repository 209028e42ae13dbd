import {UsageError} from '../errors.js';
import {shorten} from '../files/given-file.js';

/**
 * What the URLs of all kinds of brokers share: how their parts are read, and how one is shown without its password.
 */

/**
 * @typedef {object} UrlReader
 * @property {URL} url
 * @property {string} hostname IPv6 without brackets
 * @property {number | null} port null where the URL names none
 * @property {(part: string) => string} decode undoes percent-encoding
 * @property {(reason: string) => never} refuse throws a UsageError with the URL, its password masked
 */

/**
 * @param {string} text
 * @param {{example: string, mask: (text: string) => string, whole?: string}} format mask: how messages show the URL; whole: the text that it
 *   is a part of, which they show in its place
 * @returns {UrlReader}
 * @throws {UsageError} when it is malformed; the message shows the URL without its password
 */
export function readUrl(text, {example, mask, whole = text}) {
  /** @type {UrlReader['refuse']} */
  const refuse = (reason) => {
    throw new UsageError(
      `A broker's URL must be like ${example}; got "${shorten(maskRefusedUrl(whole, mask))}": ${reason}.`,
    );
  };
  const url = parseOrNull(text) ?? refuse('it is not a URL');
  // An @ after the host comes from a / ? or # in a password that was not percent-encoded: what looks like the host is
  // then a part of the user name and password.
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
 * The URL with *** in place of its password, for messages. A URL that cannot be parsed, or whose parts cannot be told
 * apart for certain, loses everything that might belong to a password.
 * @param {string} text
 * @param {readonly string[]} [plainParameters] query parameters that hold no secret
 */
export function maskUrl(text, plainParameters = []) {
  const url = parseOrNull(text);
  if (url?.host && !isAmbiguous(url)) return maskParsed(url, text, plainParameters);
  const scheme = /^[a-z][a-z0-9+.-]*:\/\//i.exec(text)?.[0] ?? '';
  const at = text.lastIndexOf('@');
  if (at !== -1) return `${scheme}***${text.slice(at)}`;
  return scheme === '' ? text : `${scheme}***`;
}

/**
 * The same, for servers that take a token: a user name without a password is hidden too.
 * @param {string} text
 */
export function maskTokenUrl(text) {
  return maskUrl(text).replace(/^([a-z][a-z\d+.-]*:\/\/)[^:@/]*@/i, '$1***@');
}

/**
 * A text that is no URL at all may be a password.
 * @param {string} text that is not allowed
 * @param {(text: string) => string} mask
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

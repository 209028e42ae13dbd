/**
 * A text that a person gave, as messages may show it. In any of them, what is between a colon and an @ may be a password. In a URL without an @,
 * what follows the second colon may be the beginning of one, unless it is a port: a space or another mark may have cut the text.
 * @param {string} text
 */
export function maskPassword(text) {
  return text
    .replace(/:.*@/s, ':***@')
    .replace(/(:\/\/[^:/@[\s]*:)(?!\d{1,5}(?:[/?#,;\s]|$)).*/s, (rest, before) =>
      rest.includes('@') ? rest : `${before}***`,
    );
}

/** A value that is longer than this is cut in messages. */
const maxLength = 80;

/**
 * A value as messages show it: a long one is cut, and its length is given.
 * @param {string} text @returns {string}
 */
export function shorten(text) {
  if (text.length <= maxLength) return text;
  return `${text.slice(0, maxLength)}… (${text.length} characters)`;
}

/**
 * The same in quotation marks, with control characters escaped, and what may be a password masked.
 * @param {string} text
 */
export function quote(text) {
  return JSON.stringify(shorten(maskPassword(text)));
}

/**
 * Masks possible passwords in a text from a person. The text between a colon and an @ may be a password. In a URL without an
 * @, the text after the second colon may be the beginning of a password, unless it is a port: a space or another character may
 * have cut the text.
 * @param {string} text
 */
export function maskPassword(text) {
  return text
    .replace(/:.*@/s, ':***@')
    .replace(/(:\/\/[^:/@[\s]*:)(?!\d{1,5}(?:[/?#,;\s]|$)).*/s, (rest, before) =>
      rest.includes('@') ? rest : `${before}***`,
    );
}

const maxLength = 80;

/** Cuts a long text for messages, and appends its length. @param {string} text @returns {string} */
export function shorten(text) {
  if (text.length <= maxLength) return text;
  return `${text.slice(0, maxLength)}… (${text.length} characters)`;
}

/** Shortens a text, masks possible passwords, escapes control characters and adds quotation marks. @param {string} text */
export function quote(text) {
  return JSON.stringify(shorten(maskPassword(text)));
}

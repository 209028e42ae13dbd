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

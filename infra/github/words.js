/** White space, a line that goes on, a character after a backslash, quotes, and characters that mean themselves. */
const part =
  /(?<space>\s+)|\\\r?\n|\\(?<escaped>.)|'(?<literal>[^']*)'|"(?<quoted>(?:[^"\\]|\\.)*)"|(?<plain>[^\s'"\\]+)/gsy;

/**
 * Splits a text into words at white space, as a shell does, and expands nothing: quotes keep white space, and a backslash keeps the character
 * after it. Within single quotes a backslash is a character as any other.
 * @param {string} text
 * @returns {string[]}
 * @throws {Error} when a quote is not closed
 */
export function splitWords(text) {
  const words = [];
  /** @type {string | null} */
  let word = null;
  let end = 0;
  for (const {0: whole, groups = {}} of text.matchAll(part)) {
    const {space, escaped, literal, quoted, plain} = groups;
    end += whole.length;
    const meant = escaped ?? literal ?? quoted?.replace(/\\([\\"])/g, '$1') ?? plain;
    if (meant !== undefined) word = (word ?? '') + meant;
    else if (space !== undefined && word !== null) {
      words.push(word);
      word = null;
    }
  }
  if (end < text.length)
    throw new Error(
      `The arguments have a quote or a backslash without its end: ${text.slice(end, end + 40)}`,
    );
  return word === null ? words : [...words, word];
}

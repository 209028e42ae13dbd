/**
 * Breaks a text between words. A word that is longer than a line stands on one of its own.
 * @param {string} text
 * @param {number} width of a line
 * @returns {string[]} lines
 */
export function wrapWords(text, width) {
  const [first = '', ...words] = text.split(' ');
  const lines = [first];
  for (const word of words) {
    const last = lines[lines.length - 1];
    if (last.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}

import stringWidth from 'string-width';

/**
 * Breaks a text between words. A word that is longer than a line stands on one of its own.
 * @param {string} text
 * @param {number} width of a line
 * @returns {string[]} lines
 */
export function wrapWords(text, width) {
  return joinParts(text.split(' '), width);
}

/**
 * Joins parts by spaces, as many on a line as fit. A part that is longer than a line is broken between words.
 * @param {readonly string[]} parts
 * @param {number} width of the first line
 * @param {number} [hanging] by how much the others are shorter
 * @returns {string[]} lines
 */
function joinParts(parts, width, hanging = 0) {
  const [first = '', ...others] = parts.flatMap((part) =>
    stringWidth(part) > width - hanging ? part.split(' ') : [part],
  );
  const lines = [first];
  for (const part of others) {
    const last = lines[lines.length - 1];
    const room = lines.length === 1 ? width : width - hanging;
    if (stringWidth(last) + 1 + stringWidth(part) > room) lines.push(part);
    else lines[lines.length - 1] = `${last} ${part}`;
  }
  return lines;
}

const hangingIndent = 2;

/**
 * Joins parts by spaces, as many on a line as fit. All lines but the first are indented by two spaces more.
 * @param {readonly string[]} parts
 * @param {number} width of a line
 * @param {number} [indent] of the first line
 * @returns {string[]} lines
 */
export function joinIndented(parts, width, indent = 0) {
  return joinParts(parts, width - indent, hangingIndent).map(
    (line, index) => ' '.repeat(index === 0 ? indent : indent + hangingIndent) + line,
  );
}

/**
 * Breaks a text between words. All lines but the first are indented by two spaces more.
 * @param {string} text
 * @param {number} width of a line
 * @param {number} [indent] of the first line
 * @returns {string[]} lines
 */
export function wrapIndented(text, width, indent = 0) {
  return joinIndented(text.split(' '), width, indent);
}

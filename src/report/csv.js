/**
 * Rows as comma-separated values (RFC 4180), with a line of headings.
 * @template Row
 * @param {readonly (readonly [heading: string, read: (row: Row) => unknown])[]} columns
 * @param {readonly Row[]} rows
 * @param {string} [separator] a character
 * @returns {string} each line ends with CRLF, as the RFC has it; nothing stands for null
 */
export function toCsv(columns, rows, separator = ',') {
  const fieldOf = (/** @type {unknown} */ value) => quoted(asText(value), separator);
  const lines = [
    columns.map(([heading]) => heading),
    ...rows.map((row) => columns.map(([, read]) => fieldOf(read(row)))),
  ];
  return lines.map((fields) => `${fields.join(separator)}\r\n`).join('');
}

/** What a spreadsheet takes for a formula begins with one of these, unless it is a number. */
const formula = /^[=+\-@\t\r\n]/;
const number = /^[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i;

/**
 * A spreadsheet runs a text that looks like a formula, and shows one with an apostrophe before it (OWASP, CSV injection).
 * @param {unknown} value
 */
function asText(value) {
  if (value === null || value === undefined || !isFigure(value)) return '';
  const text = String(value);
  return formula.test(text) && !number.test(text) ? `'${text}` : text;
}

/** @param {string} text @param {string} separator */
function quoted(text, separator) {
  return text.includes(separator) || /["\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** A spreadsheet has no number without an end. @param {unknown} value */
function isFigure(value) {
  return typeof value !== 'number' || Number.isFinite(value);
}

/**
 * Rows as comma-separated values (RFC 4180), with a line of headings.
 * @template Row
 * @param {readonly (readonly [heading: string, read: (row: Row) => unknown])[]} columns
 * @param {readonly Row[]} rows
 * @returns {string} each line ends with CRLF, as the RFC has it; nothing stands for null
 */
export function toCsv(columns, rows) {
  const lines = [
    columns.map(([heading]) => heading),
    ...rows.map((row) => columns.map(([, read]) => fieldOf(read(row)))),
  ];
  return lines.map((fields) => `${fields.join(',')}\r\n`).join('');
}

/** @param {unknown} value */
function fieldOf(value) {
  if (value === null || value === undefined) return '';
  const text = String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

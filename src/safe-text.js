/**
 * Characters that change how a terminal or a page shows a text: control characters (C0 and C1, among them escape), marks of text direction,
 * separators of lines and paragraphs, byte order marks, and invisible annotations and tags. Line feeds and tabs are allowed.
 */
const unsafe = /[\p{Bidi_Control}\u2028\u2029\uFEFF\uFFF9-\uFFFB\u{E0000}-\u{E007F}]|[^\P{Cc}\t\n]/gu;
/** The same characters in a JSON document, where they may be escaped. */
const mayBeUnsafe = /[\p{Bidi_Control}\u2028\u2029\uFEFF\uFFF9-\uFFFB\u{E0000}-\u{E007F}\x7F-\x9F]|\\[bfru]/u;

/**
 * Makes a text from a peer, a program or a file safe for a terminal, a page and a file.
 * @param {string} text of one or several lines
 * @returns {string} with a space for each unsafe character
 */
export function safeText(text) {
  return text.replaceAll('\r\n', '\n').replace(unsafe, ' ');
}

/**
 * Parses a JSON document from a peer, a program or a file, and makes its texts and the names of its fields safe.
 * @param {string} json @returns {any}
 * @throws {SyntaxError}
 */
export function parseSafely(json) {
  const value = JSON.parse(json);
  return mayBeUnsafe.test(json) ? mapTexts(value, safeText) : value;
}

/**
 * @param {any} value of any JSON type
 * @param {(text: string) => string} change
 * @returns {any} a copy with all texts and the names of all fields changed
 */
export function mapTexts(value, change) {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((one) => mapTexts(one, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [change(name), mapTexts(one, change)]),
  );
}

/**
 * Parses a line that another process wrote. The line may not be JSON: a shell on another host prints its own lines.
 * @template Message
 * @param {string} line
 * @returns {Message | null} null if the line is not JSON
 */
export function parseOrNull(line) {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

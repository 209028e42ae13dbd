/**
 * What a terminal, a page or a reader would act on in place of showing it: control characters (C0, with the escape of terminals, and C1), marks
 * that change the direction of what follows, separators of lines and paragraphs, byte order marks, and invisible annotations and tags. Line feeds and tabs may stay.
 */
const unsafe = /[\p{Bidi_Control}\u2028\u2029\uFEFF\uFFF9-\uFFFB\u{E0000}-\u{E007F}]|[^\P{Cc}\t\n]/gu;
/** The same in a JSON document, also where it is escaped there. */
const mayBeUnsafe = /[\p{Bidi_Control}\u2028\u2029\uFEFF\uFFF9-\uFFFB\u{E0000}-\u{E007F}\x7F-\x9F]|\\[bfru]/u;

/**
 * A text of others, such as a peer, a program or a file, as it may stand on a terminal, on a page and in a file. It may have several lines.
 * @param {string} text
 * @returns {string} with a space for each character that is not safe
 */
export function safeText(text) {
  return text.replaceAll('\r\n', '\n').replace(unsafe, ' ');
}

/**
 * Parses a JSON document of others. All its texts, and the names of its fields, are made safe.
 * @param {string} json @returns {any}
 * @throws {SyntaxError}
 */
export function parseSafely(json) {
  const value = JSON.parse(json);
  return mayBeUnsafe.test(json) ? mapTexts(value, safeText) : value;
}

/**
 * @param {any} value as JSON has it
 * @param {(text: string) => string} change
 * @returns {any} a copy in which all texts, and the names of all fields, are changed
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
 * Parses what another process wrote. It may be something else: a shell on another host prints lines of its own.
 * @template Message
 * @param {string} line
 * @returns {Message | null} null: it is no JSON
 */
export function parseOrNull(line) {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

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

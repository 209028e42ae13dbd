/** One word of a command line for any shell. @param {string} word */
export function quoteForShell(word) {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

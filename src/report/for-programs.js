/**
 * What programs read on standard output, instead of what people read.
 * @typedef {{json: boolean, csv: boolean, csvSeparator: string}} Format
 */

/** Whether standard output belongs to a program. @param {Pick<Format, 'json' | 'csv'>} format */
export function isForPrograms({json, csv}) {
  return json || csv;
}

/** Where people read the results. @param {Pick<Format, 'json' | 'csv'>} format */
export function resultsStream(format) {
  return isForPrograms(format) ? process.stderr : process.stdout;
}

/**
 * Prints what a program reads, if one does.
 * @param {Format} format
 * @param {{document: () => object, csv: (separator: string) => string}} forms
 */
export function printForPrograms({json, csv, csvSeparator}, forms) {
  if (json) printJson(forms.document());
  if (csv) process.stdout.write(forms.csv(csvSeparator));
}

/** @param {object} document */
export function printJson(document) {
  process.stdout.write(`${JSON.stringify(document)}\n`);
}

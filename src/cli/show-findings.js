import {toCsv} from '../report/csv.js';
import {isForPrograms, printForPrograms} from '../report/for-programs.js';

/**
 * What one check found of one thing.
 * @typedef {{name: string, outcome: 'held' | 'failed' | 'skipped', text: string}} Finding
 */

const words = {held: 'holds', failed: 'FAILS', skipped: 'not checked'};

/**
 * Prints what checks find, as they find it, and at the end for programs.
 * @param {{json: boolean, csv: boolean, csvSeparator: string}} values
 * @param {{what: string, page: string}} about what: the name of what is checked, as a field; page: the documentation
 */
export function findingsOf(values, {what, page}) {
  /** @type {(Record<string, string> & Finding)[]} */
  const findings = [];
  const print = (/** @type {string} */ text) => void (isForPrograms(values) || process.stdout.write(text));
  return {
    /** @param {string} name @param {string} title @param {AsyncIterable<Finding>} found */
    async add(name, title, found) {
      print(`${title}\n`);
      for await (const finding of found) {
        print(`  ${words[finding.outcome].padEnd(11)}  ${finding.name}: ${finding.text}\n`);
        findings.push({[what]: name, ...finding});
      }
    },
    /** @returns {number} the exit code: 1 when a check failed */
    conclude() {
      const failed = findings.filter(({outcome}) => outcome === 'failed').length;
      printForPrograms(values, {
        document: () => ({findings}),
        csv: (separator) => toCsv(columnsFor(what), findings, separator),
      });
      print(
        failed === 0 ? 'All checks hold.\n' : `${failed} of ${findings.length} checks fail. See ${page}.\n`,
      );
      return failed === 0 ? 0 : 1;
    },
  };
}

/** @param {string} what @returns {[string, (finding: Record<string, string>) => unknown][]} */
function columnsFor(what) {
  return [
    [what, (finding) => finding[what]],
    ['check', ({name}) => name],
    ['outcome', ({outcome}) => outcome],
    ['finding', ({text}) => text],
  ];
}

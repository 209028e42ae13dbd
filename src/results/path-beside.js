import {dirname, join, parse} from 'node:path';

/**
 * The path of a file beside a results file. Only the ending of markdown is replaced: what follows a dot of another name, as in h-1.1 and h-1.2,
 * tells results apart.
 * @param {string} resultsPath
 * @param {string} ending
 */
export function pathBeside(resultsPath, ending) {
  const {base, ext, name} = parse(resultsPath);
  return join(dirname(resultsPath), `${ext === '.md' ? name : base}${ending}`);
}

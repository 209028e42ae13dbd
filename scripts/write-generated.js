import {readFileSync, writeFileSync} from 'node:fs';

const root = new URL('../', import.meta.url);

/**
 * Writes the files of the repository that differ from what is made. With --check on the command line it writes none, names each that differs, and
 * the process exits with 1.
 * @param {readonly {path: string, make: (text: string) => string}[]} files make: from the present text, which is empty for a new file
 */
export function writeGenerated(files) {
  for (const {path, make} of files) {
    const url = new URL(path, root);
    const text = readOrEmpty(url);
    const made = make(text);
    if (made === text) continue;
    if (process.argv.includes('--check')) {
      process.stderr.write(`${path} is out of date. Make it again with: npm run generate\n`);
      process.exitCode = 1;
    } else writeFileSync(url, made);
  }
}

/** @param {URL} url */
function readOrEmpty(url) {
  try {
    return readFileSync(url, 'utf8');
  } catch {
    return '';
  }
}

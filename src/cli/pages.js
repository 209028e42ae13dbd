import {readdirSync, readFileSync} from 'node:fs';
import {helpWidth} from '../text/lines.js';
import {sectionAt} from './page-text.js';
import {wrapPage} from './wrap-page.js';

const documentation = new URL('../../docs/', import.meta.url);

/** The pages of the documentation, and README. Their folders are the same in the package and in the repository. */
export function pages() {
  const inFolders = ['', 'evidence/', 'contributing/'].flatMap((folder) =>
    readdirSync(new URL(folder, documentation))
      .filter((file) => file.endsWith('.md'))
      .toSorted()
      .map((file) => ({name: file.slice(0, -'.md'.length), path: `${folder}${file}`})),
  );
  return [{name: 'readme', path: '../README.md'}, ...inFolders];
}

/**
 * The text of a page, or of a section of it, for the width of a terminal; as it is for a pipe. Null if there is no such page.
 * @param {string} given such as ci, ci.md, docs/evidence/accuracy.md or ci.md#noisy-runners
 * @throws {UsageError} when the page has no such section
 */
export function pageNamed(given) {
  const [path, anchor] = given.split('#', 2);
  const name = path.replace(/^docs\//, '').replace(/\.md$/, '');
  const page = pages().find((one) => one.name === name || one.path === `${name}.md`);
  if (page === undefined) return null;
  const whole = withText(page);
  const text = anchor ? sectionAt(whole, anchor) : whole.text;
  return process.stdout.isTTY ? wrapPage(text, helpWidth()) : text;
}

/** @param {{name: string, path: string}} page */
export function withText({name, path}) {
  return {name, text: readFileSync(new URL(path, documentation), 'utf8')};
}

/** The pages that explain the words of tables and messages. */
export function pagesOfWords() {
  const names = ['reading-results', 'troubleshooting', 'files-and-exit-codes', 'glossary'];
  return names.flatMap((name) => pages().filter((page) => page.name === name)).map(withText);
}

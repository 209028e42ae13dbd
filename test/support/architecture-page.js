import {readFileSync} from 'node:fs';
import {parseBlocks, textOf} from '../../src/report/markdown-document.js';

/** @import {Table} from '../../src/report/markdown-document.js' */

/** What docs/contributing/architecture.md and CONTRIBUTING.md say, so that tests hold the code to the pages themselves. */

const pages = ['docs/contributing/architecture.md', 'CONTRIBUTING.md'].map((path) =>
  readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8'),
);

/**
 * What each folder of src may import from besides itself.
 * @returns {Map<string, string[]>}
 */
export function allowedImports() {
  return new Map(
    rowsOf('Folder').map(([folder, , imports]) => [folder, imports === 'nothing' ? [] : imports.split(', ')]),
  );
}

/** The files that the flow names, step by step. @returns {{step: string, files: string[]}[]} */
export function flowSteps() {
  return rowsOf('Step').map(([step, where]) => ({step, files: pathsIn(where)}));
}

/**
 * Which files to touch to add something.
 * @returns {Map<string, {create: string[], edit: string[], then: string}>} by what is added
 */
export function additions() {
  return new Map(
    rowsOf('To add').map(([what, create, edit, then]) => [
      what,
      {create: pathsIn(create), edit: pathsIn(edit), then},
    ]),
  );
}

/** @param {string} heading of the first column @returns {string[][]} the body of the table */
function rowsOf(heading) {
  const blocks = pages.flatMap((page) => parseBlocks(page, {isReduced: false}));
  const tables = /** @type {Table[]} */ (blocks.filter(({type}) => type === 'table'));
  const rows = tables
    .map(({children}) => children.map((row) => row.children.map(textOf)))
    .find(([[first]]) => first === heading);
  if (!rows) throw new Error(`No page has a table that begins with ${heading}.`);
  return rows.slice(1);
}

/** @param {string} text of a cell */
function pathsIn(text) {
  return text.match(/\b(?:src|infra|test|docs)\/[\w<>./-]*\.\w+/g) ?? [];
}

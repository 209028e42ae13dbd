import {UsageError} from '../errors.js';
import {quote} from '../files/quote.js';
import {cellsOfLine, showRow, wrapPage} from './wrap-page.js';

/**
 * @typedef {{name: string, text: string}} Page text: markdown
 */

/**
 * Explains a word of the tables, such as a verdict, or the code of a warning or an error, by what the pages say: the rows of tables that begin with
 * the word, and the sections that have the word in their heading. If there are none, the paragraphs and items of lists that quote the word.
 * @param {string} word @param {readonly Page[]} pages the pages that explain words
 * @param {readonly Page[]} others the pages that may quote the word
 * @param {number} width columns
 * @returns {string | null} null if no page has the word
 */
export function explainWord(word, pages, others, width) {
  const wanted = word.trim().toLowerCase();
  const found = pages.flatMap((page) => {
    const sections = sectionsOf(page);
    const rows = sections.flatMap((section) => rowsOn(wanted, section, width));
    const headed = sections.filter(({heading}) => hasWord(heading, wanted));
    return [
      ...rows.map((row) => `${row.join('\n')}\n${pointer(page)}`),
      ...headed.map(({text}) => `${wrapPage(text, width).trim()}\n${pointer(page)}`),
    ];
  });
  const quoted = () =>
    others.flatMap((page) =>
      paragraphsOf(page.text)
        .filter((paragraph) => quotes(paragraph, wanted))
        .map((paragraph) => `${wrapPage(paragraph, width)}\n${pointer(page)}`),
    );
  const all = found.length > 0 ? found : quoted();
  return all.length === 0 ? null : all.join('\n\n');
}

/** @param {Page} page */
function pointer({name}) {
  return `The page: perf-battle help ${name}`;
}

/** @typedef {{heading: string, text: string}} Section */

/** @param {Page} page @returns {Section[]} */
function sectionsOf({text}) {
  return text
    .split(/^(?=## )/m)
    .map((section) => ({heading: /^## (.*)/.exec(section)?.[1] ?? '', text: section}));
}

/**
 * The rows of a section's tables that begin with a word, as lines.
 * @param {string} wanted @param {Section} section @param {number} width @returns {string[][]}
 */
function rowsOn(wanted, {text}, width) {
  /** @type {string[]} */
  let columns = [];
  return text.split('\n').flatMap((line, index, lines) => {
    if (!line.startsWith('|')) return [];
    const cells = cellsOfLine(line);
    if (!lines[index - 1]?.startsWith('|')) columns = cells;
    const first = cells[0].replace(/[`*]/g, '');
    if (columns === cells || first.toLowerCase() !== wanted) return [];
    return [showRow(columns, [first, ...cells.slice(1)], width)];
  });
}

/** The paragraphs and the items of lists. Code is not split at its lines. @param {string} markdown */
function paragraphsOf(markdown) {
  return markdown
    .split(/\n{2,}/)
    .flatMap((part) => (part.includes('```') ? [part] : part.split(/\n(?=(?:[-*]|\d+\.) )/)));
}

/** A short word, such as "run", is in too many headings and paragraphs. */
const minLength = 4;

/** @param {string} heading @param {string} wanted */
function hasWord(heading, wanted) {
  const words = ` ${heading.toLowerCase().replace(/[^\p{L}\p{N}.-]+/gu, ' ')} `;
  return wanted.length >= minLength && [` ${wanted} `, ` ${wanted}s `].some((one) => words.includes(one));
}

/** @param {string} paragraph @param {string} wanted */
function quotes(paragraph, wanted) {
  if (wanted.length < minLength || !/\p{L}/u.test(wanted)) return false;
  const text = paragraph.toLowerCase().replace(/\s+/g, ' ');
  return ['"', '`', '*'].some((mark) => text.includes(`${mark}${wanted}${mark}`));
}

/**
 * Returns the section of a page that an anchor names, with the sections below it.
 * @param {Page} page @param {string} anchor as GitHub makes it from a heading
 * @throws {UsageError} when the page has no such section
 */
export function sectionAt({name, text}, anchor) {
  const lines = text.split('\n');
  const headings = headingsIn(lines);
  const found = headings.find((heading) => heading.anchor === anchor);
  if (found === undefined) {
    const anchors = headings.slice(1).map((heading) => heading.anchor);
    throw new UsageError(
      `The page ${name} has no section ${quote(anchor)}. Its sections are: ${anchors.join(', ')}.`,
    );
  }
  const end = headings.find(({at, level}) => at > found.at && level <= found.level)?.at;
  return `${lines.slice(found.at, end).join('\n').trim()}\n`;
}

/** @param {readonly string[]} lines of a page @returns {{at: number, level: number, anchor: string}[]} at: the index of its line */
function headingsIn(lines) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  let isCode = false;
  return lines.flatMap((line, at) => {
    if (/^\s*```/.test(line)) isCode = !isCode;
    const [, marks, title] = /^(#{1,6}) +(.+)/.exec(isCode ? '' : line) ?? [];
    if (title === undefined) return [];
    const own = anchorOf(title);
    const before = counts.get(own) ?? 0;
    counts.set(own, before + 1);
    return [{at, level: marks.length, anchor: before === 0 ? own : `${own}-${before}`}];
  });
}

/** @param {string} title markdown */
function anchorOf(title) {
  return title
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .trim()
    .toLowerCase()
    .replace(/[^\p{Letter}\p{Number}\s_-]/gu, '')
    .replaceAll(' ', '-');
}

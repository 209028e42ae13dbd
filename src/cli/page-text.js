import {wrapWords} from '../report/terminal.js';

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
    const rows = sections.flatMap((section) => rowsOn(wanted, section));
    const headed = sections.filter(({heading}) => hasWord(heading, wanted));
    return [
      ...rows.map(
        (row) => `${row.map((line) => wrapWords(line, width).join('\n')).join('\n')}\n${pointer(page)}`,
      ),
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
 * The rows of a section's tables that begin with a word: the word, and a line for each other cell, after the name of its column.
 * @param {string} wanted @param {Section} section @returns {string[][]}
 */
function rowsOn(wanted, {text}) {
  /** @type {string[]} */
  let columns = [];
  return text.split('\n').flatMap((line, index, lines) => {
    if (!line.startsWith('|')) return [];
    const cells = line
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map((cell) => cell.trim());
    if (!lines[index - 1]?.startsWith('|')) columns = cells;
    const [first, ...others] = cells;
    if (columns === cells || first.replace(/[`*]/g, '').toLowerCase() !== wanted) return [];
    const facts = others.flatMap((cell, at) => (cell === '' ? [] : [`${columns[at + 1]}: ${cell}`]));
    return [[first.replace(/[`*]/g, ''), ...facts]];
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
 * Breaks the prose of a page at a width. Tables, code and headings stay as they are.
 * @param {string} markdown @param {number} width columns
 */
export function wrapPage(markdown, width) {
  /** @type {string[]} */
  const done = [];
  /** @type {{begin: string, words: string[]} | null} */
  let paragraph = null;
  let isCode = false;
  const end = () => {
    if (paragraph === null) return;
    const {begin, words} = paragraph;
    const lines = wrapWords(words.join(' '), width - begin.length);
    done.push(begin + lines.join(`\n${' '.repeat(begin.length)}`));
    paragraph = null;
  };
  for (const line of markdown.split('\n')) {
    const isFence = /^\s*```/.test(line);
    if (isFence || isCode || /^(\s*$|[|#<]|\[[^\]]*\]:)/.test(line)) {
      end();
      done.push(line);
      if (isFence) isCode = !isCode;
      continue;
    }
    const [, begin] = /^(\s*(?:[-*]|\d+\.) +|> )/.exec(line) ?? [];
    if (begin !== undefined) end();
    paragraph ??= {begin: begin ?? '', words: []};
    paragraph.words.push(line.slice(begin?.length ?? 0).trim());
  }
  end();
  return done.join('\n');
}

import {fromMarkdown} from 'mdast-util-from-markdown';
import {gfmTableFromMarkdown} from 'mdast-util-gfm-table';
import {gfmTable} from 'micromark-extension-gfm-table';
import {plainText} from './plain-text.js';

/** @typedef {ReturnType<typeof fromMarkdown>['children'][number]} Block a top-level node of a document */
/** @typedef {Extract<Block, {type: 'table'}>} Table */

/**
 * The top-level blocks of a markdown text, GitHub's tables included. Their offsets are those of the text as given.
 *
 * The parser drops a byte order mark without counting it, which would shift every offset by one. A line feed in its
 * place is counted and has no meaning at the start of a document.
 *
 * @param {string} markdown
 * @returns {Block[]} in the order of the text
 */
export function parseBlocks(markdown) {
  const readable = markdown.replace(/^\uFEFF+/, (marks) => '\n'.repeat(marks.length));
  return fromMarkdown(readable, {extensions: [gfmTable()], mdastExtensions: [gfmTableFromMarkdown()]})
    .children;
}

/**
 * The blocks that are the comment `<!-- name -->`, or contain it in their text. A comment inside a fence, inline code, a
 * quotation or a list does not count, because readers see it.
 *
 * @param {Block[]} blocks as parseBlocks gives them
 * @param {string} name what the comment says, without its delimiters
 * @returns {Block[]}
 */
export function findComments(blocks, name) {
  return blocks.filter((block) => htmlNodesOf(block).some(({value}) => commentText(value) === name));
}

/** @param {Block} block @returns {Extract<Block, {type: 'html'}>[]} */
function htmlNodesOf(block) {
  const nodes = block.type === 'paragraph' || block.type === 'heading' ? block.children : [block];
  return nodes.filter((node) => node.type === 'html');
}

/**
 * The text of the comment that an HTML node starts with. Only there it is certainly a comment, and not part of a
 * script or of another comment.
 *
 * @param {string} html
 * @returns {string | undefined}
 */
export function commentText(html) {
  return /^ *<!--(.*?)-->/s.exec(html)?.[1]?.trim();
}

/**
 * The text of a node as a reader sees it, each run of white space as one space.
 *
 * @param {object} node
 * @returns {string}
 */
export function textOf(node) {
  return plainText(rawTextOf(node));
}

/** @param {{type?: string, value?: string, children?: object[]}} node @returns {string} */
function rawTextOf(node) {
  if (node.type === 'html') return '';
  if (node.type === 'break') return ' ';
  return node.value ?? (node.children ?? []).map(rawTextOf).join('');
}

/** @param {Pick<Block, 'position'>} node @returns {number} where it starts in the text */
export function startOf(node) {
  return /** @type {number} */ (node.position?.start.offset);
}

/** @param {Pick<Block, 'position'>} node @returns {number} where it ends in the text */
export function endOf(node) {
  return /** @type {number} */ (node.position?.end.offset);
}

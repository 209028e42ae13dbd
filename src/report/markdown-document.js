import {fromMarkdown} from 'mdast-util-from-markdown';
import {gfmTable} from 'micromark-extension-gfm-table';
import {maxWholeLength, reduceMarkdown} from './reduce-markdown.js';
import {plainText} from './terminal.js';

/**
 * @import {CompileContext, Extension, Handle, Token} from 'mdast-util-from-markdown'
 * @import {Block} from './types.js'
 */

/** @typedef {Extract<Block, {type: 'table'}>} Table */

/**
 * Returns the top-level blocks of a markdown text, including GitHub's tables. Their offsets refer to the given text. Of a long text, only
 * blocks that may be tables or comments are returned, and not every row of a long table.
 *
 * The parser drops a byte order mark without counting it, which would shift every offset by one. A line feed in its
 * place is counted and has no meaning at the start of a document.
 * @param {string} markdown @param {{isReduced?: boolean}} [how] @returns {Block[]} in the order of the text
 */
export function parseBlocks(markdown, {isReduced = markdown.length > maxWholeLength} = {}) {
  const readable = markdown.replace(/^\uFEFF+/, (marks) => '\n'.repeat(marks.length));
  if (!isReduced) return parse(readable);
  const {text, originalOffset} = reduceMarkdown(readable);
  const blocks = parse(text);
  for (const block of blocks) moveOffsets(block, originalOffset);
  return blocks;
}

/** @param {string} text */
function parse(text) {
  return fromMarkdown(text, {extensions: [gfmTable()], mdastExtensions: [tableNodes]}).children;
}

/** @param {'table' | 'tableRow' | 'tableCell'} type @returns {Handle} */
function opens(type) {
  return function (token) {
    this.enter(type === 'table' ? {type, align: [], children: []} : {type, children: []}, token);
  };
}

/** @this {CompileContext} @param {Token} token */
function closes(token) {
  this.exit(token);
}

/** In a cell, a vertical bar is escaped also within code. @this {CompileContext} @param {Token} token */
function closesCode(token) {
  const value = this.resume();
  const code = this.stack.at(-1);
  if (code?.type === 'inlineCode')
    code.value = this.stack.some(({type}) => type === 'tableCell')
      ? value.replace(/\\([\\|])/g, (whole, bar) => (bar === '|' ? bar : whole))
      : value;
  this.exit(token);
}

/** The nodes of tables. The package mdast-util-gfm-table provides them, too, but it doubles the load time of the parser. @type {Extension} */
const tableNodes = {
  enter: {
    table: opens('table'),
    tableRow: opens('tableRow'),
    tableHeader: opens('tableCell'),
    tableData: opens('tableCell'),
  },
  exit: {table: closes, tableRow: closes, tableHeader: closes, tableData: closes, codeText: closesCode},
};

/** @param {{position?: Block['position'], children?: object[]}} node @param {(offset: number) => number} originalOffset */
function moveOffsets({position, children = []}, originalOffset) {
  if (position?.start.offset !== undefined && position.end.offset !== undefined) {
    position.start.offset = originalOffset(position.start.offset);
    position.end.offset = originalOffset(position.end.offset);
  }
  for (const child of children) moveOffsets(child, originalOffset);
}

/**
 * Returns the blocks that are the comment `<!-- name -->`, or contain it in their text. A comment inside a fence, inline code, a quotation
 * or a list is ignored, because readers see it.
 * @param {Block[]} blocks of parseBlocks @param {string} name content of the comment
 */
export function findComments(blocks, name) {
  return blocks.filter((block) => htmlNodesOf(block).some(({value}) => commentText(value) === name));
}

/** @param {Block} block */
function htmlNodesOf(block) {
  const nodes = block.type === 'paragraph' || block.type === 'heading' ? block.children : [block];
  return nodes.filter((node) => node.type === 'html');
}

/**
 * Returns the text of the comment at the start of an HTML node. Only at the start, it is certainly a comment, and not part of a script or of
 * another comment.
 * @param {string} html
 */
export function commentText(html) {
  return /^ *<!--(.*?)-->/s.exec(html)?.[1]?.trim();
}

/** Returns the text of a node as a reader sees it, with single spaces as white space. @param {object} node */
export function textOf(node) {
  return plainText(rawTextOf(node));
}

/** @param {{type?: string, value?: string, children?: object[]}} node @returns {string} */
function rawTextOf(node) {
  if (node.type === 'html') return '';
  if (node.type === 'break') return ' ';
  return node.value ?? (node.children ?? []).map(rawTextOf).join('');
}

/** @param {Pick<Block, 'position'>} node @returns {number} offset of its start in the text */
export function startOf(node) {
  return /** @type {number} */ (node.position?.start.offset);
}

/** @param {Pick<Block, 'position'>} node @returns {number} offset of its end in the text */
export function endOf(node) {
  return /** @type {number} */ (node.position?.end.offset);
}

import {createHash} from 'node:crypto';
import {readFileSync} from 'node:fs';
import {chartStyle, escapeText} from '../charts/parts.js';

/** A text that is already markup. */
export class Markup {
  /** @param {string} text */
  constructor(text) {
    this.text = text;
  }

  toString() {
    return this.text;
  }
}

/**
 * Tags a template of HTML. Every value except markup is escaped, lists are joined, and null is left out.
 * @param {TemplateStringsArray} strings @param {...unknown} values
 */
export function html(strings, ...values) {
  return new Markup(String.raw({raw: strings}, ...values.map(write)));
}

/** @param {unknown} value @returns {string} */
function write(value) {
  if (value instanceof Markup) return value.text;
  if (Array.isArray(value)) return value.map(write).join('');
  return value === null || value === undefined ? '' : escapeText(String(value));
}

/** A paragraph for each text. @param {readonly string[]} texts */
export function paragraphs(texts) {
  return texts.map(
    (text) => html`<p>${text}</p>
`,
  );
}

/** A list, in an optional class; null without items. @param {readonly unknown[]} items texts or markup @param {string | null} [look] */
export function bulletList(items, look = null) {
  if (items.length === 0) return null;
  return html`<ul${look && html` class="${look}"`}>
${items.map(
  (item) => html`<li>${item}</li>
`,
)}</ul>
`;
}

/**
 * @typedef {{id: string, title: string, parts?: readonly {id: string, title: string}[], content: Markup}} Section parts: the section's own entries in
 *   the list of contents
 */

const style = chartStyle + readHere('./style.css');
const script = readHere('./page-script.js').replace(/^\/\*\*.*?\*\/\n/s, '');

/**
 * Returns a page with its style, script, header, list of contents and sections. It loads nothing and can be read without scripts.
 * @param {Markup} header @param {readonly Section[]} sections @param {{title: string, version: string}} what version: of perf-battle
 */
export function wholePage(header, sections, {title, version}) {
  const policy = `default-src 'none'; style-src '${hashOf(style)}'; script-src '${hashOf(script)}'`;
  const written = sections.map(
    ({id, title: heading, content}) => html`<h2 id="${id}">${heading}</h2>
${content}
`,
  );
  return String(html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="generator" content="perf-battle ${version}">
<title>${title} – perf-battle</title>
<style>${new Markup(style)}</style>
</head>
<body>
<main>
${header}
<nav aria-label="Contents">
${bulletList(sections.map(contentsItem))}</nav>
${written}
</main>
<script>${new Markup(script)}</script>
</body>
</html>
`);
}

/** @param {Section} section */
function contentsItem({id, title, parts = []}) {
  const links = parts.map((part) => html`<a href="#${part.id}">${part.title}</a>`);
  return html`<a href="#${id}">${title}</a>${bulletList(links)}`;
}

/** @param {string} text content of a style or script element */
function hashOf(text) {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}

/** @param {string} path */
function readHere(path) {
  return readFileSync(new URL(path, import.meta.url), 'utf8');
}

/**
 * Returns the heading of a page: the first answer, and a list of the others.
 * @param {readonly string[]} answers sentences without their full stops, at least one
 */
export function headingOf([first, ...others]) {
  const sentences = others.map((answer) => `${answer}.`);
  return html`<h1>${first}</h1>
${bulletList(sentences, 'answers')}`;
}

/**
 * Returns a table whose columns a reader can sort.
 * @param {{labelledBy: string, label: string}} what labelledBy: id of the heading above the table
 * @param {readonly Markup[]} headings @param {readonly Markup[]} rows
 */
export function sortableTable({labelledBy, label}, headings, rows) {
  return html`<div class="scroll" role="region" tabindex="0" aria-labelledby="${labelledBy}">
<table class="sortable" aria-label="${label}">
<thead><tr>${headings}</tr></thead>
<tbody>
${rows}</tbody>
</table>
</div>`;
}

/** @param {string} name @param {'text' | 'figures'} [kind] what the column contains */
export function columnHeading(name, kind = 'text') {
  return kind === 'text'
    ? html`<th class="text" scope="col">${name}</th>`
    : html`<th scope="col">${name}</th>`;
}

/** @typedef {readonly (readonly [name: string, value: unknown])[]} Fields Unknown values are left out. */

/**
 * @param {readonly (readonly [title: string, fields: Fields])[]} lists
 * @param {readonly {name: string, text: unknown}[]} settings as a user gives them @param {string} ofWhat @returns {Section}
 */
export function environmentSection(lists, settings, ofWhat) {
  const facts = lists.map(
    ([title, fields]) => html`<h3>${title}</h3>
${listOf(fields)}
`,
  );
  const content = html`${facts}<details><summary>Settings of the ${ofWhat}</summary>
${listOf(settings.map(({name, text}) => [name, text]))}
</details>`;
  return {id: 'environment', title: 'Environment', content};
}

/** @param {Fields} fields */
function listOf(fields) {
  const items = fields.flatMap(([name, value]) => {
    if (value === null || value === undefined) return [];
    const text = typeof value === 'object' ? JSON.stringify(value) : value;
    return html`<dt>${name}</dt><dd>${text}</dd>
`;
  });
  return html`<dl>
${items}</dl>`;
}

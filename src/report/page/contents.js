import {html} from './html.js';

/** @import {Markup} from './html.js' */

/**
 * @typedef {object} Section
 * @property {string} id
 * @property {string} title
 * @property {readonly {id: string, title: string}[]} [parts] what is in it, for the list of contents
 * @property {Markup} content
 */

/** Links to all sections and their parts. @param {readonly Section[]} sections */
export function contents(sections) {
  const item = (/** @type {Section} */ {id, title, parts = []}) =>
    parts.length === 0
      ? html`<li><a href="#${id}">${title}</a></li>
`
      : html`<li><a href="#${id}">${title}</a>
<ul>
${parts.map(
  (part) => html`<li><a href="#${part.id}">${part.title}</a></li>
`,
)}</ul></li>
`;
  return html`<nav aria-label="Contents">
<ul>
${sections.map(item)}</ul>
</nav>`;
}

/** @param {readonly Section[]} sections */
export function written(sections) {
  return sections.map(
    ({id, title, content}) => html`<h2 id="${id}">${title}</h2>
${content}
`,
  );
}

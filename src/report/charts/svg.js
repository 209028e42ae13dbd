/** @type {Record<string, string>} */
const entities = {'&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;'};

/** What XML 1.0 does not allow at all, not even as an entity: most control characters, halves of surrogate pairs, and two that are no characters. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for
const forbidden = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ud800-\udfff\ufffe\uffff]/gu;

/**
 * Text for HTML and SVG, also within an attribute's quotes.
 * @param {string} text
 */
export function escapeText(text) {
  return text.replace(forbidden, ' ').replace(/[&<>"']/g, (character) => entities[character]);
}

/**
 * An element of SVG.
 * @param {string} name
 * @param {Record<string, string | number>} attributes numbers are rounded to a tenth
 * @param {...string} children markup
 * @returns {string} markup
 */
export function element(name, attributes, ...children) {
  const written = Object.entries(attributes)
    .map(([key, value]) => ` ${key}="${typeof value === 'number' ? roundToTenth(value) : escapeText(value)}"`)
    .join('');
  return children.length === 0 ? `<${name}${written}/>` : `<${name}${written}>${children.join('')}</${name}>`;
}

/**
 * @param {Record<string, string | number>} attributes x, y and more
 * @param {string} content
 */
export function textElement(attributes, content) {
  return element('text', attributes, escapeText(content));
}

/** @param {number} value @returns {number} in a tenth of a unit: less is not seen, and more makes the file longer */
export function roundToTenth(value) {
  return Math.round(value * 10) / 10;
}

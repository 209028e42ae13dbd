import {escapeText} from '../charts/svg.js';

/** Text that is markup already. */
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
 * A template of HTML. Every value is escaped, except markup; a list is joined, and null is nothing.
 * @param {TemplateStringsArray} strings
 * @param {...unknown} values
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

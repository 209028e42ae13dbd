import {mapTexts} from '../../safe-text.js';

/**
 * The passwords that a program got. It may write them, as they are or in another form; nothing that is shown or stored has them.
 */
export class Secrets {
  /** In all their forms, the longest first. @type {readonly string[]} */
  #forms = [];

  /** @param {string} secret */
  add(secret) {
    const forms = secret === '' ? [] : formsOf(secret);
    this.#forms = [...new Set([...this.#forms, ...forms])].sort((one, other) => other.length - one.length);
  }

  /** @param {string} text */
  conceal = (text) => this.#forms.reduce((shown, form) => shown.replaceAll(form, '***'), text);

  /**
   * @template {object} Event
   * @param {Event} event that a program wrote
   * @returns {Event} without secrets where a text of its own may be
   */
  concealIn(event) {
    if (this.#forms.length === 0) return event;
    const {message, mismatch, details, arrived} = /** @type {Record<string, any>} */ (event);
    return {
      ...event,
      ...(message !== undefined && {message: mapTexts(message, this.conceal)}),
      ...(mismatch !== undefined && {mismatch: mapTexts(mismatch, this.conceal)}),
      ...(details !== undefined && {details: mapTexts(this.#withoutNumbers(details), this.conceal)}),
      ...(arrived?.mismatch !== undefined && {arrived: this.concealIn(arrived)}),
    };
  }

  /** A password may be a number. @param {any} details */
  #withoutNumbers(details) {
    if (typeof details !== 'object' || details === null) return details;
    const entries = Object.entries(details);
    return Object.fromEntries(
      entries.map(([name, value]) => [name, this.#forms.includes(String(value)) ? '***' : value]),
    );
  }
}

/** As text, in JSON, in a URL and in base64. @param {string} secret */
function formsOf(secret) {
  const base64 = Buffer.from(secret).toString('base64');
  return [...new Set([secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret), base64])];
}

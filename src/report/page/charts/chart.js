/**
 * @typedef {object} Chart
 * @property {string} id for links and file names
 * @property {string} title
 * @property {string} note what it shows and what it does not
 * @property {string} svg
 */

export {};

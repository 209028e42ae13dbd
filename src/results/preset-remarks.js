/** @import {CellIdentity} from '../results/record-schema.js' */

/**
 * How a row names the preset of its battle: a preset determines the length of a trial, which no other setting shows.
 * @param {Pick<CellIdentity, 'config'>} record
 * @returns {string[]} empty without a preset
 */
export function presetRemarks({config}) {
  const {preset = null} = config;
  return preset === null ? [] : [`preset ${preset}`, ...scaleRemarks({config})];
}

/** @param {Pick<CellIdentity, 'config'>} record @returns {string[]} empty for a battle with all messages of its preset */
export function scaleRemarks({config: {scale = 1}}) {
  return scale === 1 ? [] : [`scale ${scale}`];
}

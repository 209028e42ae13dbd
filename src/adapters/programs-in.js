/**
 * @import {Programs} from '../transports/external.js'
 * @import {Transport} from '../transports/transport.js'
 */

/**
 * The programs that a role's settings name.
 * @param {object} settings
 * @param {Transport} transport that runs programs
 * @returns {Programs}
 */
export function programsIn(settings, {impliedBy = ''}) {
  return /** @type {Record<string, Programs>} */ (settings)[impliedBy];
}

/**
 * What programs need to use a broker.
 * @param {{broker?: object | null, queue?: string, deliveryMode?: number}} settings
 */
export function brokerOptions({broker = null, queue, deliveryMode}) {
  return broker === null ? {broker} : {broker, queue, deliveryMode};
}

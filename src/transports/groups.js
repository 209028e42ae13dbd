/** @import {Transport} from './transport.js' */

/**
 * Names that stand for several transports. A transport belongs to a group by its other fields, or because it declares so in `groups`.
 * @type {Readonly<Record<string, (transport: Transport) => boolean>>}
 */
const byFields = {
  all: () => true,
  default: ({isOptIn}) => !isOptIn,
  'http-family': () => false,
  brokers: ({broker}) => broker !== null,
  local: ({needsOneHost}) => needsOneHost === true,
};

export const transportGroups = Object.keys(byFields);

/** A transport that needs the user's program or server is in no group. @param {Transport} transport @param {string} group */
export function belongsTo(transport, group) {
  const {groups = [], impliedBy} = transport;
  return impliedBy === undefined && (groups.includes(group) || byFields[group](transport));
}

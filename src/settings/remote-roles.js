/** @import {AskedSettings} from '../options/option.js' */

/** `ec2 run` fills in the others. */
const keys = ['clientOn', 'serverOn', 'brokerOn', 'instanceType'];

/**
 * Whether a role runs on another host.
 * @param {AskedSettings} settings
 */
export function hasRemoteRoles({values}) {
  return keys.some((key) => (values[key] ?? null) !== null);
}

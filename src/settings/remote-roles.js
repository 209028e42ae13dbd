/** @import {AskedSettings} from '../options/option.js' */

/** With `ec2 run` there is only an instance type at first. */
const keys = ['clientOn', 'serverOn', 'brokerOn', 'instanceType'];

/**
 * Whether a role runs on another host.
 * @param {AskedSettings} settings
 */
export function hasRemoteRoles({values}) {
  return keys.some((key) => (values[key] ?? null) !== null);
}

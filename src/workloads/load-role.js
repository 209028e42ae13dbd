/** @import {WorkloadRole} from './workload.js' */

/**
 * Loads what the processes of a workload run, and not its options and tables, which they do not need.
 * @param {string} name @returns {Promise<WorkloadRole>}
 */
export async function loadRole(name) {
  const {role} = await import(`./${name}/role.js`);
  return role;
}

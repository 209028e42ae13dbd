/** @import {WorkloadRole} from './workload.js' */

/**
 * What the processes of a workload run, without its options and tables, which take longer to load than the rest of a role.
 * @param {string} name
 * @returns {Promise<WorkloadRole>}
 */
export async function loadRole(name) {
  const {role} = await import(`./${name}/role.js`);
  return role;
}

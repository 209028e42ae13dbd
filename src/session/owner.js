import {thisProcess} from '../measure/processes.js';

/** @import {Owner} from '../battle/journal-entries.js' */

/** This process, as the owner of the battle that it runs. @returns {Promise<Owner>} */
export async function thisOwner() {
  return {...(await thisProcess()), uid: ownUid()};
}

/** The number of this process's user; null where the system has none. */
export function ownUid() {
  return process.getuid?.() ?? null;
}

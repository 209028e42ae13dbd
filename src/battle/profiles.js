import {writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {RunError} from '../errors.js';
import {makeFolders} from '../files/folders.js';
import {explainFileError} from '../files/writable-file.js';
import {TimeLimitError, within} from '../measure/bounds.js';
import {inPhase} from '../protocol.js';
import {allOf} from './roles.js';

/**
 * @import {RoleProcess} from '../hosts/role-process.js'
 * @import {Roles, TrialContext} from './types.js'
 */

/**
 * Where the roles spend their CPU time: each records it during the measured part, and sends its profile afterwards, from other hosts, too.
 */

/** A profile of minutes has some MB, and comes from another host through ssh. */
const answerMs = 20_000;

/** @param {TrialContext} context @param {Roles} roles @param {AbortSignal} signal */
export async function beginProfiles({cell}, roles, signal) {
  if (cell.variant.profile) await Promise.all(allOf(roles).map((role) => profile(role, true, signal)));
}

/**
 * Writes a file for each role, which Chrome DevTools, Visual Studio Code or speedscope show.
 * @param {TrialContext} context @param {Roles} roles @param {AbortSignal} signal
 */
export async function endProfiles({cell, round, profilesIn}, roles, signal) {
  if (!cell.variant.profile || !profilesIn) return;
  // All end before the first file is written, which would be in the profiles of the others.
  const recorded = await Promise.all(allOf(roles).map((role) => profile(role, false, signal)));
  await makeFolders(profilesIn).catch(fail);
  const names = [...namesOf('server', roles.servers), ...namesOf('client', roles.clients)];
  for (const [index, name] of names.entries()) {
    const path = join(profilesIn, `cell-${cell.number}-round-${round}-${name}.cpuprofile`);
    await writeFile(path, JSON.stringify(recorded[index])).catch(fail);
  }

  /** @param {Error} error @returns {never} */
  function fail(error) {
    throw explainFileError(profilesIn ?? '', error);
  }
}

/** @param {string} role @param {readonly RoleProcess[]} processes @returns {string[]} with a number if there are several */
function namesOf(role, processes) {
  return processes.map((_, index) => (processes.length > 1 ? `${role}-${index + 1}` : role));
}

/**
 * @param {RoleProcess} role @param {boolean} on @param {AbortSignal} signal
 * @throws {RunError} when the role does not answer: that of another version, in the folder of a side, does not know the question
 */
async function profile(role, on, signal) {
  role.send({type: 'profile', on});
  try {
    return (await within(answerMs, signal, (soon) => role.waitFor(inPhase('profile'), soon))).profile;
  } catch (error) {
    if (!(error instanceof TimeLimitError)) throw error;
    throw new RunError(
      `The ${role.role} sent no CPU profile within ${answerMs / 1000} s. One of another version may not have --profile.`,
    );
  }
}

import {readdirSync} from 'node:fs';
import {setTimeout as sleep} from 'node:timers/promises';
import {cpuTicksOf} from '../../measure/process-times.js';
import {readSystemFile} from '../../measure/system-file.js';
import {processesOf} from './group-usage.js';

/** The variable by which the processes are found whose parent has ended, in whatever session they are. */
export const markName = 'PERF_BATTLE_PROGRAM';

/** After a kill, the kernel needs some time to remove a process. */
const afterKillMs = 20;
const maxKills = 50;

/**
 * The processes of a program: its group, what these started, and what has its mark.
 * @param {{group: number, mark: string}} program
 * @returns {Map<number, string>} when each began, by its id
 */
export function offspringOf({group, mark}) {
  const marked = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && hasMark(name, mark))
    .map(Number);
  const ids = [...new Set([...processesOf(group), ...marked])];
  return new Map(
    ids.flatMap((id) => {
      const began = beginOf(id);
      return began === null ? [] : [/** @type {const} */ ([id, began])];
    }),
  );
}

/**
 * Ends what a program left.
 * @param {{group: number, mark: string}} program
 * @param {Map<number, string>} known processes of it, from before it ended
 */
export async function endOffspring(program, known) {
  for (let kills = 0; kills < maxKills; kills += 1) {
    const left = [...known, ...offspringOf(program)].filter(([id, began]) => beginOf(id) === began);
    if (left.length === 0) return;
    for (const [id] of left) kill(id);
    await sleep(afterKillMs);
  }
}

/** @param {number} id @returns {string | null} null: it has ended */
function beginOf(id) {
  const stat = readSystemFile(`/proc/${id}/stat`);
  const isOver = stat === null || /^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2));
  return isOver ? null : cpuTicksOf(stat).startedAt;
}

/** @param {string} id @param {string} mark */
function hasMark(id, mark) {
  return readSystemFile(`/proc/${id}/environ`)?.split('\0').includes(`${markName}=${mark}`) ?? false;
}

/** @param {number} id */
function kill(id) {
  try {
    process.kill(id, 'SIGKILL');
  } catch {
    // It has just ended, or became another user's.
  }
}

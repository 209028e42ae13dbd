import {accessSync, constants, readdirSync, readFileSync, readlinkSync} from 'node:fs';
import {allowedCores} from '../../../src/measure/cores.js';

/** Whether this process may ask cores to poll that know how: as root, on most processors and virtual machines of x86. */
export function canPoll() {
  try {
    accessSync('/dev/cpu_dma_latency', constants.W_OK);
    return allowedCores().every((number) => idleFile(number, 'state0', 'name') === 'POLL');
  } catch {
    return false;
  }
}

/** @param {number} number @param {string} state @param {string} file */
function idleFile(number, state, file) {
  return readFileSync(`/sys/devices/system/cpu/cpu${number}/cpuidle/${state}/${file}`, 'utf8').trim();
}

/** How often the cores have slept. */
export function sleeps() {
  return allowedCores()
    .flatMap((number) =>
      readdirSync(`/sys/devices/system/cpu/cpu${number}/cpuidle`)
        .filter((state) => state !== 'state0')
        .map((state) => Number(idleFile(number, state, 'usage'))),
    )
    .reduce((sum, times) => sum + times, 0);
}

/** Whether a process has opened the device by which idle cores are asked to poll. @param {number} pid */
export function asksForPolling(pid) {
  const folder = `/proc/${pid}/fd`;
  try {
    return readdirSync(folder).some((file) => isRequest(`${folder}/${file}`));
  } catch {
    // It has ended.
    return false;
  }
}

/** @param {string} file of /proc */
function isRequest(file) {
  try {
    return readlinkSync(file) === '/dev/cpu_dma_latency';
  } catch {
    return false;
  }
}

/** Whether another process than this one asks idle cores to poll, as a battle of another test may. @param {number} pid */
export function othersAsk(pid) {
  return readdirSync('/proc').some(
    (name) => /^\d+$/.test(name) && name !== String(pid) && asksForPolling(Number(name)),
  );
}

import {accessSync, closeSync, constants, openSync, readdirSync, readFileSync, writeSync} from 'node:fs';
import {setTimeout as sleep} from 'node:timers/promises';

const devicePath = '/dev/cpu_dma_latency';
/** The latency that the kernel takes for "any" (pm_qos.h). */
const anyLatencyUs = 2_000_000_000;
/** A core that does not poll would enter an idle state in this time: each request wakes all cores. */
const watchedMs = 50;

/**
 * Looks whether cores poll for work while they are idle, if this process asks for it (Linux, PM QoS). Then a wake-up is a write to memory, and needs no
 * interrupt. The kernel withdraws the request when this process ends, however it ends.
 * @param {readonly number[]} cores
 * @returns {Promise<((isOn: boolean) => void) | null>} asks, or withdraws what was asked; null: the cores cannot poll, or this process may not ask
 */
export async function pollingOf(cores) {
  if (mayPoll(cores) !== true) return null;
  const device = openSync(devicePath, 'r+');
  const set = (/** @type {boolean} */ isOn) => void writeSync(device, Int32Array.of(isOn ? 0 : anyLatencyUs));
  set(true);
  await sleep(watchedMs);
  const before = cores.map(deepSleepsOf);
  await sleep(watchedMs);
  if (cores.every((core, index) => deepSleepsOf(core) === before[index])) {
    set(false);
    return set;
  }
  closeSync(device);
  return null;
}

/** @param {readonly number[]} cores @returns {boolean | null} whether this process may ask for it; null: the cores do not know how */
export function mayPoll(cores) {
  if (!cores.every((core) => idleStatesOf(core)[0]?.name === 'POLL')) return null;
  try {
    accessSync(devicePath, constants.R_OK | constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** @param {number} core @returns {{name: string, usage: number}[]} usage: how often the core has been in this state; none where the system does not say */
function idleStatesOf(core) {
  const folder = `/sys/devices/system/cpu/cpu${core}/cpuidle`;
  try {
    return readdirSync(folder)
      .toSorted()
      .map((state) => {
        const read = (/** @type {string} */ file) =>
          readFileSync(`${folder}/${state}/${file}`, 'utf8').trim();
        return {name: read('name'), usage: Number(read('usage'))};
      });
  } catch {
    return [];
  }
}

/** @param {number} core @returns {number} how often it has slept */
function deepSleepsOf(core) {
  return idleStatesOf(core)
    .slice(1)
    .reduce((sum, {usage}) => sum + usage, 0);
}

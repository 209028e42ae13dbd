/**
 * What holds of the unit tier: no socket, no child process, no wait. The tier (test/unit-tier.js) is guarded as a whole, and a file that does
 * otherwise fails, also where the code under test catches the error.
 */
import childProcess from 'node:child_process';
import dgram from 'node:dgram';
import {syncBuiltinESMExports} from 'node:module';
import net from 'node:net';
import timers from 'node:timers';
import timersPromises from 'node:timers/promises';

/** A timer that elapses after more than this is a wait: one that only guards against a hang is cleared before. */
const maxTimerMs = 30;

/** @type {Set<string>} */
const broken = new Set();

/** From now on, offences are found. */
export function guard() {
  refuse(net.Socket.prototype, 'connect', 'connects a socket');
  refuse(net.Server.prototype, 'listen', 'listens on a socket');
  refuse(dgram.Socket.prototype, 'bind', 'binds a socket');
  refuse(dgram.Socket.prototype, 'send', 'sends a datagram');
  refuse(childProcess.ChildProcess.prototype, 'spawn', 'starts a process');
  for (const name of /** @type {const} */ (['spawnSync', 'execSync', 'execFileSync']))
    refuse(childProcess, name, 'starts a process');
  refuse(Atomics, 'wait', 'blocks the thread');
  timers.setTimeout = watchTimer(timers.setTimeout);
  globalThis.setTimeout = timers.setTimeout;
  timersPromises.setTimeout = watchSleep(timersPromises.setTimeout);
  syncBuiltinESMExports();
}

/** @param {string} name of the file whose tests have ended @throws {Error} with what they did since the last call */
export function assertKept(name) {
  const offences = [...broken];
  broken.clear();
  if (offences.length > 0) throw new Error(`${name} is no unit test: it ${offences.join(', ')}`);
}

/** @param {any} owner @param {string} name @param {string} what */
function refuse(owner, name, what) {
  owner[name] = () => {
    broken.add(what);
    throw new Error(`a unit test ${what}: such tests belong in test/integration`);
  };
}

/** @template {(...parameters: any[]) => any} Timer @param {Timer} original @returns {Timer} */
function watchTimer(original) {
  const watched = (/** @type {Function} */ callback, ms = 0, /** @type {any[]} */ ...parameters) => {
    const elapsed = (/** @type {any[]} */ ...values) => {
      reportWait(ms);
      return callback(...values);
    };
    return original(typeof callback === 'function' ? elapsed : callback, ms, ...parameters);
  };
  return Object.assign(/** @type {any} */ (watched), original);
}

/** @template {(...parameters: any[]) => Promise<any>} Sleep @param {Sleep} original @returns {Sleep} */
function watchSleep(original) {
  const watched = async (ms = 0, /** @type {any[]} */ ...parameters) => {
    const value = await original(ms, ...parameters);
    reportWait(ms);
    return value;
  };
  return /** @type {any} */ (watched);
}

/** @param {number} ms */
function reportWait(ms) {
  if (ms > maxTimerMs) broken.add(`waits ${ms} ms`);
}

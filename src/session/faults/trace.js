import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {setTimeout as sleep} from 'node:timers/promises';
import {findSetpriv, pathFolders} from '../../brokers/programs.js';

/** What shows when a message comes, when it is answered, and when it is on the disk. */
const calls = 'fsync,fdatasync,sync_file_range,recvfrom,recvmsg,read,readv,sendto,sendmsg,write,writev';
const mostBytes = 32 * 1024 ** 2;
const endWithinMs = 5000;

/**
 * Traces the system calls of a process of this host for a time, which slows it down: no figure is taken meanwhile.
 * @param {number} pid
 * @param {{ms: number, signal: AbortSignal}} how
 * @returns {Promise<string | null>} null: there is no strace, or it may not trace the process
 */
export async function traceCalls(pid, {ms, signal}) {
  const command = ['strace', '-f', '-qq', '-yy', '-s', '0', '-e', `trace=${calls}`, '-p', String(pid)];
  // If this process is killed, the kernel ends strace, and the process that it traced goes on.
  const setpriv = await findSetpriv();
  const [file, ...words] = setpriv ? [setpriv, '--pdeathsig', 'KILL', ...command] : command;
  const child = spawn(file, words, {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: {PATH: pathFolders().join(':'), LC_ALL: 'C'},
  });
  /** @type {Buffer[]} */
  const parts = [];
  let bytes = 0;
  child.stderr.on('data', (/** @type {Buffer} */ part) => {
    bytes += part.length;
    if (bytes <= mostBytes) parts.push(part);
  });
  const ended = once(child, 'close').then(
    () => true,
    () => true,
  );
  const hasEnded = await Promise.race([ended, sleep(ms, false, {signal}).catch(() => false)]);
  // It lets go of the process, and ends.
  child.kill('SIGINT');
  if (!(await Promise.race([ended, sleep(endWithinMs, false)]))) child.kill('SIGKILL');
  signal.throwIfAborted();
  return hasEnded ? null : Buffer.concat(parts).toString('latin1');
}

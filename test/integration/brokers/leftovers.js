import {readdirSync, readFileSync} from 'node:fs';
import {mkdtemp, readdir} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {setTimeout as sleep} from 'node:timers/promises';

/** A folder for one test's brokers, so that other tests' brokers are not taken for its leftovers. */
export async function makeBase() {
  return await mkdtemp(join(tmpdir(), 'perf-battle-test-'));
}

/**
 * What is left of the brokers in this folder: files, and processes that name it in their environment or command line.
 * @param {string} base
 */
export async function leftovers(base) {
  const folders = (await readdir(base)).map((name) => `folder ${name}`);
  return [...folders, ...(await processesOf(base)).map(({pid, command}) => `process ${pid} ${command}`)];
}

/**
 * Waits, within a bound, until nothing is left.
 * @param {string} base
 * @returns {Promise<string[]>} empty when nothing is left
 */
export async function leftoversAfter(base, timeoutMs = 10_000) {
  const deadline = Date.now() + timeoutMs;
  let left = await leftovers(base);
  while (left.length > 0 && Date.now() < deadline) {
    await sleep(50);
    left = await leftovers(base);
  }
  return left;
}

/**
 * Reads synchronously, which takes a third of the time. Tests wait for processes often.
 * @param {string} base
 * @returns {Promise<{pid: number, command: string, environment: Record<string, string>}[]>}
 */
export async function processesOf(base) {
  const found = [];
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) continue;
    const [command, environment] = [read(name, 'cmdline'), read(name, 'environ')];
    if (!`${command}\0${environment}`.includes(base)) continue;
    found.push({
      pid: Number(name),
      command: command.replaceAll('\0', ' '),
      environment: parseEnvironment(environment),
    });
  }
  return found;
}

/** @param {number} pid @returns {Promise<Record<string, string>>} */
export async function environmentOf(pid) {
  return parseEnvironment(read(String(pid), 'environ'));
}

/** @param {string} pid @param {string} file @returns {string} empty when the process has ended */
function read(pid, file) {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}

/** @param {string} text */
function parseEnvironment(text) {
  const pairs = text.split('\0').map((line) => /^([^=]+)=(.*)$/s.exec(line));
  return Object.fromEntries(pairs.filter((pair) => pair !== null).map(([, name, value]) => [name, value]));
}

/**
 * Wraps ssh for the session of an agent, which carries the control channels of all roles of a host. For each role, it appends a line of JSON to a
 * file: the bytes sent to the role and received from it in the session.
 */
import {spawn} from 'node:child_process';
import {appendFileSync} from 'node:fs';
import {createInterface} from 'node:readline';

const {BENCH_SSH = '', BENCH_BYTES_FILE = ''} = process.env;
/** By id. @type {Map<number, {role: string | undefined, sent: number, received: number}>} */
const roles = new Map();

const session = spawn(BENCH_SSH, process.argv.slice(2), {stdio: ['pipe', 'pipe', 'inherit']});
createInterface({input: process.stdin}).on('line', (line) => {
  const {command, id, script} = JSON.parse(line);
  if (command === 'start')
    roles.set(id, {role: /-(client|server)\.js/.exec(script)?.[1], sent: 0, received: 0});
  count('sent', id, line);
});
createInterface({input: session.stdout}).on('line', (line) => count('received', JSON.parse(line).id, line));
process.stdin.pipe(session.stdin).on('error', () => {});
session.stdout.pipe(process.stdout);
process.once('SIGTERM', () => session.kill());
session.once('close', (code) => {
  for (const bytes of roles.values()) appendFileSync(BENCH_BYTES_FILE, `${JSON.stringify(bytes)}\n`);
  process.exit(code ?? 1);
});

/** @param {'sent' | 'received'} direction @param {number | undefined} id of a role; undefined for a beat @param {string} line */
function count(direction, id, line) {
  const bytes = id === undefined ? undefined : roles.get(id);
  if (bytes) bytes[direction] += Buffer.byteLength(line) + 1;
}

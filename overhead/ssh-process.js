/** Wraps ssh for the control line of a role. Appends a line of JSON to a file: the bytes sent to the role and received from it. */
import {spawn} from 'node:child_process';
import {appendFileSync} from 'node:fs';

const {BENCH_SSH = '', BENCH_BYTES_FILE = ''} = process.env;
const role = /-(client|server)\.js/.exec(process.argv.join(' '))?.[1];
const bytes = {sent: 0, received: 0};

const session = spawn(BENCH_SSH, process.argv.slice(2), {stdio: ['pipe', 'pipe', 'inherit']});
process.stdin.on('data', ({length}) => {
  bytes.sent += length;
});
session.stdout.on('data', ({length}) => {
  bytes.received += length;
});
process.stdin.pipe(session.stdin).on('error', () => {});
session.stdout.pipe(process.stdout);
process.once('SIGTERM', () => session.kill());
session.once('close', (code) => {
  appendFileSync(BENCH_BYTES_FILE, `${JSON.stringify({role, ...bytes})}\n`);
  process.exit(code ?? 1);
});

/**
 * A program for --external: the starter of the package, whose server starts a daemon and names it in its ready event.
 *
 *     node with-daemon.js beside|through|none|stranger server|client
 *
 * beside: the requests do not need the daemon; through: the server ends with it; none: the server names no daemon; stranger: it names a process
 * that it has not started.
 */
import {spawn} from 'node:child_process';
import {createInterface} from 'node:readline';
import {fileURLToPath} from 'node:url';

const [how, role] = process.argv.slice(2);
const starter = fileURLToPath(new URL('../../../examples/adapters/starter/node/adapter.js', import.meta.url));
const adapter = spawn(process.execPath, [starter, role], {stdio: ['inherit', 'pipe', 'inherit']});
const daemon = role === 'server' && how !== 'none' ? spawn('sleep', ['600'], {stdio: 'ignore'}) : null;
if (how === 'through') daemon?.once('exit', () => adapter.kill('SIGKILL'));
adapter.once('exit', (code) => {
  daemon?.kill('SIGKILL');
  process.exit(code ?? 1);
});
createInterface({input: adapter.stdout}).on('line', (line) => {
  const event = JSON.parse(line);
  const pid = how === 'stranger' ? process.ppid : daemon?.pid;
  const isNamed = event.event === 'ready' && daemon !== null;
  process.stdout.write(`${JSON.stringify(isNamed ? {...event, daemons: [pid]} : event)}\n`);
});

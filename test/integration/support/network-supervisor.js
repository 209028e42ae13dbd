/**
 * The supervisor process of a network of test hosts. It allocates a subnet and a folder, and removes everything when its standard
 * input ends, which also happens when the tests are killed. It has its own process group, so it survives Ctrl-C. The next supervisor
 * removes what a killed one left.
 *
 * It writes a line of JSON, {subnet, folder}.
 */
import {mkdir, mkdtemp, readdir, readFile, readlink, rm, symlink, unlink, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {lock} from 'proper-lockfile';
import {endProcess} from '../../../src/ending/end-process.js';
import {startTimeOf} from '../../../src/measure/system.js';
import {freeSubnets, removeLinks} from './network-links.js';

/** Holds a symbolic link for each subnet in use, to the folder of its network. */
const claims = '/run/perf-battle-networks';

const ending = new Promise((resolve) => {
  process.stdin.once('close', resolve).resume();
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.once(signal, resolve);
});
// After the parent's end nobody reads standard output. The end of standard input shows it.
process.stdout.on('error', () => {});

await mkdir(claims, {recursive: true});
await sweep();
const claimed = await claim();
process.stdout.write(`${JSON.stringify(claimed)}\n`);
await ending;
await clear(claimed);
await endProcess();

/** Runs in one supervisor at a time, because another one may reuse a subnet directly after its removal. */
async function sweep() {
  const release = await lock(claims, {retries: {retries: 200, minTimeout: 50, maxTimeout: 200}});
  try {
    for (const name of await readdir(claims)) {
      const folder = await readlink(join(claims, name)).catch(() => null);
      if (folder !== null && !(await isKept(folder))) await clear({subnet: Number(name), folder});
    }
  } finally {
    await release();
  }
}

/** @param {string} folder */
async function isKept(folder) {
  const owner = await readFile(join(folder, 'owner'), 'utf8').catch(() => '0 none');
  const [pid, startTime] = owner.split(' ');
  return (await startTimeOf(Number(pid))) === startTime;
}

async function claim() {
  const folder = await mkdtemp(join(tmpdir(), 'perf-battle-network-'));
  await writeFile(join(folder, 'owner'), `${process.pid} ${await startTimeOf(process.pid)}`);
  const subnets = await freeSubnets();
  while (subnets.length > 0) {
    const [subnet] = subnets.splice(Math.floor(Math.random() * subnets.length), 1);
    const isMine = await symlink(folder, join(claims, String(subnet))).then(
      () => true,
      () => false,
    );
    if (isMine) return {subnet, folder};
  }
  await rm(folder, {recursive: true});
  throw new Error('No subnet of 10.89.0.0/16 is free.');
}

/** @param {{subnet: number, folder: string}} network */
async function clear({subnet, folder}) {
  await removeLinks(subnet);
  const path = join(claims, String(subnet));
  if ((await readlink(path).catch(() => null)) === folder) await unlink(path);
  await rm(folder, {recursive: true, force: true, maxRetries: 5});
}

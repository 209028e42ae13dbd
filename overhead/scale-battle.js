import {chmod, mkdir, mkdtemp, readFile, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {pathOf} from './harness.js';
import {runNode} from './processes.js';

const rounds = 3;
const load = [
  ...['--transport', 'tcp', '--workload', 'rtt', '--payload', '1kb', '--rounds', String(rounds)],
  // The warm-up takes a few ms, so that the harness causes nearly all of the time beyond the measured part.
  ...['--duration', '1s', '--warmup', '50', '--quiet'],
];

/**
 * Runs a battle of one cell as a user does, with its roles on other hosts.
 * @param {string} folder gets a subfolder for the results
 * @param {{clients: number, clientOn: string[], serverOn: string, environment: Record<string, string>, signal: AbortSignal}} battle
 * @returns {Promise<{setUpMs: number, restMs: number, usage: NodeJS.ResourceUsage, control: ControlBytes}>} setUpMs: the mean time from the
 *   start of a trial to the start of the next, minus the measured part; restMs: the time before and after the trials; usage: of the command's
 *   own process; control: mean bytes on the control channel of a role, NaN unless they were counted
 */
export async function runBattle(folder, {clients, clientOn, serverOn, environment, signal}) {
  const own = await mkdtemp(join(folder, 'battle-'));
  const [usageFile, bytesFile] = [join(own, 'usage.json'), join(own, 'bytes.ndjson')];
  const where = ['--clients', String(clients), '--client-on', clientOn.join(','), '--server-on', serverOn];
  const settings = {
    ...environment,
    PB_RESULTS: join(own, 'results.md'),
    BENCH_USAGE_FILE: usageFile,
    BENCH_BYTES_FILE: bytesFile,
  };
  const command = [
    '--import',
    pathOf('usage-process.js'),
    pathOf('../bin/perf-battle.js'),
    ...load,
    ...where,
  ];
  const before = performance.now();
  await runNode(command, {settings, signal});
  const wallMs = performance.now() - before;
  const trials = (await linesOf(join(own, 'results.ndjson'))).filter(({kind}) => kind === 'trial');
  const setUpMs = meanOf(unmeasuredMs(trials));
  const measuredMs = trials.reduce((total, trial) => total + trial.wallMs, 0);
  return {
    setUpMs,
    restMs: wallMs - measuredMs - setUpMs * trials.length,
    usage: JSON.parse(await readFile(usageFile, 'utf8')),
    control: bytesPerRole(await linesOf(bytesFile).catch(() => [])),
  };
}

/**
 * Installs a wrapper of ssh that counts the bytes of control channels.
 * @param {string} folder @returns {Promise<Record<string, string>>} the environment of a battle that uses the wrapper
 */
export async function installCounter(folder) {
  const bin = join(folder, 'bin');
  await mkdir(bin);
  const script = `#!/bin/sh
case "$*" in
*agent-process.js*) exec '${process.execPath}' '${pathOf('ssh-process.js')}' "$@" ;;
*) exec "$BENCH_SSH" "$@" ;;
esac
`;
  await writeFile(join(bin, 'ssh'), script);
  await chmod(join(bin, 'ssh'), 0o755);
  return {PATH: `${bin}:${process.env.PATH}`, BENCH_SSH: '/usr/bin/ssh'};
}

/** @param {Record<string, any>[]} trials in the order of time */
function unmeasuredMs(trials) {
  return trials
    .slice(1)
    .map(
      ({startedAt}, index) =>
        Date.parse(startedAt) - Date.parse(trials[index].startedAt) - trials[index].wallMs,
    );
}

/** @typedef {{client: {sent: number, received: number}, server: {sent: number, received: number}}} ControlBytes */

/** @param {Record<string, any>[]} sessions @returns {ControlBytes} */
function bytesPerRole(sessions) {
  const meanOfRole = (/** @type {string} */ role) => {
    const some = sessions.filter((session) => session.role === role);
    return {sent: meanOf(some.map(({sent}) => sent)), received: meanOf(some.map(({received}) => received))};
  };
  return {client: meanOfRole('client'), server: meanOfRole('server')};
}

/** @param {readonly number[]} values */
function meanOf(values) {
  return values.reduce((total, value) => total + value, 0) / values.length;
}

/** @param {string} file @returns {Promise<Record<string, any>[]>} */
async function linesOf(file) {
  return (await readFile(file, 'utf8'))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

import {randomUUID} from 'node:crypto';
import {resolve} from 'node:path';
import {planCells} from '../battle/plan.js';
import {battlesIn, thisProcess} from '../battle/resume.js';
import {assertWritable} from '../files/update-file.js';
import {openHosts} from '../hosts/index.js';
import {isAskedFor} from '../options/resolve.js';
import {readFingerprint} from '../results/fingerprint.js';
import {Journal, journalPathFor} from '../results/journal.js';
import {describePlan} from './describe-plan.js';
import {describeSettings, publicSettings} from './describe-settings.js';
import {closeAbandoned, fight} from './fight.js';
import {listPresets} from './list-presets.js';
import {readSettings} from './read-settings.js';
import {report} from './report-battle.js';
import {restore} from './restore.js';
import {readVersions} from './versions.js';

/**
 * The battle: resolve, plan, run, report.
 * @type {import('./index.js').Command}
 */
export async function battle(commandLine, signal) {
  const asked = await readSettings(commandLine);
  for (const warning of asked.warnings) process.stderr.write(`Warning: ${warning}\n`);
  if (asked.values.listPresets) return print(listPresets());
  if (asked.values.printConfig) return print(describeSettings(asked));
  const journal = new Journal(journalPathFor(resolve(asked.values.results)));
  const recorded = await journal.read();
  for (const warning of recorded.warnings) process.stderr.write(`Warning: ${warning}\n`);
  const {settings, state, known} = asked.values.resume
    ? await restore(asked, battlesIn(recorded.entries), journal.path)
    : {settings: asked, state: freshState(asked), known: {}};
  if (settings.values.dryRun) return print(describePlan(state));

  await assertWritable(settings.values.results);
  await journal.assertWritable();
  await closeAbandoned(journal, recorded.entries, state.id);
  const hosts = await openHosts(whereOf(settings), {log: noteUnless(settings.values.quiet), signal});
  try {
    const context = {...(await readContext(settings, hosts)), ...known};
    const owner = await thisProcess();
    await journal.append({kind: 'battle', id: state.id, ...context, cells: state.cells, owner});
    const run = {state, settings, context, journal, hosts, signal};
    return await report(await fight(run), run);
  } finally {
    await hosts.close();
  }
}

/**
 * An address of the server is for scripts by hand too, in whose .env it may stand: here it means something only where servers stand elsewhere,
 * or are reached from there.
 * @param {import('../options/resolve.js').Settings} settings
 */
function whereOf({values, origins}) {
  const serverAddress = isAskedFor(origins.serverAddress) ? values.serverAddress : null;
  return {.../** @type {Parameters<typeof openHosts>[0]} */ (values), serverAddress};
}

/** @param {boolean} isQuiet */
function noteUnless(isQuiet) {
  return (/** @type {string} */ line) => void (isQuiet || process.stderr.write(`${line}\n`));
}

/** @param {string} text */
function print(text) {
  process.stdout.write(text);
  return 0;
}

/** @param {import('../options/resolve.js').Settings} settings @returns {import('../battle/battle.js').BattleState} */
function freshState(settings) {
  return {
    id: randomUUID().slice(0, 8),
    cells: planCells(settings),
    progress: new Map(),
    values: settings.values,
  };
}

/**
 * What the records of one battle share, and what its journal line says.
 * @param {import('../options/resolve.js').Settings} settings
 * @param {import('../hosts/index.js').Hosts} hosts
 * @returns {Promise<import('../battle/records.js').BattleContext>}
 */
async function readContext(settings, hosts) {
  const here = await readFingerprint();
  const {values, origins} = settings;
  const fingerprintOf = (/** @type {import('../hosts/index.js').Host} */ host) =>
    host.described?.fingerprint ?? here;
  const namesOf = (/** @type {readonly import('../hosts/index.js').Host[]} */ list) =>
    [...new Set(list.map((host) => fingerprintOf(host).hostname))].join(', ');
  const fingerprints = hosts.all.map(fingerprintOf);
  const seen = fingerprints.every(({instance}) => instance !== null) ? 'EC2' : 'cross-host';
  const environment = hosts.isNetworked && !isAskedFor(origins.environment) ? seen : values.environment;
  const client = fingerprintOf(hosts.clients[0]);
  return {
    startedAt: new Date().toISOString(),
    environment,
    machine: values.machine ?? client.instance?.type ?? client.cpu,
    hosts: Object.fromEntries(fingerprints.map((one) => [one.hostname, one])),
    roles: {client: namesOf(hosts.clients), server: namesOf(hosts.servers), broker: null},
    versions: await readVersions(),
    config: publicSettings(settings),
  };
}

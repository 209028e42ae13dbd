import {existsSync} from 'node:fs';
import {pathToFileURL} from 'node:url';
import {roleProgramIn} from '../battle/roles.js';
import {newBattle} from '../battle/state.js';
import {compareInBattle} from '../compare/compare-in-battle.js';
import {judgeSlowdown} from '../compare/gate.js';
import {UsageError} from '../errors.js';
import {isAskedFor, overlay, withValues} from '../options/resolve.js';
import {ownRuntime} from '../packages/runtimes.js';
import {printText} from '../report/terminal.js';
import {optionsOfAb, transportsOfPrograms} from '../settings/index.js';
import {provideSides, refuseUnknownCommits} from '../sides/provide.js';
import {readSides} from '../sides/read-sides.js';
import {refusePackages} from '../sides/refuse-packages.js';
import {floorTransport, transportNamed} from '../transports/index.js';
import {concludeBattle, planAndRun} from './plan-and-run.js';
import {printSettings, readBattleSettings} from './read-settings.js';

/**
 * @import {Cell} from '../battle/types.js'
 * @import {CellRecord} from '../results/record-schema.js'
 * @import {AbSettings} from '../settings/index.js'
 * @import {Side} from '../settings/types.js'
 */

const excluded = /** @type {const} */ (['preset', 'listPresets', 'resume', 'takeOver']);

/** Each size needs three pairs of processes, so a single size leaves time for more rounds. */
const defaults = {payloadBytes: [1024]};

/**
 * `perf-battle ab --a SIDE --b SIDE`: runs two sides in the same rounds of a battle, and one of them twice.
 * @param {readonly string[]} commandLine @param {AbortSignal} signal
 */
export async function ab(commandLine, signal) {
  const asked = await readBattleSettings(joinSides(commandLine), optionsOfAb);
  refuseExcluded(asked);
  const {a, b, failIfSlower} = asked.values;
  const sides = readSides({a, b});
  const settings = withTransportsOfPrograms(overlay(asked, defaults, {kind: 'preset', name: 'ab'}), sides);
  refuseElsewhere(settings, sides);
  refuseTwoRuntimes(settings, sides);
  if (settings.values.printConfig) return printSettings(settings);
  // The sides are checked before anything is fetched.
  refusePackages(sides, settings.values.transport.map(transportNamed));
  refuseWithoutPrograms(settings, sides);
  refuseMissingScripts(newBattle({...settings, sides}).cells);
  await refuseUnknownCommits(sides);
  const log = (/** @type {string} */ line) => void (settings.values.quiet || printText(line));
  const provided = settings.values.dryRun ? sides : await provideSides(sides, {log, signal});
  return await planAndRun({...settings, sides: provided}, signal, {
    conclude: (finished) =>
      concludeBattle({
        ...finished,
        expectations: [...finished.expectations, ...judgeSides(finished.records, failIfSlower)],
      }),
  });
}

/** @param {readonly CellRecord[]} records @param {number | null} share */
function judgeSides(records, share) {
  if (share === null) return [];
  const sides = compareInBattle(records).map(({a, b, ...shown}) => ({
    ...shown,
    old: a,
    new: b,
    isFloor: false,
  }));
  return judgeSlowdown(sides, share, 'side a');
}

/** The word after --a or --b is a side, even if it begins with dashes. @param {readonly string[]} commandLine */
function joinSides(commandLine) {
  /** @type {string[]} */
  const joined = [];
  for (const word of commandLine) {
    const before = joined.at(-1);
    if (before === '--a' || before === '--b') joined[joined.length - 1] = `${before}=${word}`;
    else joined.push(word);
  }
  return joined;
}

/** @param {AbSettings} settings */
function refuseExcluded({origins}) {
  const given = excluded.find((key) => origins[key].kind === 'flag');
  if (given !== undefined)
    throw new UsageError(`ab compares two sides of its own, so ${origins[given].name} cannot be given.`);
}

/** @param {Side} side */
function hasPrograms({program: {programsIn, programsRef}}) {
  return programsIn !== undefined || programsRef !== undefined;
}

/**
 * Folders of programs are compared over the transports that run programs, unless the user names transports.
 * @param {AbSettings} settings @param {readonly Side[]} sides
 */
function withTransportsOfPrograms(settings, sides) {
  const {values, origins} = settings;
  if (isAskedFor(origins.transport) || !sides.some(hasPrograms)) return settings;
  const transport = values.transport.filter((name) => transportNamed(name).runsPrograms);
  return transport.length === 0 ? settings : withValues(settings, {transport});
}

/** @param {AbSettings} settings @param {readonly Side[]} sides */
function refuseWithoutPrograms({values: {transport}}, sides) {
  const other = transport.find((name) => name !== floorTransport.name && !transportNamed(name).runsPrograms);
  const side = sides.find(hasPrograms);
  if (side !== undefined && other !== undefined)
    throw new UsageError(
      `--${side.name} has a folder of programs, and ${other} runs none. Name a --transport that does: ${transportsOfPrograms.map(({name}) => name).join(' or ')}.`,
    );
}

/** @param {readonly Cell[]} cells */
function refuseMissingScripts(cells) {
  for (const {transport, variant} of cells) {
    const {folder, only} = variant;
    if (folder === undefined) continue;
    const roles = only === undefined ? /** @type {const} */ (['server', 'client']) : [only];
    const source = pathToFileURL(`${folder}/src/`);
    const missing = roles.find(
      (role) => !existsSync(roleProgramIn(source, transportNamed(transport), role).script),
    );
    if (missing !== undefined)
      throw new UsageError(
        `The folder ${folder} of side ${variant.side} has no ${missing} of ${transport}, so it is no folder of perf-battle.`,
      );
  }
}

/** @param {AbSettings} settings @param {ReturnType<typeof readSides>} sides */
function refuseTwoRuntimes({values: {runtime}}, sides) {
  const side = sides.find(({program}) => (program.node ?? program.packages?.node) !== undefined);
  if (side !== undefined && [runtime].flat().join() !== ownRuntime)
    throw new UsageError(
      `--runtime ${[runtime].flat().join()} is for both sides, and --${side.name} has a program of Node.js. Give each side its own --runtime.`,
    );
}

/** @param {AbSettings} settings @param {ReturnType<typeof readSides>} sides */
function refuseElsewhere({values: {clientOn, serverOn}}, sides) {
  const isElsewhere = clientOn !== null || serverOn !== null;
  if (isElsewhere && sides.some(({program}) => program.given.length > 0))
    throw new UsageError(
      'A side with its own Node.js, folder, commit or packages runs on this host alone: leave out --client-on and --server-on.',
    );
}

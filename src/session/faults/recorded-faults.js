import {concludeFaults} from '../../faults/conclude.js';
import {faultNames} from '../../faults/faults.js';
import {versionsTogether} from '../../results/fingerprint.js';
import {publicSettings, settingAsGiven} from '../../settings/describe-settings.js';
import {optionsOfFaults} from '../../settings/index.js';
import {groupBy} from '../../stats/numbers.js';
import {findTransport} from '../../transports/index.js';
import {shownSettings} from './plan-faults.js';
import {applies, nameOf} from './rows.js';

/**
 * @import {FaultName} from '../../faults/faults.js'
 * @import {Conclusion, Evidence, FoundOfFault, FoundOfRow, NotTried, Row} from '../../faults/found.js'
 * @import {Fingerprint} from '../../results/types.js'
 * @import {Exception} from '../../settings/describe-settings.js'
 * @import {FaultSettings} from '../../settings/index.js'
 * @import {FaultsDocument, FinishedFaults} from './types.js'
 *
 * @typedef {FinishedFaults['run']} Run
 * @typedef {Run & {kind: 'fault', row: Row, evidence?: Evidence | null, found: FoundOfFault}} FaultLine the effect of a fault on a row; evidence: undefined in old records
 * @typedef {Run & Conclusion & {kind: 'faults', host: Fingerprint, versions: Record<string, string | null>,
 *   notTried?: NotTried[], config?: Record<string, unknown>, exceptions?: Exception[]}} RowLine the conclusion on a row at the end of a run; notTried, config,
 *   exceptions: undefined in old records
 */

/** Returns the settings in force in a run, for the lines of its rows. @param {FaultSettings} settings */
export function settingsToRecord(settings) {
  const {settings: shown, exceptions} = shownSettings(settings);
  return {config: publicSettings(shown, optionsOfFaults), exceptions};
}

/**
 * Returns a run of faults from the lines of a journal, by default the newest. An interrupted run has the faults that were finished.
 * @param {readonly {kind: string}[]} entries @param {string | null} [id] the beginning of the run's id
 * @returns null if there is no such run
 */
export function recordedFaults(entries, id = null) {
  const lines = /** @type {(FaultLine | RowLine)[]} */ (entries.filter(isUsable));
  const runId = lines.filter((line) => line.runId.startsWith(id ?? '')).at(-1)?.runId;
  if (runId === undefined) return null;
  const own = lines.filter((line) => line.runId === runId);
  const ended = own.filter((line) => line.kind === 'faults');
  const conclusions = ended.length > 0 ? ended.map(conclusionOf) : concludeFaults({rows: rowsOf(own)});
  const [{startedAt, seed, rate, window, resend, hosts}] = own;
  const [{host, notTried, config, exceptions} = /** @type {Partial<RowLine>} */ ({})] = ended;
  return {
    run: {runId, startedAt, seed, rate, window, resend, ...(hosts && {hosts})},
    // Only the end of a run has the facts about the host.
    host: /** @type {Fingerprint} */ ({...host}),
    ...{versions: versionsTogether(ended.map(versionsOf)), conclusions, nameOf},
    settings: settingsOf({...config}, listOf(exceptions)),
    applies: (/** @type {FaultName} */ fault, /** @type {Row} */ row) =>
      findTransport(row.transport) !== undefined && applies(fault, row),
    found: {
      rows: conclusions.map(foundOf),
      notTried: listOf(notTried),
      versions: new Map(ended.map((line) => [line.row, versionsOf(line)])),
    },
    isRecorded: true,
    isInterrupted: ended.length === 0,
    // Then a newer battle has no results yet.
    isBeforeTrials: entries.slice(entries.indexOf(own[own.length - 1])).some(({kind}) => kind === 'trial'),
  };
}

/** Leaves out what the line of a row has of the whole run. @param {RowLine} line @returns {Conclusion} */
function conclusionOf({row, error, evidence, faults, class: found, guarantee, isBroken, sentence}) {
  return {row, error, evidence, faults, class: found, guarantee, isBroken, sentence};
}

/** @param {RowLine} line */
function versionsOf({versions}) {
  return {...versions};
}

/** @param {Record<string, unknown>} config @param {readonly Exception[]} exceptions */
function settingsOf(config, exceptions) {
  return Object.entries(config)
    .filter(([, value]) => value !== null)
    .map(([key, value]) => settingAsGiven(key, value, exceptions));
}

/** @param {readonly (FaultLine | RowLine)[]} lines @returns {FoundOfRow[]} */
function rowsOf(lines) {
  const found = lines.filter((line) => line.kind === 'fault');
  return [...groupBy(found, ({row}) => row.number).values()].map((own) => ({
    ...{row: own[0].row, evidence: own[0].evidence ?? null, error: null},
    faults: own.map((line) => line.found),
  }));
}

/** @param {Conclusion} conclusion @returns {FoundOfRow} */
function foundOf({row, evidence, error, faults}) {
  const own = faults.map(({fault, isThroughProxy, alarm, found: tries, timeline}) => ({
    ...{fault, tries, timeline},
    ...(isThroughProxy && {isThroughProxy}),
    ...(alarm !== undefined && {alarm}),
  }));
  return {row, evidence, error, faults: own};
}

/**
 * Returns the document of a run for --json.
 * @param {FinishedFaults & {isInterrupted?: boolean}} finished isInterrupted: whether the run has no end, in a journal @returns {FaultsDocument}
 */
export function documentOfFaults({run, host, versions, found, conclusions, isInterrupted = false}) {
  const rows = conclusions.map((one) => ({...one, versions: {...versions, ...found.versions.get(one.row)}}));
  const interrupted = isInterrupted && {interrupted: /** @type {const} */ (true)};
  return {faults: {...run, host, versions, notTried: found.notTried, ...interrupted}, rows};
}

/** Checks what is read below, because the user may have edited the journal. @param {any} line */
function isUsable(line) {
  const {kind, runId, startedAt, row, found, faults} = line;
  const {evidence = null, error = null, sentence = ''} = line;
  return (
    [runId, startedAt, sentence].every((text) => typeof text === 'string') &&
    [evidence, error].every(isObjectOrNull) &&
    isObject(row?.variant) &&
    typeof row.labels?.facilitator === 'string' &&
    Array.isArray(row.labels.settings) &&
    ((kind === 'fault' && isFault(found, found?.tries)) ||
      (kind === 'faults' && Array.isArray(faults) && faults.every((one) => isFault(one, one?.found))))
  );
}

/** @param {any} one @param {any} tries */
function isFault(one, tries) {
  const {goodPerSecond, worstMs, faults} = one?.timeline ?? {};
  return (
    faultNames.includes(one?.fault) &&
    Array.isArray(tries) &&
    tries.every(isTry) &&
    [goodPerSecond, worstMs, faults].every(Array.isArray) &&
    faults.every(isObject)
  );
}

/** @param {any} one */
function isTry(one) {
  const {account, atRisk, outage, unavailable} = one ?? {};
  return (
    [account, atRisk, outage].every(isObjectOrNull) &&
    (unavailable === null || typeof unavailable === 'string')
  );
}

/** @template One @param {readonly One[] | null | undefined} value of an edited journal @returns {One[]} */
function listOf(value) {
  return Array.isArray(value) ? value.filter(/** @returns {one is any} */ (one) => isObject(one)) : [];
}

/** @param {unknown} one */
function isObject(one) {
  return typeof one === 'object' && one !== null;
}

/** @param {unknown} one */
function isObjectOrNull(one) {
  return typeof one === 'object';
}

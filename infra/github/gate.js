#!/usr/bin/env node
/**
 * The step that judges what battle.js measured into $FOLDER: compares it with the baseline, writes tables into the summary and a comment, and sets the
 * exit code. In a run for the default branch, the records become part of the baseline in place of a comparison.
 */
import {existsSync, readFileSync} from 'node:fs';
import {mkdir, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {battleMarkdown} from '../../src/report/tables/markdown-tables.js';
import {escapeCell} from '../../src/report/terminal.js';
import {readRecords} from '../../src/results/read-records.js';
import {worstExitCode} from '../../src/session/store-results.js';
import {floorTransport} from '../../src/transports/index.js';
import {baselineFor, keepRecords, partsOf} from './baseline.js';
import {changeBranch, readFromBranch} from './baseline-branch.js';
import {codeOfJob, compareSides} from './compare-sides.js';
import {withoutSettings} from './perf-battle.js';
import {publish} from './publish.js';
import {baselineKind, useName} from './settings.js';
import {
  annotate,
  defaultBranch,
  isOfDefaultBranch,
  isTrue,
  measuredCommit,
  messageOf,
  runScript,
  setOutput,
  variable,
} from './workflow.js';

/**
 * @import {Judgement} from '../../src/expect/types.js'
 * @import {Remote} from './baseline-branch.js'
 * @import {BattleDocument} from './baseline.js'
 */

/**
 * @typedef {ReturnType<typeof readSettings>} Settings
 * @typedef {{code: number, text: string}} Judged code: that of perf-battle; text: markdown
 */

await runScript(async () => {
  const settings = readSettings();
  const exitCode = Number(readFileSync(join(settings.folder, 'exit-code'), 'utf8'));
  const document = readDocument(join(settings.folder, 'battle.json'));
  if (document === null) {
    await say([missingResults(exitCode)], settings);
    return exitCode || 2;
  }
  const isKept = settings.kind !== 'none' && isOfDefaultBranch();
  const isCompared = settings.kind !== 'none' && !isKept;
  const compared = isCompared ? await compareWithBaseline(settings) : {code: 0, text: ''};
  await say([compared.text, ...measuredParts(document)], settings);
  const kept = isKept ? await keep(document, settings) : 0;
  // A battle that was interrupted failed.
  const measured = exitCode > 5 ? 1 : exitCode;
  return codeOfJob([compared.code, kept].reduce(worstExitCode, measured), settings.allowsUnknown);
});

function readSettings() {
  const kind = baselineKind();
  const name = useName();
  return {
    folder: variable('FOLDER'),
    kind,
    name,
    file: `${name}.ndjson`,
    remote: remoteOf(kind),
    failIfSlower: variable('FAIL_IF_SLOWER'),
    allowsUnknown: isTrue('allow-unknown'),
    comments: isTrue('comment'),
    token: variable('GH_TOKEN'),
  };
}

/** @param {readonly string[]} parts of the summary and the comment; empty ones are left out @param {Settings} settings */
async function say(parts, settings) {
  const text = [`### perf-battle: ${settings.name}`, ...parts].filter((part) => part !== '').join('\n\n');
  await publish(text, settings);
}

/** @param {number} exitCode of the battle */
function missingResults(exitCode) {
  return exitCode === 0
    ? 'The battle printed no results. It cannot have --csv, --dry-run, --print-config or --list-presets here.'
    : `The battle ended with exit code ${exitCode} and without results. The log has the reason.`;
}

/** @param {string} kind of the baseline @returns {Remote} @throws {Error} when it would be the branch that people work on */
function remoteOf(kind) {
  const branch = variable('BASELINE_BRANCH');
  if (kind === 'branch' && branch === defaultBranch())
    throw new Error(`The baseline cannot be kept on ${branch}, which is the default branch`);
  const url = `${variable('GITHUB_SERVER_URL')}/${variable('GITHUB_REPOSITORY')}.git`;
  return {url, branch, token: variable('GH_TOKEN')};
}

/** @param {string} path @returns {BattleDocument | null} null if the battle printed none */
function readDocument(path) {
  try {
    const document = JSON.parse(readFileSync(path, 'utf8'));
    return partsOf(document).every(({battle, cells}) => battle?.id && cells) ? document : null;
  } catch {
    return null;
  }
}

/** @param {Settings} settings @returns {Promise<string | null>} the journal of the baseline; null if there is none */
async function readBaseline({kind, folder, file, remote}) {
  if (kind === 'branch') return await readFromBranch(remote, file);
  const path = join(folder, 'baseline', file);
  return existsSync(path) ? readFileSync(path, 'utf8') : null;
}

/** @param {Settings} settings @returns {Promise<Judged>} */
async function compareWithBaseline(settings) {
  const {folder, failIfSlower} = settings;
  let journal;
  try {
    journal = await readBaseline(settings);
  } catch (error) {
    const sentence = `The baseline could not be read: ${messageOf(error)}`;
    annotate('error', sentence);
    return {code: 1, text: escapeCell(sentence)};
  }
  const path = join(folder, 'baseline.ndjson');
  await writeFile(path, journal ?? '');
  const baseline = await baselineFor(path, join(folder, 'battle.json'));
  if (baseline === null) {
    const sentence = `There is no baseline yet, so nothing is compared. The next run for ${defaultBranch()} makes one.`;
    annotate('notice', sentence);
    return {code: 0, text: sentence};
  }
  const {code, markdown} = await compareSides(`baseline.ndjson#${baseline.id}`, 'battle.json', {
    failIfSlower,
    cwd: folder,
    environment: withoutSettings(),
  });
  const failed = `The comparison ended with exit code ${code}. The log has the reason.`;
  return {code, text: `${escapeCell(baseline.sentence)}\n\n${markdown || failed}`};
}

/** The expectations and the tables. @param {BattleDocument} document @returns {string[]} */
function measuredParts(document) {
  return partsOf(document).flatMap(({cells, ...part}) => {
    const {expectations = []} = /** @type {{expectations?: Judgement[]}} */ (part);
    const lines = expectations.map(({outcome, sentence}) => `- **${outcome}**: ${escapeCell(sentence)}`);
    return [lines.join('\n'), battleMarkdown(readRecords([...cells]).records, floorTransport.name)];
  });
}

/** @param {BattleDocument} document @param {Settings} settings @returns {Promise<number>} an exit code */
async function keep(document, {kind, file, folder, remote}) {
  const keepIn = (/** @type {string} */ place) => keepRecords(place, file, document);
  try {
    if (kind === 'branch') {
      const message = `Records of ${measuredCommit().slice(0, 10)} [skip ci]`;
      await changeBranch(remote, message, keepIn);
    } else {
      const place = join(folder, 'baseline');
      await mkdir(place, {recursive: true});
      await keepIn(place);
      setOutput('kept', place);
    }
    return 0;
  } catch (error) {
    annotate('error', `The records are not kept. ${messageOf(error)}.`);
    return 1;
  }
}

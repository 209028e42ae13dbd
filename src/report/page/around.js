import {nameOfCell} from '../../columns/names.js';
import {battleNotes} from '../battle-notes.js';
import {html} from './html.js';

/**
 * @import {CellRecord} from '../../results/record-schema.js'
 */

/**
 * @typedef {object} ShownBattle
 * @property {readonly CellRecord[]} records at least one
 * @property {Record<string, unknown> | null} battle what the journal says of it; null if it is not known
 * @property {string} floor the transport that the others are compared with
 * @property {string} version of perf-battle
 */

/** What was measured where and when. @param {ShownBattle} shown */
export function pageHeader({records, version}) {
  const [{battleId, machine, environment, seed, rounds}] = records;
  const workloads = [...new Set(records.map(({workload}) => workload))].join(', ');
  const started = records.map(({startedAt}) => startedAt).sort()[0];
  const count = rounds ? `, ${rounds.count} rounds` : '';
  return html`<h1>${workloads} on ${machine}, ${environment}</h1>
<p class="muted">Battle ${battleId}, begun ${started.slice(0, 16).replace('T', ' ')} UTC${count}, seed ${seed}. perf-battle ${version}.</p>`;
}

/** Failed cells, verdicts and the reasons of each. @param {readonly CellRecord[]} records */
export function notesSection(records) {
  const completed = records.filter((record) => record.outcome === 'completed');
  const notes = battleNotes(records, completed, {notes: [], detail: true}).filter((line) => line !== '');
  const reasons = completed.flatMap((record) =>
    record.verdict.warnings.map(
      ({code, message}) => html`<li>${nameOfCell(record)} (${record.id}): ${code}: ${message}</li>
`,
    ),
  );
  const each =
    reasons.length === 0
      ? null
      : html`<details><summary>The reasons of each cell</summary>
<ul>
${reasons}</ul>
</details>`;
  return html`<h2 id="verdicts">Verdicts</h2>
${notes.map(
  (line) => html`<p>${line}</p>
`,
)}${each}`;
}

/** The hosts, the versions and every setting. @param {ShownBattle} shown */
export function environmentSection({records, battle}) {
  const [{config, versions}] = records;
  const hosts = Object.entries(asObject(battle?.hosts)).map(
    ([name, host]) => html`<h3>Host ${name}</h3>
${listOf(asObject(host))}
`,
  );
  return html`<h2 id="environment">Environment</h2>
${hosts}<h3>Versions</h3>
${listOf(versions)}
<details><summary>Every setting of the battle</summary>
<pre>${JSON.stringify(config, null, 2)}</pre>
</details>`;
}

/** @param {unknown} value @returns {Record<string, unknown>} empty for what is no object */
function asObject(value) {
  return typeof value === 'object' && value !== null ? /** @type {Record<string, unknown>} */ (value) : {};
}

/** @param {Record<string, unknown>} fields */
function listOf(fields) {
  const known = Object.entries(fields).filter(([, value]) => value !== null && value !== undefined);
  return html`<dl>
${known.map(
  ([
    name,
    value,
  ]) => html`<dt>${name}</dt><dd>${typeof value === 'object' ? JSON.stringify(value) : value}</dd>
`,
)}</dl>`;
}

export function methodSection() {
  return html`<h2 id="method">How it was measured</h2>
<p>In each round, each variant gets a fresh client process and a fresh server process. The round trip of a message is timed with a
monotonic clock, from right before the request is passed to the library until the whole reply has arrived. Replies are checked
outside of the timed part. A mean is that of the means of the trials, with a 95 % interval by Student's t on their logarithms. Ratios
are paired by round. Percentiles are of all samples, each trial weighted alike.</p>
<p>A cell is <span class="wide">wide</span> if only its interval is too wide, and <span class="suspect">suspect</span> if its figure may be
wrong. <code>perf-battle help how-it-measures</code> prints the whole method.</p>`;
}

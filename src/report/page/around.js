import {nameOfCell, nameOfVariant} from '../../columns/names.js';
import {formatSize} from '../../payload/bytes.js';
import {workloads} from '../../workloads/index.js';
import {battleNotes} from '../battle-notes.js';
import {namedFacts, namedVersions} from './facts.js';
import {html} from './html.js';
import {asObject, placeOf} from './place.js';

/**
 * @import {CellRecord} from '../../results/record-schema.js'
 * @import {Section} from './contents.js'
 */

/**
 * @typedef {object} ShownBattle
 * @property {readonly CellRecord[]} records at least one
 * @property {Record<string, unknown> | null} battle what the journal says of it; null if it is not known
 * @property {string} floor the transport that the others are compared with
 * @property {string} version of perf-battle
 * @property {readonly {name: string, text: unknown}[]} settings those in force, as a person gives them
 */

/**
 * The answer, the question, and where and when it was measured.
 * @param {ShownBattle} shown
 * @param {readonly {table: string, answer: string}[]} answers at least one
 */
export function pageHeader({records, battle, version}, [first, ...others]) {
  const [{battleId, seed, rounds}] = records;
  const {host, node} = placeOf(records, battle);
  const started = records.map(({startedAt}) => startedAt).sort()[0];
  const count = rounds ? `, ${rounds.count} rounds` : '';
  const more = others.map(
    ({table, answer}) => html`<li>${table}: ${answer}.</li>
`,
  );
  return html`<h1>${first.answer}</h1>
${
  more.length === 0
    ? null
    : html`<ul class="answers">
${more}</ul>
`
}<p>Compared: ${questionOf(records)}.</p>
<p>Measured on ${host}, with ${node}, from ${started.slice(0, 16).replace('T', ' ')} UTC.</p>
<p class="muted">Battle ${battleId}${count}, seed ${seed}. perf-battle ${version}.</p>`;
}

/** What was compared, how and at which sizes. @param {readonly CellRecord[]} records */
function questionOf(records) {
  const names = [...new Set(records.map(({labels}) => nameOfVariant(labels)))];
  const kinds = [...new Set(records.map(({workload}) => workload))].map((name) => {
    const summary = workloads[name]?.summary;
    return summary ? `${name} (${summary})` : name;
  });
  const sizes = [...new Set(records.map(({payloadBytes}) => payloadBytes))].sort((one, other) => one - other);
  return `${names.join(', ')}; workload ${kinds.join(', ')}; payload ${sizes.map(formatSize).join(', ')}`;
}

/** Failed cells, verdicts and the reasons of each. @param {readonly CellRecord[]} records @returns {Section} */
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
  const content = html`${notes.map(
    (line) => html`<p>${line}</p>
`,
  )}${each}`;
  return {id: 'verdicts', title: 'Verdicts', content};
}

/** The hosts, the versions and every setting. @param {ShownBattle} shown @returns {Section} */
export function environmentSection({records, battle, settings}) {
  const [{versions}] = records;
  const hosts = Object.entries(asObject(battle?.hosts)).map(
    ([name, host]) => html`<h3>Host ${name}</h3>
${listOf(namedFacts(asObject(host)))}
`,
  );
  const content = html`${hosts}<h3>Versions</h3>
${listOf(namedVersions(versions))}
<details><summary>Every setting of the battle</summary>
${listOf(settings.map(({name, text}) => [name, text]))}
</details>`;
  return {id: 'environment', title: 'Environment', content};
}

/** Names with their values; what is not known is left out. @param {readonly (readonly [name: string, value: unknown])[]} fields */
export function listOf(fields) {
  const known = fields.filter(([, value]) => value !== null && value !== undefined);
  return html`<dl>
${known.map(
  ([
    name,
    value,
  ]) => html`<dt>${name}</dt><dd>${typeof value === 'object' ? JSON.stringify(value) : value}</dd>
`,
)}</dl>`;
}

/** @returns {Section} */
export function methodSection() {
  const content = html`<p>In each round, each variant gets a fresh client process and a fresh server process. The round trip of a message is timed with a
monotonic clock, from right before the request is passed to the library until the whole reply has arrived. Replies are checked
outside of the timed part. A mean is that of the means of the trials, with a 95 % interval by Student's t on their logarithms. Ratios
are paired by round. Percentiles are of all samples, each trial weighted alike.</p>
<p>A cell is <span class="wide">wide</span> if only its interval is too wide, and <span class="suspect">suspect</span> if its figure may be
wrong. <code>perf-battle help how-it-measures</code> prints the whole method.</p>`;
  return {id: 'method', title: 'How it was measured', content};
}

import {describeLength, describePairWarmUp, estimateBattleMs} from '../battle/estimate.js';
import {blocksOf, groupsOf, orderOfRound, stepsOf} from '../battle/groups.js';
import {roundRules} from '../battle/rounds.js';
import {counted, nameOfVariant} from '../columns/names.js';
import {formatBytes} from '../payload/bytes.js';
import {faultPresets} from '../presets/faults.js';
import {presets} from '../presets/index.js';
import {publishedSources} from '../results/published/figures.js';
import {highest} from '../stats/numbers.js';
import {wrapWords} from '../text/lines.js';

/**
 * @import {BattleState, Cell} from '../battle/types.js'
 * @import {FaultPreset, Preset} from '../presets/types.js'
 */

/** Describes the plan of a battle, for --dry-run. @param {Pick<BattleState, 'cells' | 'values'>} state */
export function describePlan({cells, values}) {
  const groups = groupsOf(cells, values);
  const warmUp = describePairWarmUp(cells);
  const ofGiven = values.url === null ? '' : ' A given server gets its own requests from the beginning.';
  const lines = [
    ...describeRounds({cells, values}),
    `Seed ${values.seed}.`,
    ...describeHosts(values),
    ...(warmUp === null ? [] : [`Each pair warms up with small requests: ${warmUp}.${ofGiven}`]),
    'A cell is measured for a time or a number of messages, after its own warm-up:',
    '',
    ...table(cells.map((cell) => [...nameOfCell(cell), describeLength(cell)])),
    '',
    ...(cells.some(({length}) => length.inSlices)
      ? ['Cells with + between them are measured in turn, in slices (--slices).']
      : []),
    ...Array.from({length: roundRules(values).planned}, (_, index) =>
      describeRound({cells, values, groups}, index + 1),
    ),
  ];
  return `${lines.join('\n')}\n`;
}

/** Returns the plan for --dry-run --json. @param {Pick<BattleState, 'cells' | 'values'>} state */
export function planDocument({cells, values}) {
  const {planned, max} = roundRules(values);
  const estimatedMs = estimateBattleMs({cells, values});
  return {
    plan: {seed: values.seed, rounds: planned, maxRounds: max, budgetMs: values.budgetMs, estimatedMs},
    cells,
  };
}

/** Returns a line only if a role runs on another host. @param {BattleState['values']} values */
function describeHosts({clientOn, serverOn, brokerOn, brokerNodes}) {
  if (!clientOn && !serverOn && !brokerOn) return [];
  const here = 'this host';
  const servers = serverOn?.join(', ') ?? here;
  const broker = brokerNodes > 1 ? `a private cluster of ${brokerNodes} nodes` : 'a private broker';
  return [
    `clients on ${clientOn?.join(', ') ?? here}; servers on ${servers}; ${broker}, if needed, on ${brokerOn?.join(', ') ?? serverOn?.[0] ?? here}`,
  ];
}

/** @param {Pick<BattleState, 'cells' | 'values'> & {groups: readonly Cell[][]}} battle @param {number} round */
function describeRound({cells, values, groups}, round) {
  const blocks = blocksOf(
    orderOfRound(groups, round, values.seed).map((group) => ({group, cells: group})),
    {cells, values, pairsAtOnce: Number.POSITIVE_INFINITY},
  );
  const texts = blocks.map((block) => {
    const steps = stepsOf(
      block.map((one) => one.cells),
      (cell) => cell,
    );
    return steps.map((step) => step.map(({number}) => number).join('+')).join(' ');
  });
  return `round ${round}: ${texts.join(' | ')}`;
}

/** @param {Cell} cell */
function nameOfCell({number, labels, workload, payloadBytes}) {
  return [String(number).padStart(3), workload, formatBytes(payloadBytes).padStart(7), nameOfVariant(labels)];
}

/** @param {readonly string[][]} rows */
function table(rows) {
  const widths = rows[0].map((_, column) => highest(rows.map((row) => row[column].length)));
  return rows.map((row) =>
    row
      .map((text, column) => text.padEnd(widths[column]))
      .join('  ')
      .trimEnd(),
  );
}

/** Describes the number of rounds of a battle, their content, and the expected time. @param {Pick<BattleState, 'cells' | 'values'>} state */
export function describeRounds({cells, values}) {
  const {planned, precision} = roundRules(values);
  const {length: pairs} = groupsOf(cells, values);
  const estimatedMs = estimateBattleMs({cells, values});
  const {budgetMs} = values;
  const plan = `${counted(planned, 'round')} of ${counted(pairs, 'process pair')} and ${counted(cells.length, 'cell')}: about ${formatDuration(estimatedMs)}.`;
  if (budgetMs === null) return [plan];
  if (estimatedMs > budgetMs)
    return [
      plan,
      `These rounds take longer than the budget of ${formatLimit(budgetMs)}. The budget only prevents further rounds.`,
    ];
  if (precision === null) return [plan, `No round begins that would end after ${formatLimit(budgetMs)}.`];
  return [
    plan,
    `Then more of the variants with the widest intervals, until every mean is within ± ${percent(precision)} % or ${formatLimit(budgetMs)} are over.`,
  ];
}

/** Says why a battle ended before or without a fixed number of rounds. @param {Pick<BattleState, 'stoppedBy' | 'values' | 'progress'>} state */
export function describeEnd({stoppedBy, values, progress}) {
  const rounds = highest([...progress.values()].flatMap(({trials}) => trials.map(({round}) => round)));
  if (stoppedBy === 'precision')
    return `Every mean is within ± ${percent(values.precision ?? 0)} % after ${rounds} rounds.`;
  if (stoppedBy === 'failures' && [...progress.values()].some(({error}) => error === null))
    return `No cell but raw TCP is left after ${rounds} ${rounds === 1 ? 'round' : 'rounds'}.`;
  return stoppedBy === 'budget'
    ? `After ${counted(rounds, 'round')} no time is left for another: the budget is ${formatLimit(values.budgetMs ?? 0)} (--budget).`
    : null;
}

/** @param {number} share */
function percent(share) {
  return Number((share * 100).toFixed(2));
}

/** @param {number} ms a limit that the user or a preset chose @returns {string} exactly: 90 s, 5 min, or 11 min 30 s */
export function formatLimit(ms) {
  const seconds = ms / 1000;
  if (seconds < 120 || !Number.isInteger(seconds)) return `${seconds} s`;
  const rest = seconds % 60;
  return `${Math.floor(seconds / 60)} min${rest === 0 ? '' : ` ${rest} s`}`;
}

/** @param {number} ms an estimate @returns {string} rounded to seconds, minutes or hours */
export function formatDuration(ms) {
  const seconds = Math.round(ms / 1000);
  if (seconds < 120) return `${seconds} s`;
  return seconds < 7200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`;
}

const indent = 4;
const maxWidth = 100;

/**
 * Lists each preset with its content, its source, its estimated time and its requirements, for --list-presets.
 * @param {ReadonlyMap<string, number>} estimatesMs by the preset's name @param {number} [width] in characters
 */
export function listPresets(estimatesMs, width = maxWidth) {
  const described = Object.values(presets).map((preset) =>
    entryOf(preset, runOf(preset, estimatesMs.get(preset.name) ?? 0), Math.min(maxWidth, width) - indent),
  );
  const ofFaults = faultPresets.map((preset) =>
    entryOf(preset, 'a run of faults (perf-battle faults)', Math.min(maxWidth, width) - indent),
  );
  return `${[...described, ...ofFaults].join('\n')}\n${hint}`;
}

/** Returns the presets for --list-presets --json. @param {ReadonlyMap<string, number>} estimatesMs by the preset's name */
export function presetsDocument(estimatesMs) {
  return {
    presets: [
      ...Object.values(presets).map(({name, document, summary, needs}) => {
        const {title, url} = publishedSources[document];
        return {name, title, url, summary, needs, estimatedMs: estimatesMs.get(name) ?? null};
      }),
      ...faultPresets.map(({name, document, summary, settings}) => ({
        ...{name, ...publishedSources[document], summary, needs: settings.transport, estimatedMs: null},
      })),
    ],
  };
}

const hint =
  'Times are estimates for two cores, without --scale. --scale 0.01 sends a hundredth of the messages; other options override the preset.\n';

/** @param {Preset} preset @param {number} estimatedMs */
function runOf({needs, settings}, estimatedMs) {
  const rounds = settings.rounds === 1 ? '1 round' : `${settings.rounds} rounds`;
  const needed = needs.length > 0 ? `; needs ${needs.join(' and ')}` : '';
  return `${rounds}, about ${formatDuration(estimatedMs)}${needed}`;
}

/** @param {Pick<Preset | FaultPreset, 'name' | 'document' | 'summary'>} preset @param {string} run @param {number} width */
function entryOf({name, document, summary}, run, width) {
  const {title, url} = publishedSources[document];
  const lines = [...wrapWords(summary, width), ...wrapWords(`From: ${title}`, width), url, run];
  return `${[name, ...lines.map((line) => ' '.repeat(indent) + line)].join('\n')}\n`;
}

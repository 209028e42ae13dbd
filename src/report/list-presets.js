import {faultPresets} from '../presets/faults.js';
import {presets} from '../presets/index.js';
import {publishedSources} from '../results/published/figures.js';
import {formatDuration} from './describe-plan.js';
import {wrapWords} from './terminal.js';

/**
 * @import {FaultPreset} from '../presets/faults.js'
 * @import {Preset} from '../presets/preset.js'
 */

const indent = 4;
const maxWidth = 100;

/**
 * For --list-presets: each preset with its content, its source, its estimated time and what it needs.
 * @param {ReadonlyMap<string, number>} estimatesMs by the preset's name
 * @param {number} [width] in characters
 * @returns {string}
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

/** The same for --list-presets --json. @param {ReadonlyMap<string, number>} estimatesMs by the preset's name */
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

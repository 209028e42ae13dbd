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
    describe(preset, estimatesMs.get(preset.name) ?? 0, Math.min(maxWidth, width) - indent),
  );
  const ofFaults = faultPresets.map((preset) => describeOfFaults(preset, Math.min(maxWidth, width) - indent));
  return `${[...described, ...ofFaults].join('\n')}\n${hint}`;
}

/** The same for --list-presets --json. @param {ReadonlyMap<string, number>} estimatesMs by the preset's name */
export function presetsDocument(estimatesMs) {
  return {
    presets: [
      ...Object.values(presets).map(({name, title, url, summary, needs}) => ({
        ...{name, title, url, summary, needs},
        estimatedMs: estimatesMs.get(name) ?? null,
      })),
      ...faultPresets.map(({name, document, summary, settings}) => ({
        ...{name, ...publishedSources[document], summary, needs: settings.transport, estimatedMs: null},
      })),
    ],
  };
}

const hint =
  'Times are estimates for two cores, without --scale. --scale 0.01 sends a hundredth of the messages; other options override the preset.\n';

/** @param {Preset} preset @param {number} estimatedMs @param {number} width */
function describe({name, title, url, summary, needs, settings}, estimatedMs, width) {
  const rounds = settings.rounds === 1 ? '1 round' : `${settings.rounds} rounds`;
  const needed = needs.length > 0 ? `; needs ${needs.join(' and ')}` : '';
  const run = `${rounds}, about ${formatDuration(estimatedMs)}${needed}`;
  return entryOf({name, summary, title, url, run}, width);
}

/** @param {FaultPreset} preset @param {number} width */
function describeOfFaults({name, document, summary}, width) {
  const {title, url} = publishedSources[document];
  return entryOf({name, summary, title, url, run: 'a run of faults (perf-battle faults)'}, width);
}

/** @param {{name: string, summary: string, title: string, url: string, run: string}} preset @param {number} width */
function entryOf({name, summary, title, url, run}, width) {
  const lines = [...wrapWords(summary, width), ...wrapWords(`From: ${title}`, width), url, run];
  return `${[name, ...lines.map((line) => ' '.repeat(indent) + line)].join('\n')}\n`;
}

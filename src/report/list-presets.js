import {presets} from '../presets/index.js';
import {wrapWords} from './wrap-words.js';

/** @import {Preset} from '../presets/preset.js' */

const indent = 4;
const width = 100 - indent;

/**
 * What each preset is, from which text, how long it takes and what it needs, for --list-presets.
 * @returns {string}
 */
export function listPresets() {
  return `${Object.values(presets).map(describe).join('\n')}\n${hint}`;
}

const hint =
  'Times are estimates for two cores, for all messages. --scale 0.01 sends a hundredth of the messages; what else you give wins over the preset.\n';

/** @param {Preset} preset */
function describe({name, title, url, summary, needs, minutes, settings}) {
  const rounds = settings.rounds === 1 ? '1 round' : `${settings.rounds} rounds`;
  const needed = needs.length > 0 ? `; needs ${needs.join(' and ')}` : '';
  const lines = [
    ...wrapWords(summary, width),
    ...wrapWords(`From: ${title}`, width),
    url,
    `${rounds}, ${timeOf(minutes)}${needed}`,
  ];
  return `${[name, ...lines.map((line) => ' '.repeat(indent) + line)].join('\n')}\n`;
}

/** @param {number} minutes */
function timeOf(minutes) {
  if (minutes >= 120) return `about ${Math.round(minutes / 60)} hours`;
  return minutes === 1 ? 'about a minute' : `about ${minutes} minutes`;
}

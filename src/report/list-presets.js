import {presets} from '../presets/index.js';
import {wrapWords} from './wrap-words.js';

/** @import {Preset} from '../presets/preset.js' */

const indent = 4;
const width = 100 - indent;

/**
 * For --list-presets: each preset with its content, its source, its estimated time and what it needs.
 * @returns {string}
 */
export function listPresets() {
  return `${Object.values(presets).map(describe).join('\n')}\n${hint}`;
}

const hint =
  'Times are estimates for two cores, without --scale. --scale 0.01 sends a hundredth of the messages; other options override the preset.\n';

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
